import { Type } from "typebox";
import type { Operation } from "../../contract/operation.ts";
import { Fault } from "../../operation/fault.ts";
import { type Refusal, refuse } from "../../operation/outcome.ts";
import type { Redact } from "../redact.ts";
import { type ReadAnswer, readLongAnswer } from "./read-answer.ts";
import { type Answer, NotHttp, Undecodable } from "./read-body.ts";
import { memberAt } from "./template.ts";

/** Which answers are a success, which are refusals for the operator, and which mean that the receiver is down. */
export interface AnswerRules {
  readonly success: SuccessRule;
  readonly refusals: readonly RefusalRule[];
  /** Statuses that mean the event was already processed. */
  readonly alreadyProcessed: readonly number[];
  /** The same by the answer's content: many systems answer everything with status 200. */
  readonly alreadyProcessedWhen?: readonly AnswerCondition[] | undefined;
  /** Answers that mean "not now". The event is retried; unless the status says that the receiver is down, others are not held up. */
  readonly tryLaterWhen?: readonly AnswerCondition[] | undefined;
  /** Statuses, besides 5xx, that mean the whole receiver is down. */
  readonly targetTrouble: readonly number[];
  /** Statuses of temporary failures of one event: it is retried a few times quickly. */
  readonly passing: readonly number[];
  /** Paths of the external system's error text; the first text found is shown. */
  readonly messagePaths: readonly string[];
}

interface SuccessRule {
  readonly status?: readonly number[] | undefined;
  readonly mediaType: string;
  readonly allowEmpty: boolean;
  readonly jsonPath?: string | undefined;
  readonly equals?: string | number | boolean | null | undefined;
  /** A member that only failures have: many systems report errors with status 200. */
  readonly absent?: string | undefined;
}

/** All conditions given must be met. */
interface AnswerCondition {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly codePath?: string | undefined;
  /** A member that must exist, or be equal to `equals`. */
  readonly path?: string | undefined;
  readonly equals?: string | number | boolean | null | undefined;
}

export interface RefusalRule {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly codePath?: string | undefined;
  readonly result: string;
}

export const ruleDefaults = {
  mediaType: "application/json",
  allowEmpty: true,
  // Of the statuses below 500. A wrong password affects every event, so it is not counted against one of them.
  targetTrouble: [401, 407, 408, 429],
  passing: [409, 423, 425],
  codePath: "code",
  messagePaths: ["message", "detail"],
} as const;

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });

/** Conditions on an answer; one of them is enough. See AnswerCondition. */
export const conditionOptions = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        {
          status: Type.Optional(httpStatus),
          code: Type.Optional(Type.String({ description: "Only if the answer has this code." })),
          codePath: Type.Optional(Type.String({ description: "Path of the code in the answer; default: `code`." })),
          path: Type.Optional(Type.String({ description: "Member of the answer that is tested.", minLength: 1 })),
          equals: Type.Optional(
            Type.Unsafe<string | number | boolean | null>({
              type: ["string", "number", "boolean", "null"],
              description: "Value that the member must have; default: anything but false, null and missing.",
            }),
          ),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      { description },
    ),
  );

export interface Judgement {
  readonly answer: Answer;
  /** The row of the contract; null for the adapter's own messages. */
  readonly row: Operation | null;
  readonly rules: AnswerRules;
  readonly redact: Redact;
  readonly now: number;
}

const maxMessageLength = 500;

/** Delivered, refused with a result of the operation, or a fault: of the event, or of the whole receiver. */
export async function judgeAnswer(
  given: Judgement,
): Promise<{ readonly delivered: true; readonly json: unknown } | Refusal> {
  const { answer, rules, row } = given;
  const { status } = answer;
  const read = await readLongAnswer(answer);

  const mapped = rules.refusals.find((one) => (one.status ?? status) === status && hasCode(read.json, one));
  if (mapped !== undefined) return refusal(given, read, mapped.result);
  const says = (one: AnswerCondition) =>
    (one.status ?? status) === status && hasCode(read.json, one) && hasMember(read.json, one);
  if (rules.alreadyProcessed.includes(status) || rules.alreadyProcessedWhen?.some(says) === true) {
    return { delivered: true, json: undefined };
  }
  const isOutage = status >= 500 || rules.targetTrouble.includes(status);
  if (rules.tryLaterWhen?.some(says) === true) {
    // A locked order is no outage: without the mark a few of them would hold up the events of all other orders.
    throw fault(given, read, "unreachable", "it says: try later", !isOutage);
  }

  const unmet = unmetReason(status, read, rules.success);
  const claimed = claimedResult(read.json, row);
  if (unmet === null && claimed === null) return { delivered: true, json: read.json };

  if (isOutage) throw fault(given, read, "unreachable", unmet);
  const isRedirect = status >= 300 && status < 400;
  if (claimed !== null && !isRedirect) return refusal(given, read, claimed);
  throw fault(given, read, "rejected", unmet);
}

