import { setImmediate as nextTurn } from "node:timers/promises";
import { maxErrorMessages } from "../../contract/envelope.ts";
import { idsIn, type Stored } from "../../engine/intake/accept.ts";
import { placed } from "../../engine/intake/read-push.ts";
import { template, valueTemplate } from "../../http-client/answers/template.ts";
import { writeInTurns } from "../../kit/json/write-in-turns.ts";
import type { Language } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import { type Answer, jsonContentType, problemAnswer } from "../contract/answer.ts";
import type { AnswerOptions } from "./inbound-options.ts";
import type { InboundProblem, InboundSummary, RefusedElement, Unreadable } from "./inbound-reading.ts";

/** An element that was not stored, and why, as texts. */
export interface ListedElement {
  readonly index?: number;
  readonly row?: number;
  readonly problems: readonly { readonly field: string; readonly text: string; readonly source?: string }[];
}

/**
 * The content of an answer except the ids. It is stored in the journal with a push that has a key, so that the same
 * push gets the same answer even after a change of the configuration.
 */
export interface AnswerPlan {
  readonly answer: AnswerOptions | null;
  readonly count: number;
  /** Absent if the route never leaves out bad elements. */
  readonly refused?: readonly ListedElement[];
}

/** Nobody would read more, and an answer must not grow with every mistake. */
const maxListed = 1000;

export function answerPlan(
  reading: InboundSummary,
  route: { readonly answer: AnswerOptions | null; readonly isPartial: boolean },
  language: Language,
): AnswerPlan {
  const { answer, isPartial } = route;
  const { count } = reading;
  return { answer, count, ...(isPartial ? { refused: listedElements(reading.refused, language) } : {}) };
}

const placeholders = ["id", "ids", "count", "accepted", "unchanged", "refused"];

/** The placeholders used in a configured body, and those that exist. */
export function answerNames(body: unknown): { readonly used: readonly string[]; readonly there: readonly string[] } {
  return { used: [...new Set(valueTemplate(body).names)], there: placeholders };
}

/** The answer to a push that was stored. */
export async function storedAnswer({ answer, count, refused }: AnswerPlan, stored: Stored): Promise<Answer> {
  const { status = 202, body, contentType } = answer ?? {};
  const { unchanged, inPieces } = stored;
  const json = contentType ?? jsonContentType;
  if (body === undefined) {
    // In pieces: serialising a list of a million ids at once would block all other requests.
    if (inPieces !== undefined) {
      return { status, contentType: json, body: idsInPieces(inPieces.idPieces, unchanged, refused) };
    }
    const { ids } = stored;
    const plain = {
      ids,
      ...(unchanged > 0 ? { unchanged } : {}),
      ...(refused === undefined ? {} : { results: [...resultsOf([ids], refused)].flat() }),
    };
    return { status, contentType: json, body: JSON.stringify(plain) };
  }
  const isListed = answerNames(body).used.some((name) => name === "id" || name === "ids");
  const ids = isListed ? await listed(stored) : [];
  const accepted = countOf(stored);
  const scope = { id: ids[0] ?? "", ids, count, accepted, unchanged, refused: count - accepted };
  if (typeof body !== "string") {
    const filled = (await writeInTurns(valueTemplate(body).fill(scope))) ?? "null";
    return { status, contentType: json, body: filled };
  }
  // No escaping is needed: ids and numbers contain no characters that are special in XML or other formats.
  return { status, contentType: contentType ?? "text/plain; charset=utf-8", body: template(body).fill(scope) ?? "" };
}

/** How many entries a push has. */
export const countOf = ({ ids, inPieces }: Stored): number => inPieces?.count ?? ids.length;

async function listed({ ids, inPieces }: Stored): Promise<readonly string[]> {
  if (inPieces === undefined) return ids;
  const all: string[] = [];
  for (const piece of inPieces.idPieces) {
    for (const id of idsIn([piece])) all.push(id);
    await nextTurn();
  }
  return all;
}

