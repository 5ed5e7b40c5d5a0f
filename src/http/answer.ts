import { envelopeHead, maxErrorMessages, validationStatus } from "../contract/envelope.ts";
import { resultForFault } from "../contract/fault.ts";
import type { Operation } from "../contract/operation.ts";
import type { Problem } from "../contract/validator.ts";
import { wellFormedJson } from "../kit/well-formed-json.ts";
import type { Language } from "../messages/languages.ts";
import { localise } from "../messages/localise.ts";
import type { AnyOutcome, Fact } from "../sdk/outcome.ts";
import { problemText } from "../sdk/problem-text.ts";
import { ReadyJson, ReadyJsonList } from "../sdk/ready-json.ts";
import { problemAnswer } from "./problem-details.ts";

/** What goes back over the wire, not yet bound to a server library or a thread. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** In pieces where it is long: other requests get their turn between two of them. */
  readonly body: string | Iterable<string | Uint8Array>;
  readonly facts?: readonly Fact[];
  /** The name of the result; absent where it is none of the contract's. */
  readonly result?: string;
}

export type ValidationMode = "envelope" | "problem-details";

export const jsonContentType = "application/json; charset=utf-8";

const plainHeads = new Map<Operation, string>();

export function answerOutcome(row: Operation, outcome: AnyOutcome, language: Language): Answer {
  const message = outcome.message === undefined ? null : localise(outcome.message, language);
  if (!outcome.ok) {
    const { problems, problemCount, result } = outcome;
    const validation =
      problems === undefined
        ? null
        : validationStatus(
            problems.slice(0, maxErrorMessages).map((problem) => localise(problem, language)),
            problemCount ?? problems.length,
          );
    return json(`${envelopeHead(row, result, message, validation)}null}`, result);
  }
  const head = message === null ? plainHead(row) : envelopeHead(row, row.success, message);
  const { data, facts } = outcome;
  const body =
    data instanceof ReadyJsonList ? listPieces(head, data) : `${head}${row.data === undefined ? "null" : text(data)}}`;
  return facts === undefined ? json(body, row.success) : { ...json(body, row.success), facts };
}

/** Invalid input, in the form the deployment chose. Never used for what the domain refuses. */
export function answerProblems(
  row: Operation,
  { problems, problemCount }: { problems: readonly Problem[]; problemCount: number },
  { language, mode, traceId }: { language: Language; mode: ValidationMode; traceId: () => string },
): Answer {
  const texts = problems.slice(0, maxErrorMessages).map((problem) => localise(problemText(problem), language));
  if (mode === "envelope") {
    const result = resultForFault(row, "invalid");
    return json(`${envelopeHead(row, result, null, validationStatus(texts, problemCount))}null}`, result);
  }
  return problemAnswer({
    status: 400,
    errors: errorsByField(problems, texts),
    errorCount: problemCount,
    traceId: traceId(),
  });
}

export function errorsByField(problems: readonly Problem[], texts: readonly string[]): Record<string, string[]> {
  const errors: Record<string, string[]> = Object.create(null);
  for (const [index, text] of texts.entries()) {
    const field = problems[index]?.field || "$";
    errors[field] = [...(errors[field] ?? []), text];
  }
  return errors;
}

const json = (body: Answer["body"], result: string): Answer => ({
  status: 200,
  contentType: jsonContentType,
  body,
  result,
});

function text(data: unknown): string {
  if (data instanceof ReadyJson) return data.text;
  return wellFormedJson(data);
}

function plainHead(row: Operation): string {
  let head = plainHeads.get(row);
  if (head === undefined) {
    head = envelopeHead(row, row.success);
    plainHeads.set(row, head);
  }
  return head;
}

function* listPieces(head: string, list: ReadyJsonList): Generator<string | Uint8Array> {
  let before = `${head}[`;
  for (const piece of list.pieces) {
    yield before;
    yield piece;
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}
