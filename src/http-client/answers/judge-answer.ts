import { type Operation, resultForFault } from "../../contract/operation.ts";
import { isTrue } from "../../mapping/expressions/expression.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { type Refusal, refuse } from "../../operation/outcome.ts";
import type { Redact } from "../redact.ts";
import { anyMatches, isMember, isSet, type JudgedAnswer, judgedAnswer } from "./answer-condition.ts";
import type { AnswerRules, SuccessRule } from "./answer-rules.ts";
import { type ReadAnswer, readLongAnswer } from "./read-answer.ts";
import { type Answer, NotHttp, Undecodable } from "./read-body.ts";
import { memberAt } from "./template.ts";

export interface Judgement {
  readonly answer: Answer;
  /** The row of the contract; null for the adapter's own messages. */
  readonly row: Operation | null;
  readonly rules: AnswerRules;
  readonly redact: Redact;
  readonly now: number;
}

const maxMessageLength = 500;

/**
 * Decides what an answer means: delivered, refused with a result of the operation, or a fault of the event or of the
 * whole receiver.
 */
export async function judgeAnswer(
  given: Judgement,
): Promise<{ readonly delivered: true; readonly json: unknown } | Refusal> {
  const { answer, rules, row } = given;
  const { status } = answer;
  const read = await readLongAnswer(answer);
  const judged = judgedAnswer(answer, read);

  if (await anyMatches(rules.loginExpired, judged)) throw await fault(given, read, "unreachable", loginExpired);
  if (await anyMatches(rules.alreadyProcessed, judged)) return { delivered: true, json: read.json };
  const isTrouble = status >= 500 || rules.targetTrouble.includes(status);
  // With such a status, the whole receiver needs time. Otherwise only this record is locked.
  if (await anyMatches(rules.tryLater, judged))
    throw await fault(given, read, isTrouble ? "unreachable" : "busy", "it says: try later");
  for (const { matches, result } of rules.refusals) {
    if (await matches(judged)) return await refusal(given, read, result ?? refusalOf(row));
  }
  // Checked after the refusals: of the answers with one status, some codes may be refusals and all others "already
  // processed".
  if (rules.processedStatuses.includes(status)) return { delivered: true, json: read.json };

  const unmet = await unmetReason(judged, read, rules.success);
  const claimed = claimedResult(read.json, row, rules.success);
  if (unmet === null && claimed === null) return { delivered: true, json: read.json };

  if (isTrouble) throw await fault(given, read, "unreachable", unmet);
  const isRedirect = status >= 300 && status < 400;
  if (claimed !== null && !isRedirect) return await refusal(given, read, claimed);
  throw await fault(given, read, "rejected", unmet);
}

export const loginExpired = "it says: the login has expired";

/** The operation's result for an answer that refuses; undefined for the adapter's own messages. */
const refusalOf = (row: Operation | null): string | undefined =>
  row === null ? undefined : resultForFault(row, "rejected");

/**
 * Returns the refusal that an answer names, if any. If the configuration says what a success contains, any other text
 * at `result` is content, as in JSON-RPC.
 */
function claimedResult(json: unknown, row: Operation | null, success: SuccessRule): string | null {
  const result = memberAt(json, "result");
  if (typeof result !== "string" || result === row?.success) return null;
  const isJudged = success.absent !== undefined || success.jsonPath !== undefined || success.isMet !== undefined;
  if (isJudged && row?.results.includes(result) !== true) return null;
  return /^(ok|success|succeed|succeeded)$/i.test(result) ? null : result;
}

async function refusal(given: Judgement, read: ReadAnswer, result: string | undefined): Promise<Refusal> {
  const { row } = given;
  // Always with a text. Otherwise the operator would only see that it failed.
  if (result !== undefined && row?.results.includes(result) && result !== row.success) {
    return refuse(result, (await messageOf(given, read)) ?? say("http.refused"));
  }
  const reason =
    result === undefined ? "it is a refusal" : `it has the result ${result}, which this event does not define`;
  throw await fault(given, read, "rejected", reason);
}

