import { setImmediate as nextTurn } from "node:timers/promises";
import { bytesInTurns } from "./bytes-in-turns.ts";

/** Thrown if the JSON is nested deeper than allowed. */
export class TooDeep extends Error {}
/** Thrown if an object of the JSON has a member twice: of the two, a parser drops one. */
export class MemberTwice extends Error {}

/** The members of all objects of a parsed value. If the text had more, at least one was given twice. */
export function membersParsed(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += membersParsed(element);
    return count;
  }
  // Parsed objects have no inherited members.
  for (const name in value) count += 1 + membersParsed((value as Record<string, unknown>)[name]);
  return count;
}

export interface TurnSettings {
  /** Parses the text of a piece: a complete list or object. */
  readonly parse: (text: string) => unknown;
  readonly maxDepth: number;
  readonly pieceBytes?: number;
  /** Whether a member that is given twice is refused. Otherwise the last one counts, as with JSON.parse. */
  readonly refusesTwice?: boolean;
}

/** Parsing this much takes about a millisecond. */
const defaultPieceBytes = 64 * 1024;

/** Parsing this much at once takes a few milliseconds. */
const longText = 256 * 1024;

/** Parses a text that was written from a checked value, however long it is. */
export async function parseStored(text: string | Buffer): Promise<unknown> {
  if (text.length <= longText) return JSON.parse(text.toString());
  const bytes = typeof text === "string" ? await bytesInTurns([text]) : text;
  return await parseInTurns(bytes, { parse: JSON.parse, maxDepth: Number.POSITIVE_INFINITY });
}

/** A list or an object that has begun and not ended. */
interface Open {
  readonly isList: boolean;
  readonly start: number;
  /** The bytes from here on are not parsed yet. */
  from: number;
  lastComma: number;
  /** The value so far; null while all of it fits into one piece. */
  value: unknown[] | Record<string, unknown> | null;
  /** In an object: the name of the open member. */
  name: string;
  /** Whether the last element was added as a value, so that only a comma or the end may follow. */
  isAfterValue: boolean;
}

/**
 * Parses a long JSON text with the same result as JSON.parse, but lets other work of this thread run between two
 * pieces: ten megabytes at once would stall every request for a tenth of a second. Throws if it is not JSON.
 */
