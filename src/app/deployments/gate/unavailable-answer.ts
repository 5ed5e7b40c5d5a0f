import type { IncomingMessage, ServerResponse } from "node:http";
import { routeMatcher } from "../../../contract/derive/match-route.ts";
import { resultForFault } from "../../../contract/operation.ts";
import { operationRow } from "../../../contract/operations.ts";
import { newReference } from "../../../kit/ids.ts";
import { chooseLanguage } from "../../../messages/choose-language.ts";
import { type OperatorText, say } from "../../../messages/message.ts";
import { refuse } from "../../../operation/outcome.ts";
import { nothingDone } from "../../../server/connection/passed-on.ts";
import { type Answer, answerOutcome, bodyText, problemAnswer } from "../../../server/contract/answer.ts";
import { unreachedAnswer } from "../../replicated/passing/unreached-answer.ts";

export interface Unavailable {
  readonly basePath: string;
  readonly newReference: () => string;
  /** Logs the failure under the reference; absent: the opening only takes too long. */
  readonly onFailed?: (reference: string) => void;
  /** Since when PostgreSQL cannot be used, if that is why the deployment cannot be opened. */
  readonly store?: { readonly since: number; readonly timeZone: string } | undefined;
}

/**
 * Answers for a deployment that cannot be opened, or not in time. An endpoint of the contract answers in its own
 * envelope.
 */
export function answerUnavailable(
  request: IncomingMessage,
  response: ServerResponse,
  { basePath, newReference, onFailed, store }: Unavailable,
): void {
  const reference = newReference();
  onFailed?.(reference);
  // This process may have owned the deployment a moment ago, and be about to stop.
  if (!response.headersSent)
    for (const [name, value] of Object.entries(nothingDone(request))) response.setHeader(name, value);
  const found = routeMatcher(basePath)(request.method ?? "GET", request.url ?? "/");
  const row = found === null || "allow" in found ? null : operationRow(found.id);
  if (store !== undefined) {
    writePlain(request, response, unreachedAnswer(row, request, { ...store, reference }));
    return;
  }
  const text: OperatorText = onFailed === undefined ? say("general.busy") : say("general.internal", { reference });
  const detail =
    onFailed === undefined
      ? "The deployment is being opened."
      : "The deployment cannot be opened. See the log for this reference.";
  const language = chooseLanguage(request.headers["accept-language"]);
  const answer =
    row === null || row.results.length === 0
      ? problemAnswer({ status: 503, detail, traceId: reference })
      : answerOutcome(row, refuse(resultForFault(row, "broken"), text), language);
  writePlain(request, response, answer);
}

/** Writes an answer without the server library. */
export function writePlain(
  request: IncomingMessage,
  response: ServerResponse,
  { status, contentType, body }: Answer,
): void {
  // The body is not needed, but it must be read: otherwise the connection could not take its next request.
  request.resume();
  if (response.headersSent || response.destroyed) return;
  const text = bodyText(body);
  response.writeHead(status, {
    "content-type": contentType,
    // As the server library does it: without it Node would send the text in chunks.
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    ...(status === 503 ? { "retry-after": "1" } : {}),
  });
  response.end(text);
}

/** Writes problem details that the log does not know of. */
export const writeProblem = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  detail: string,
): void => writePlain(request, response, problemAnswer({ status, detail, traceId: newReference() }));
