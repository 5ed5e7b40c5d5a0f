import type { DataOf, OfferedId, RefusalOf } from "../contract/operations.ts";
import type { OperatorText } from "../messages/message.ts";

/** An entry to store in the journal before the answer is sent, such as the numbers of an imported file. */
export interface Fact {
  readonly topic: string;
  readonly lane: string;
  readonly payload: unknown;
}

/** A positive outcome, with the data of the answer. */
export interface Ok<Data = unknown> {
  readonly ok: true;
  readonly data: Data | ReadyJson | ReadyJsonSlices | ReadyJsonList | ListInParts;
  readonly message?: OperatorText;
  readonly facts?: readonly Fact[];
  /** For an event: nothing was sent, because the connector has no rule for it. It does not count as delivered. */
  readonly isUnsent?: true;
  /** Why nothing was sent although there is a rule. */
  readonly unsentBecause?: string;
}

/** A negative outcome: a result name of the operation, and a text for the operator. */
export interface Refusal<Result extends string = string> {
  readonly ok: false;
  readonly result: Result;
  readonly message?: OperatorText;
  /** The problems in detail; fills validationStatus. */
  readonly problems?: readonly OperatorText[];
  /** The total number of problems if the list was cut. */
  readonly problemCount?: number;
  /** For the journal: which step of an event was refused. */
  readonly at?: string;
}

/** What an operation returns. "No such order" is an answer; "the ERP is down" is a fault and is thrown. */
export type Outcome<Id extends OfferedId = OfferedId> = Ok<DataOf<Id>> | Refusal<RefusalOf<Id>>;

/** An outcome of any row, for code that serves all of them. */
export type AnyOutcome = Ok | Refusal;

/** Makes a positive outcome. */
export function ok(data: null, extras?: Omit<Ok, "ok" | "data">): Ok<null>;
export function ok<Data>(data: Data, extras?: Omit<Ok, "ok" | "data">): Ok<Data>;
export function ok(data: unknown, extras: Omit<Ok, "ok" | "data"> = {}): Ok {
  return { ok: true, data, ...extras };
}

/** Makes a negative outcome. The name has to be one of the operation's results. */
export function refuse<Result extends string>(
  result: Result,
  message?: OperatorText,
  details: Pick<Refusal, "problems" | "problemCount"> = {},
): Refusal<Result> {
  return { ok: false, result, ...(message === undefined ? {} : { message }), ...details };
}

/**
 * A long list that is passed on while it is made, a few records at a time, so that it is never in memory as a whole.
 */
export class ListInParts {
  /** Can be iterated once. */
  readonly parts: AsyncIterable<readonly unknown[]>;
  constructor(parts: AsyncIterable<readonly unknown[]>) {
    this.parts = parts;
  }
}

const defaultFew = 1_000;

/** Returns a short list as it is, a long one in parts. */
export async function listOrParts(
  parts: AsyncIterable<readonly unknown[]>,
  few = defaultFew,
): Promise<readonly unknown[] | ListInParts> {
  const list: unknown[] = [];
  const rest = parts[Symbol.asyncIterator]();
  for (let part = await rest.next(); !part.done; part = await rest.next()) {
    // Not spread into one call, because a part may have more records than a call can have arguments.
    for (const record of part.value) list.push(record);
    if (list.length > few) return new ListInParts(together(list, rest));
  }
  return list;
}

async function* together(list: readonly unknown[], rest: AsyncIterator<readonly unknown[]>) {
  yield list;
  for (let part = await rest.next(); !part.done; part = await rest.next()) yield part.value;
}

/**
 * Data that is already JSON text: written into the answer as it is, neither parsed nor serialised again. A long text may
 * be given in pieces: joining megabytes takes longer than a request may be held up.
 */
export class ReadyJson {
  readonly pieces: readonly string[];
  readonly length: number;
  constructor(text: string | readonly string[]) {
    this.pieces = typeof text === "string" ? [text] : text;
    this.length = this.pieces.reduce((sum, { length }) => sum + length, 0);
  }

  get text(): string {
    return this.pieces.join("");
  }

  is(text: string): boolean {
    return this.length === text.length && this.text === text;
  }
}

/** The outcome of an inline projection, as the journal returns it: long data is text there. */
export function appliedOutcome({
  dataText,
  ...outcome
}: {
  readonly ok: boolean;
  readonly dataText?: string;
}): AnyOutcome {
  // An inline projection returns an outcome of the operation; the journal only knows its `ok`.
  const known = outcome as AnyOutcome;
  return dataText === undefined || !known.ok ? known : { ...known, data: new ReadyJson(dataText) };
}

/**
 * A list too long to build at once. Each piece is the JSON text of a few elements, joined by commas, or that text in
 * UTF-8, which saves decoding and encoding what comes from a store. Other requests run between two pieces.
 */
export class ReadyJsonList {
  readonly pieces: Iterable<string | Uint8Array | ReadyJsonSlices>;
  constructor(pieces: Iterable<string | Uint8Array | ReadyJsonSlices>) {
    this.pieces = pieces;
  }
}

/**
 * JSON text that is too long to be read in one turn: in UTF-8, and each slice is read when it can be sent. As a piece of
 * a list it is one element, which is left out if there is no slice. Can be iterated once.
 */
export class ReadyJsonSlices {
  readonly slices: AsyncIterable<Uint8Array>;
  constructor(slices: AsyncIterable<Uint8Array>) {
    this.slices = slices;
  }

  /** The whole text, for those who cannot do with slices. */
  async bytes(): Promise<Buffer> {
    const slices: Uint8Array[] = [];
    for await (const slice of this.slices) slices.push(slice);
    return Buffer.concat(slices);
  }
}

const sliceBytes = 256 * 1024;

/** Passes on a long text that is in memory already, a slice at a time. */
export const inSlices = (text: Buffer): ReadyJsonSlices => new ReadyJsonSlices(slicesOf(text));

async function* slicesOf(text: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += sliceBytes) yield text.subarray(at, at + sliceBytes);
}

type ImageKind = "png" | "jpeg" | "webp" | "gif";

const startsWith = (bytes: Uint8Array, signature: readonly number[], offset = 0) =>
  signature.every((byte, index) => bytes[offset + index] === byte);

const ascii = (text: string): readonly number[] => [...text].map((character) => character.charCodeAt(0));

const png = [0x89, ...ascii("PNG\r\n"), 0x1a, 0x0a];
const jpeg = [0xff, 0xd8, 0xff];
const riff = ascii("RIFF");
const webp = ascii("WEBP");
const gifs = [ascii("GIF87a"), ascii("GIF89a")];

/** The kind of image, by its first bytes: names and declared types are often wrong. */
export function imageKind(bytes: Uint8Array): ImageKind | null {
  if (startsWith(bytes, png)) return "png";
  if (startsWith(bytes, jpeg)) return "jpeg";
  // RIFF is also the header of WAV and AVI: the form type after the length decides.
  if (startsWith(bytes, riff) && startsWith(bytes, webp, 8)) return "webp";
  if (gifs.some((gif) => startsWith(bytes, gif))) return "gif";
  return null;
}

/** Whether the data is text that the store has checked when it arrived: nothing of it is parsed again. */
export const isReadyText = (data: unknown): data is ReadyJson | ReadyJsonSlices | ReadyJsonList =>
  data instanceof ReadyJson || data instanceof ReadyJsonSlices || data instanceof ReadyJsonList;
