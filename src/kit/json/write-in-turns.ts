import { setImmediate as nextTurn } from "node:timers/promises";

/** Writing this much takes about a millisecond. */
const defaultPieceLength = 64 * 1024;

/**
 * Writes the same text as `JSON.stringify`, but lets other work of this thread run between two pieces: some megabytes
 * at once would stall every request. Returns undefined if the value has no JSON.
 */
export const writeInTurns = async (value: unknown, pieceLength?: number): Promise<string | undefined> =>
  (await piecesInTurns(value, pieceLength))?.join("");

/** The same text in pieces, for those who need not join them: that takes milliseconds if there are megabytes. */
export async function piecesInTurns(
  value: unknown,
  pieceLength = defaultPieceLength,
): Promise<readonly string[] | undefined> {
  if (!isLong(value, pieceLength)) {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? undefined : [text];
  }
  const written: string[] = [];
  let waiting: string[] = [];
  let length = 0;
  const join = () => {
    written.push(waiting.join(""));
    waiting = [];
    length = 0;
  };
  for (const piece of pieces(value, pieceLength)) {
    waiting.push(piece);
    length += piece.length;
    if (length < pieceLength) continue;
    join();
    await nextTurn();
  }
  join();
  return written;
}

/**
 * Yields the text of `JSON.stringify` in pieces, to be sent one by one: joining megabytes takes longer than a request may
 * be held up. Returns null if the text is short.
 */
export const writtenPieces = (value: unknown, pieceLength = defaultPieceLength): Iterable<string> | null =>
  isLong(value, pieceLength) ? pieces(value, pieceLength) : null;

/** Whether the text of `JSON.stringify` is longer than this. It writes no more than is needed to tell. */
export function isWrittenLonger(value: unknown, length: number): boolean {
  if (!isLong(value, defaultPieceLength)) return (JSON.stringify(value)?.length ?? 0) > length;
  if (leastLength(value, length) > length) return true;
  let written = 0;
  for (const piece of pieces(value, defaultPieceLength)) {
    written += piece.length;
    if (written > length) return true;
  }
  return false;
}

type Long = string | readonly unknown[] | Readonly<Record<string, unknown>>;

function* pieces(value: Long, pieceLength: number): Generator<string> {
  if (typeof value === "string") {
    yield '"';
    for (const slice of textSlices(value, pieceLength)) yield JSON.stringify(slice).slice(1, -1);
    yield '"';
    return;
  }
  const isList = Array.isArray(value);
  yield isList ? "[" : "{";
  let isFirst = true;
  for (const run of runs(value, pieceLength)) {
    const long = "long" in run ? run.long : null;
    const text = long === null ? JSON.stringify("short" in run ? run.short : null).slice(1, -1) : "";
    // Members that cannot be written as JSON are left out.
    if (long === null && text === "") continue;
    if (!isFirst) yield ",";
    isFirst = false;
    if (long === null) yield text;
    else {
      if (!isList) yield `${JSON.stringify(long.name)}:`;
      yield* pieces(long.value, pieceLength);
    }
  }
  yield isList ? "]" : "}";
}

type Run = { readonly short: object } | { readonly long: { readonly name: string; readonly value: Long } };

/** Yields runs of short elements or members that fit into one piece, and the long ones between them. */
function* runs(value: Exclude<Long, string>, pieceLength: number): Generator<Run> {
  const isList = Array.isArray(value);
  const empty = () => (isList ? [] : {});
  let short: unknown[] | Record<string, unknown> = empty();
  let cost = 0;
  for (const [name, member] of isList ? value.entries() : Object.entries(value)) {
    const own = writingCost(member, pieceLength);
    if (own < pieceLength || !isDivisible(member)) {
      if (Array.isArray(short)) short.push(member);
      // Assigning to __proto__ would set the prototype.
      else Object.defineProperty(short, name, { value: member, enumerable: true });
      cost += own;
      if (cost < pieceLength) continue;
    }
    if (cost > 0) yield { short };
    short = empty();
    cost = 0;
    if (own >= pieceLength && isDivisible(member)) yield { long: { name: String(name), value: member } };
  }
  if (cost > 0) yield { short };
}

const isLong = (value: unknown, pieceLength: number): value is Long =>
  isDivisible(value) && writingCost(value, pieceLength) >= pieceLength;

/** Other values are written as a whole, in their own way: a date, or a long number that keeps its digits. */
function isDivisible(value: unknown): value is Long {
  if (typeof value === "string" || Array.isArray(value)) return true;
  if (typeof value !== "object" || value === null || "toJSON" in value) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** Writing a number or a short text costs about as much as writing this many characters of a long one. */
const valueCost = 8;

/** Estimates what writing the value costs, in characters. It stops counting when `enough` is reached. */
export function writingCost(value: unknown, enough: number): number {
  if (typeof value === "string") return value.length + valueCost;
  let cost = valueCost;
  if (typeof value !== "object" || value === null || !isDivisible(value)) return cost;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && cost < enough; index++)
      cost += writingCost(value[index], enough - cost);
    return cost;
  }
  for (const name in value) {
    // Any object can be read by name; the values are unknown again.
    cost += name.length + writingCost((value as Record<string, unknown>)[name], enough - cost);
    if (cost >= enough) return cost;
  }
  return cost;
}

/** Returns a length that the written text has at least. It stops counting above `enough`. Writing takes ten times as long. */
function leastLength(value: unknown, enough: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "number" || typeof value === "boolean") return 1;
  if (typeof value !== "object" || value === null || !isDivisible(value)) return 0;
  let length = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && length <= enough; index++) {
      length += 1 + leastLength(value[index], enough - length);
    }
    return length;
  }
  for (const name in value) {
    // Any object can be read by name; the values are unknown again. A member may be left out if it has no length.
    const own = leastLength((value as Record<string, unknown>)[name], enough - length);
    if (own > 0) length += name.length + own;
    if (length > enough) return length;
  }
  return length;
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code < 0xdc00;

/**
 * Cuts a text into slices of about this many characters, never inside a surrogate pair, whose halves cannot be written
 * alone.
 */
export function* textSlices(text: string, length: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = from + length;
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}