async function fault(
  given: Judgement,
  read: ReadAnswer,
  kind: "unreachable" | "busy" | "rejected",
  unmet: string | null,
): Promise<Fault> {
  const { answer, rules, redact, now } = given;
  const { status } = answer;
  const text = redact(read.text);
  const waitMs = retryAfterMs(answer.headers["retry-after"], now);
  const isRefusal = status >= 400 || read.json !== undefined;
  const operatorText = (await messageOf(given, read)) ?? say(isRefusal ? "http.refused" : "http.unreadable");
  return new Fault(
    kind === "busy" ? "unreachable" : kind,
    redact(`the receiver's answer is not a success: ${unmet ?? `status ${status}`}; its text: ${text}`),
    {
      ...(kind === "rejected" ? { operatorText } : {}),
      answer: {
        status,
        text,
        ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
        ...(kind === "rejected" && rules.passing.includes(status) ? { isPassing: true } : {}),
        // A lock or a lost race concerns one record, so other orders are not delayed.
        ...(kind === "busy" ? { isBusy: true } : {}),
      },
    },
  );
}

const messageOf = ({ answer, redact, rules }: Pick<Judgement, "answer" | "redact" | "rules">, read: ReadAnswer) =>
  externalText(rules, judgedAnswer(answer, read), redact);

/** The external system's text for the operator; undefined if the answer has none. */
export async function externalText(
  { errorText }: Pick<AnswerRules, "errorText">,
  judged: JudgedAnswer,
  redact: Redact,
): Promise<string | undefined> {
  const text = redact((await errorText(judged)) ?? "").trim();
  if (text === "") return undefined;
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}

/** Why an answer does not prove the delivery; null if it does. A login page has status 200 too. */
export async function unmetReason(
  judged: JudgedAnswer,
  answer: ReadAnswer,
  success: SuccessRule,
): Promise<string | null> {
  const { status } = judged;
  const isStatus = success.status === undefined ? status >= 200 && status < 300 : success.status.includes(status);
  if (!isStatus) return `status ${status}`;
  if (answer.flaw !== null) return answer.flaw;
  if (answer.isEmpty) {
    const isTested = success.jsonPath !== undefined || success.isMet !== undefined;
    return success.allowEmpty && !isTested ? null : "it is empty";
  }
  if (!isOfType(answer, success.mediaType)) return `its media type is ${answer.mediaType || "missing"}`;
  if (success.absent !== undefined && isSet(memberAt(answer.json, success.absent))) return `it has ${success.absent}`;
  if (success.jsonPath !== undefined) {
    const found = memberAt(answer.json, success.jsonPath);
    if (!isMember(found, success)) return `${success.jsonPath} is ${JSON.stringify(found) ?? "missing"}`;
  }
  if (success.isMet === undefined) return null;
  const made = await success.isMet(judged).catch((error: unknown) => ({ failed: error }));
  if (typeof made === "object" && made !== null && "failed" in made) return "the expression of success.when failed";
  return isTrue(made) ? null : "success.when is not met";
}

function isOfType({ mediaType, json }: ReadAnswer, wanted: string): boolean {
  if (wanted === "*/*") return true;
  // application/problem+json and similar types are JSON too.
  return mediaType === wanted.toLowerCase() || (wanted === "application/json" && json !== undefined);
}

const maxMs = 3_600_000;

/**
 * Returns how long the receiver wants us to wait, from seconds or a date, at most an hour; undefined if it does not
 * say.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /[a-z]/i.test(text) ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), maxMs);
}

/** Turns a transport error into a fault. Without an answer the receiver is at fault, not the event. */
export function faultOfError(error: unknown, redact: Redact): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof NotHttp) {
    return new Fault("rejected", redact(`the response is not HTTP: ${error.message}`), { cause: error });
  }
  if (error instanceof Undecodable) {
    return new Fault("rejected", redact(`the response cannot be decoded: ${error.message}`), { cause: error });
  }
  return new Fault("unreachable", redact(`the receiver could not be reached: ${wordsOf(error)}`), { cause: error });
}

function wordsOf(error: unknown): string {
  // Several addresses were tried, and the outer error has no details of its own.
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join("; ");
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${wordsOf(error.cause)})`;
}
