import { say } from "../../messages/message.ts";
import { Fault } from "../../sdk/fault.ts";
import type { AnswerRules } from "../../sdk/http/answer-rules.ts";
import { memberAt } from "../../sdk/http/member-at.ts";
import type { ReadAnswer } from "../../sdk/http/read-answer.ts";
import type { Answer } from "../../sdk/http/read-body.ts";
import type { Redact } from "../../sdk/http/redact.ts";
import { retryAfterMs } from "../../sdk/http/retry-after.ts";
import { unmetReason } from "../../sdk/http/unmet-reason.ts";

export interface RecordReading {
  readonly answer: Answer;
  readonly read: ReadAnswer;
  readonly rules: AnswerRules;
  readonly redact: Redact;
  readonly now: number;
}

const maxMessageLength = 500;

/** Throws a Fault where an answer to a question is none: trouble of the system, a no, or nonsense. */
export function requireSuccess({ answer, read, rules, redact, now }: RecordReading): void {
  const success = { ...rules.success, allowEmpty: false };
  const unmet = unmetReason(answer.status, read, success);
  if (unmet === null) return;
  const { status } = answer;
  const isTrouble = status >= 500 || rules.targetTrouble.includes(status);
  const words = wordsOf(read.json, rules.messagePaths, redact);
  const isSaid = status >= 300 || rules.success.absent !== undefined || rules.success.jsonPath !== undefined;
  const waitMs = retryAfterMs(answer.headers["retry-after"], now);
  throw new Fault(
    isTrouble ? "unreachable" : "rejected",
    redact(`the answer is no success: ${unmet}; it says: ${read.text.slice(0, 2_000)}`),
    {
      ...(isTrouble ? {} : { operatorText: words ?? say(isSaid ? "http.refused" : "http.unreadable") }),
      answer: { status, text: redact(read.text), ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) },
    },
  );
}

/** The external system's own words, where its answer has some. */
export function wordsOf(json: unknown, paths: readonly string[], redact: Redact): string | undefined {
  const found = paths.map((path) => memberAt(json, path)).find((one) => typeof one === "string" && one.trim() !== "");
  if (typeof found !== "string") return undefined;
  const text = redact(found).trim();
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}

/** The records of an answer. One object counts as a list of one; nothing at all as an empty list. */
export function recordsOf(json: unknown, path: string | undefined): readonly unknown[] {
  const found = path === undefined ? json : memberAt(json, path);
  if (Array.isArray(found)) return found;
  if (found === undefined && path !== undefined && !isHollow(json)) {
    throw new Fault("rejected", `the answer has no ${path}; check \`records\``, {
      operatorText: say("http.unreadable"),
    });
  }
  if (found === undefined || found === null) return [];
  if (typeof found === "object") return Object.keys(found).length === 0 ? [] : [found];
  throw new Fault(
    "rejected",
    `${path ?? "the answer"} is no list of records but ${JSON.stringify(found).slice(0, 60)}`,
    {
      operatorText: say("http.unreadable"),
    },
  );
}

const isHollow = (json: unknown): boolean =>
  json === null || json === undefined || (typeof json === "object" && Object.keys(json).length === 0);
