import type { SuccessRule } from "./answer-rules.ts";
import { memberAt } from "./member-at.ts";
import type { ReadAnswer } from "./read-answer.ts";

/** Why an answer is no proof of delivery; null where it is one. A login page comes with status 200 too. */
export function unmetReason(status: number, answer: ReadAnswer, success: SuccessRule): string | null {
  const isStatus = success.status === undefined ? status >= 200 && status < 300 : success.status.includes(status);
  if (!isStatus) return `status ${status}`;
  if (answer.flaw !== null) return answer.flaw;
  if (answer.isEmpty) {
    return success.allowEmpty && success.jsonPath === undefined ? null : "it is empty";
  }
  if (!isOfType(answer, success.mediaType)) return `its media type is ${answer.mediaType || "not told"}`;
  const failure = success.absent === undefined ? undefined : memberAt(answer.json, success.absent);
  if (failure !== undefined && failure !== null && failure !== false) return `it has ${success.absent}`;
  if (success.jsonPath === undefined) return null;
  const found = memberAt(answer.json, success.jsonPath);
  const isMet =
    success.equals === undefined ? found !== undefined && found !== null && found !== false : found === success.equals;
  return isMet ? null : `${success.jsonPath} is ${JSON.stringify(found) ?? "missing"}`;
}

function isOfType({ mediaType, json }: ReadAnswer, wanted: string): boolean {
  if (wanted === "*/*") return true;
  // application/problem+json and the like are JSON as well.
  return mediaType === wanted.toLowerCase() || (wanted === "application/json" && json !== undefined);
}