function* idsInPieces(
  pieces: Iterable<Uint8Array>,
  unchanged: number,
  refused: readonly ListedElement[] | undefined,
): Generator<string | Uint8Array> {
  // The pieces are kept, because those of an earlier push are read from the journal and can be iterated only once.
  const kept: Uint8Array[] = [];
  let before = '{"ids":[';
  for (const piece of pieces) {
    if (refused !== undefined) kept.push(piece);
    yield before;
    yield piece;
    before = ",";
  }
  yield `${before === "," ? "" : before}]${unchanged > 0 ? `,"unchanged":${unchanged}` : ""}`;
  if (refused !== undefined) {
    before = ',"results":[';
    for (const some of resultsOf(idLists(kept), refused)) {
      if (some.length === 0) continue;
      yield before + JSON.stringify(some).slice(1, -1);
      before = ",";
    }
    yield before === "," ? "]" : `${before}]`;
  }
  yield "}";
}

function* idLists(pieces: readonly Uint8Array[]): Generator<readonly string[]> {
  for (const piece of pieces) yield idsIn([piece]);
}

/**
 * Yields every element in its place, with its id or its problems, some at a time. Rows that were not elements come
 * last.
 */
function* resultsOf(
  idPieces: Iterable<readonly string[]>,
  refused: readonly ListedElement[],
): Generator<readonly unknown[]> {
  const byIndex = new Map(refused.flatMap((one) => (one.index === undefined ? [] : [[one.index, one] as const])));
  let at = 0;
  const badHere = (): ListedElement[] => {
    const found: ListedElement[] = [];
    for (let bad = byIndex.get(at); bad !== undefined; bad = byIndex.get(at)) {
      found.push(bad);
      at++;
    }
    return found;
  };
  for (const ids of idPieces) {
    const results: unknown[] = [];
    for (const id of ids) {
      for (const bad of badHere()) results.push(bad);
      results.push({ index: at++, id });
    }
    yield results;
  }
  yield badHere();
  yield refused.filter(({ index }) => index === undefined);
}

/** The answer to a push of which nothing was stored. */
export function refusedAnswer(reading: InboundSummary | Unreadable, language: Language, traceId: string): Answer {
  const detail = "Nothing was stored. Correct the fields named in errors and send everything again.";
  if ("unreadable" in reading) {
    const errors = errorsOf(
      reading.unreadable.map((problem) => ({ index: null, problem })),
      language,
    );
    return problemAnswer({ status: 400, detail, errors, errorCount: reading.problemCount, traceId });
  }
  const problems = reading.refused.flatMap(({ index, problems: own }) => own.map((problem) => ({ index, problem })));
  const errors = errorsOf(problems, language);
  const results = reading.isList
    ? { results: listedElements(reading.refused.slice(0, maxErrorMessages), language) }
    : {};
  return problemAnswer({ status: 400, detail, errors, errorCount: reading.problemCount, ...results, traceId });
}

function errorsOf(
  problems: readonly { readonly index: number | null; readonly problem: InboundProblem }[],
  language: Language,
): Record<string, string[]> {
  const errors: Record<string, string[]> = Object.create(null);
  for (const { index, problem } of problems.slice(0, maxErrorMessages)) {
    const field = placed(index, problem.field);
    const name = field === "" ? "$" : field;
    errors[name] = [...(errors[name] ?? []), wordsOf(problem, field, language)];
  }
  return errors;
}

function listedElements(refused: readonly RefusedElement[], language: Language): ListedElement[] {
  let listed = 0;
  return refused.map(({ index, row, problems }) => {
    const shown = problems.slice(0, Math.max(0, maxListed - listed));
    listed += shown.length;
    return {
      ...(index === null ? {} : { index }),
      ...(row === undefined ? {} : { row }),
      problems: shown.map((problem) => {
        const { field, source } = problem;
        return { field, text: wordsOf(problem, field, language), ...(source === undefined ? {} : { source }) };
      }),
    };
  });
}

/** The adapter's own texts name the member. In a list, the element's position is put before them. */
function wordsOf({ text }: InboundProblem, field: string, language: Language): string {
  const isPlaced = typeof text !== "string" && "field" in text.values;
  return localise(isPlaced ? { ...text, values: { ...text.values, field } } : text, language);
}
