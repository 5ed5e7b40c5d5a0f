import { type ServerResponse, STATUS_CODES } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import { envelopeHead, maxErrorMessages, validationStatus } from "../../contract/envelope.ts";
import { type Operation, resultForFault } from "../../contract/operation.ts";
import type { Problem } from "../../contract/validate/problem.ts";
import { wellFormedJson } from "../../kit/json/scan-json.ts";
import { textSlices } from "../../kit/json/write-in-turns.ts";
import type { Language } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import type { Phrase } from "../../messages/phrases/phrase.ts";
import { problemText } from "../../operation/fault.ts";
import { type AnyOutcome, type Fact, ReadyJson, ReadyJsonList, ReadyJsonSlices } from "../../operation/outcome.ts";
import type { BulkAnswer } from "../connection/bulk-parser.ts";

/** Encoding a longer text at once would take milliseconds. */
const longText = 256 * 1024;
const pieceLength = 64 * 1024;

export function writeAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.status(answer.status).header("content-type", answer.contentType);
  if (typeof answer.body !== "string") return writePieces(reply, answer.contentType, answer.body);
  if (answer.body.length <= longText) return reply.send(answer.body);
  return writePieces(reply, answer.contentType, textSlices(answer.body, pieceLength));
}

export function writeChunks(reply: FastifyReply, answer: BulkAnswer): FastifyReply {
  reply.status(answer.status);
  return writePieces(reply, answer.contentType, answer.chunks);
}

export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Smaller pieces, such as separators, do not get a turn of their own. */
const smallPiece = 1024;

/**
 * Writes directly to the response: the server library would collect all pieces first. Other requests run between two
 * pieces.
 */
export function writePieces(reply: FastifyReply, contentType: string, pieces: Pieces): FastifyReply {
  const { raw } = reply;
  // Our own headers have one value each.
  const headers = { ...reply.getHeaders(), "content-type": contentType } as Record<string, string>;
  reply.hijack();
  raw.writeHead(reply.statusCode, headers);
  if (reply.request.method === "HEAD") raw.end();
  else void sendAll(raw, pieces);
  return reply;
}

async function sendAll(raw: ServerResponse, pieces: Pieces): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (raw.destroyed) return;
      const isRoom = raw.write(piece);
      if (piece.length < smallPiece) continue;
      if (!isRoom) await drained(raw);
      // Also needed after draining: a fast reader empties the buffer within the same turn, again and again.
      await nextTurn();
    }
    raw.end();
  } catch {
    // The head was already sent, so the error cannot be reported any more. The connection is broken off instead.
    raw.destroy();
  }
}

/** Waits until the reader has received what was written, or has gone. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      raw.off("drain", done);
      raw.off("close", done);
      resolve();
    };
    raw.once("drain", done);
    raw.once("close", done);
  });
}

/** An answer, independent of a server library or a thread. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** A long body comes in pieces, and other requests run between two of them. */
  readonly body: string | Pieces;
  readonly facts?: readonly Fact[];
  /** The name of the result. Absent if the answer has none of the contract's results. */
  readonly result?: string;
}

/** The body of an answer that consists of texts: a refusal, or the answer to an event. */
export function bodyText(body: Answer["body"]): string {
  if (typeof body === "string") return body;
  if (Symbol.asyncIterator in body) throw new Error("this answer is read while it is sent");
  return [...body].join("");
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
    data instanceof ReadyJsonList
      ? listPieces(head, data)
      : row.data === undefined
        ? `${head}null}`
        : oneBody(head, data);
  return facts === undefined ? json(body, row.success) : { ...json(body, row.success), facts };
}

/** The answer to invalid input, in the form the deployment chose. Never used for refusals of the domain. */
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

/** A long text stays in its pieces: putting the head before megabytes would copy them. */
function oneBody(head: string, data: unknown): Answer["body"] {
  if (data instanceof ReadyJsonSlices) return slicedBody(head, data);
  if (!(data instanceof ReadyJson)) return `${head}${wellFormedJson(data)}}`;
  const { pieces, length } = data;
  return length <= longText ? `${head}${pieces.join("")}}` : longPieces(head, pieces);
}

function* longPieces(head: string, pieces: readonly string[]): Generator<string> {
  yield head;
  for (const piece of pieces) yield* textSlices(piece, pieceLength);
  yield "}";
}

async function* slicedBody(head: string, { slices }: ReadyJsonSlices): AsyncGenerator<string | Uint8Array> {
  yield head;
  yield* slices;
  yield "}";
}

function plainHead(row: Operation): string {
  let head = plainHeads.get(row);
  if (head === undefined) {
    head = envelopeHead(row, row.success);
    plainHeads.set(row, head);
  }
  return head;
}

async function* listPieces(head: string, list: ReadyJsonList): AsyncGenerator<string | Uint8Array> {
  let before = `${head}[`;
  for (const piece of list.pieces) {
    if (piece instanceof ReadyJsonSlices) {
      // The comma only if there is a slice: the element may be gone.
      for await (const slice of piece.slices) {
        if (before !== "") yield before;
        yield slice;
        before = "";
      }
    } else {
      yield before;
      yield piece;
      before = "";
    }
    if (before === "") before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}

/** An answer outside the contract's envelope, as RFC 9457 describes it. */
interface ProblemDetails {
  readonly status: number;
  readonly detail?: string;
  /** Texts by field, in the form the platform's own host would write them. */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  /** The number of errors, if not all texts are listed. */
  readonly errorCount?: number;
  /** The problems of each element, if a list was sent. */
  readonly results?: readonly unknown[];
  /** The detail as a phrase that the console translates. */
  readonly phrase?: Phrase;
  /** The reference to find the request in the log. */
  readonly traceId: string;
}

export const problemContentType = "application/problem+json; charset=utf-8";

export function problemAnswer(problem: ProblemDetails): Answer {
  const body = { type: "about:blank", title: STATUS_CODES[problem.status] ?? "Error", ...problem };
  return { status: problem.status, contentType: problemContentType, body: wellFormedJson(body) };
}