function hasMember(json: unknown, { path, equals }: AnswerCondition): boolean {
  if (path === undefined) return true;
  const found = memberAt(json, path);
  return equals === undefined ? found !== undefined && found !== null && found !== false : found === equals;
}

function hasCode(json: unknown, { code, codePath }: Pick<AnswerCondition, "code" | "codePath">): boolean {
  if (code === undefined) return true;
  const found = memberAt(json, codePath ?? ruleDefaults.codePath);
  return (typeof found === "string" || typeof found === "number") && String(found) === code;
}

/** The refusal that an answer names, if it names one. */
function claimedResult(json: unknown, row: Operation | null): string | null {
  const result = memberAt(json, "result");
  if (typeof result !== "string" || result === row?.success) return null;
  return /^(ok|success|succeed|succeeded)$/i.test(result) ? null : result;
}

function refusal(given: Judgement, read: ReadAnswer, result: string): Refusal {
  const { row } = given;
  if (row?.results.includes(result) && result !== row.success) return refuse(result, messageOf(given, read));
  throw fault(given, read, "rejected", `it has the result ${result}, which this event does not define`);
}

function fault(
  given: Judgement,
  read: ReadAnswer,
  kind: "unreachable" | "rejected",
  unmet: string | null,
  isBusy = false,
): Fault {
  const { answer, rules, redact, now } = given;
  const { status } = answer;
  const text = redact(read.text);
  const waitMs = retryAfterMs(answer.headers["retry-after"], now);
  const message = messageOf(given, read);
  return new Fault(
    kind,
    redact(`the receiver's answer is not a success: ${unmet ?? `status ${status}`}; its text: ${text}`),
    {
      ...(kind === "rejected" && message !== undefined ? { operatorText: message } : {}),
      answer: {
        status,
        text,
        ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
        ...(kind === "rejected" && rules.passing.includes(status) ? { isPassing: true } : {}),
        ...(isBusy ? { isBusy } : {}),
      },
    },
  );
}

/** The external system's text for the operator. */
function messageOf({ redact, rules }: Judgement, { json }: ReadAnswer): string | undefined {
  const found = rules.messagePaths.map((path) => memberAt(json, path)).find((one) => typeof one === "string");
  const text = redact(String(found ?? "")).trim();
  if (text === "") return undefined;
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}

/** Why an answer does not prove the delivery; null if it does. A login page has status 200 too. */
export function unmetReason(status: number, answer: ReadAnswer, success: SuccessRule): string | null {
  const isStatus = success.status === undefined ? status >= 200 && status < 300 : success.status.includes(status);
  if (!isStatus) return `status ${status}`;
  if (answer.flaw !== null) return answer.flaw;
  if (answer.isEmpty) {
    return success.allowEmpty && success.jsonPath === undefined ? null : "it is empty";
  }
  if (!isOfType(answer, success.mediaType)) return `its media type is ${answer.mediaType || "missing"}`;
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
  // application/problem+json and similar types are JSON too.
  return mediaType === wanted.toLowerCase() || (wanted === "application/json" && json !== undefined);
}

const maxMs = 3_600_000;

/** How long the receiver wants us to wait: seconds or a date, at most an hour; undefined if it does not say. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /[a-z]/i.test(text) ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), maxMs);
}

/** A transport error as a fault. Without an answer the receiver is at fault, not the event. */
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
  // Several addresses were tried; the outer error has no details of its own.
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join("; ");
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${wordsOf(error.cause)})`;
}