export async function parseInTurns(bytes: Buffer, settings: TurnSettings): Promise<unknown> {
  const { maxDepth, pieceBytes = defaultPieceBytes, refusesTwice = false } = settings;
  let written = 0;
  let read = 0;
  const parse = (text: string): unknown => {
    const value = settings.parse(text);
    if (refusesTwice) read += membersParsed(value);
    return value;
  };
  const once = (value: unknown): unknown => {
    if (refusesTwice && written !== read) throw new MemberTwice();
    return value;
  };
  const set = (object: object, name: string, value: unknown): void => {
    if (refusesTwice && Object.hasOwn(object, name)) throw new MemberTwice();
    setMember(object, name, value);
  };
  const open: Open[] = [];
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const textOf = (from: number, to: number) => bytes.toString("utf8", from, to);
  const isBlank = (from: number, to: number) => {
    for (let at = from; at < to; at++) if (!isSpace(bytes[at])) return false;
    return true;
  };

  /** Parses and adds the elements up to here. After a comma there must be one. */
  const add = (one: Open, end: number) => {
    if (one.isAfterValue ? !isBlank(one.from, end) : isBlank(one.from, end)) throw notJson();
    if (!one.isAfterValue) {
      const parsed = parse(wrapped(one, textOf(one.from, end)));
      if (Array.isArray(one.value) && Array.isArray(parsed)) for (const element of parsed) one.value.push(element);
      else if (one.value !== null) {
        for (const [name, member] of Object.entries(parsed ?? {})) set(one.value, name, member);
      }
    }
    one.from = end + 1;
    one.isAfterValue = false;
  };

  /** Adds the elements before an open element to the list or object around it. */
  const addBefore = (around: Open, start: number) => {
    if (around.lastComma >= around.from) add(around, around.lastComma);
    const before = textOf(around.from, start).trim();
    if (around.isList ? before !== "" : !before.endsWith(":")) throw notJson();
    around.name = around.isList ? "" : String(JSON.parse(before.slice(0, -1)));
  };

  /** Gives every open list and object a value to add to. */
  const begin = () => {
    for (const [index, one] of open.entries()) {
      const around = open[index - 1];
      if (one.value !== null) continue;
      if (around !== undefined) addBefore(around, one.start);
      one.value = one.isList ? [] : {};
    }
  };

  const cut = (end: number) => {
    begin();
    const last = open.at(-1);
    if (last !== undefined) add(last, end);
  };

  /** Adds an element or member that is already parsed and ends here. */
  const addValue = (around: Open, value: unknown, end: number) => {
    if (Array.isArray(around.value)) around.value.push(value);
    else if (around.value !== null) {
      read++;
      set(around.value, around.name, value);
    }
    around.from = end + 1;
    around.isAfterValue = true;
  };

  const close = (at: number): { readonly value: unknown } | null => {
    const closed = open.pop();
    if (closed === undefined || closed.isList !== (bytes[at] === 0x5d)) throw notJson();
    if (closed.value !== null) add(closed, at);
    const around = open.at(-1);
    if (around === undefined) {
      if (!isBlank(at + 1, bytes.length)) throw notJson();
      return { value: once(closed.value ?? parse(textOf(start, bytes.length))) };
    }
    if (closed.value !== null) addValue(around, closed.value, at);
    return null;
  };

  /**
   * Adds a long text as a separate element or member. As part of a piece, it would be read several times in one turn.
   */
  const addText = async (from: number, end: number) => {
    const last = open.at(-1);
    // A long name of a member is parsed together with the member.
    if (last === undefined || (!last.isList && bytes[beforeSpace(bytes, from)] !== 0x3a)) return;
    if (last.isAfterValue) throw notJson();
    begin();
    addBefore(last, from);
    const parts: string[] = [];
    for (let at = from + 1; at < end; ) {
      const to = cutInText(bytes, at, { to: at + pieceBytes, end });
      parts.push(String(JSON.parse(`"${textOf(at, to)}"`)));
      at = to;
      await nextTurn();
    }
    addValue(last, parts.join(""), end);
  };

  let nextTurnAt = pieceBytes;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) {
      const from = at;
      at = endOfText(bytes, from + 1, from + pieceBytes);
      if (at < 0) at = await endOfLongText(bytes, ~at, pieceBytes);
      if (at - from >= pieceBytes && at < bytes.length) await addText(from, at);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (open.length === 0 && !isBlank(start, at)) throw notJson();
      if (open.length >= maxDepth) throw new TooDeep();
      const isList = byte === 0x5b;
      open.push({ isList, start: at, from: at + 1, lastComma: -1, value: null, name: "", isAfterValue: false });
    } else if (byte === 0x7d || byte === 0x5d) {
      const done = close(at);
      if (done !== null) return done.value;
    } else if (byte === 0x2c) {
      const last = open.at(-1);
      if (last === undefined) throw notJson();
      if (last.isAfterValue) add(last, at);
      else if (at - last.from >= pieceBytes) cut(at);
      last.lastComma = at;
    } else if (byte === 0x3a) written++;
    if (at < nextTurnAt) continue;
    nextTurnAt = at + pieceBytes;
    await nextTurn();
  }
  if (open.length > 0) throw notJson();
  return once(parse(textOf(start, bytes.length)));
}

const wrapped = ({ isList }: Open, text: string) => (isList ? `[${text}]` : `{${text}}`);

/** Sets a member as JSON.parse does: a member named __proto__ is an ordinary one. */
function setMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Returns where the text that begins here ends: at its closing quote, or at the end of the bytes. Returns ~at if it
 * does not end before `limit`; the search goes on there.
 */
function endOfText(bytes: Buffer, start: number, limit: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== 0x22) {
    if (at >= limit) return ~at;
    at += bytes[at] === 0x5c ? 2 : 1;
  }
  return Math.min(at, bytes.length);
}

/** Finds the end of a text of megabytes. Other work of this thread runs meanwhile. */
async function endOfLongText(bytes: Buffer, start: number, pieceBytes: number): Promise<number> {
  for (let from = start; ; ) {
    const to = from + pieceBytes;
    const piece = bytes.subarray(from, to);
    // Most long texts are images, which have no escapes.
    const isPlain = to < bytes.length && !piece.includes(0x22) && !piece.includes(0x5c);
    const end = isPlain ? ~to : endOfText(bytes, from, to);
    if (end >= 0) return end;
    from = ~end;
    await nextTurn();
  }
}

/** Returns the first place from `to` on where a text can be cut without cutting a character or an escape. */
function cutInText(bytes: Buffer, from: number, { to, end }: { readonly to: number; readonly end: number }): number {
  let at = from;
  while (at < to) at += bytes[at] !== 0x5c ? 1 : bytes[at + 1] === 0x75 ? 6 : 2;
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return Math.min(at, end);
}

/** Returns the last place before this one that is not white space. */
function beforeSpace(bytes: Buffer, end: number): number {
  let at = end - 1;
  while (isSpace(bytes[at])) at--;
  return at;
}

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

const notJson = () => new SyntaxError("it is not JSON");
