import { setImmediate as nextTurn } from "node:timers/promises";

/** The JSON is nested deeper than allowed. */
export class TooDeep extends Error {}

export interface TurnSettings {
  /** Parses the text of a piece: a complete list or object. */
  readonly parse: (text: string) => unknown;
  readonly maxDepth: number;
  readonly pieceBytes?: number;
}

/** Parsed in about a millisecond. */
const defaultPieceBytes = 64 * 1024;

/** A list or an object that has begun. */
interface Open {
  readonly isList: boolean;
  readonly start: number;
  /** From here on it is not parsed yet. */
  from: number;
  lastComma: number;
  /** The value so far; null while the whole of it fits a piece. */
  value: unknown[] | Record<string, unknown> | null;
  /** The name of the member that is open, in an object. */
  name: string;
  /** The last element was added as a value, so only a comma or the end may follow. */
  isAfterValue: boolean;
}

/**
 * Parses a long JSON text with the same result as at once, but lets other work of this thread run between two pieces:
 * ten megabytes at once would stall every request for a tenth of a second. Throws if it is not JSON.
 */
export async function parseInTurns(bytes: Buffer, settings: TurnSettings): Promise<unknown> {
  const { parse, maxDepth, pieceBytes = defaultPieceBytes } = settings;
  const open: Open[] = [];
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const textOf = (from: number, to: number) => bytes.toString("utf8", from, to);
  const isBlank = (from: number, to: number) => {
    for (let at = from; at < to; at++) if (!isSpace(bytes[at])) return false;
    return true;
  };

  /** Adds the elements that are parsed up to here. After a comma there must be one. */
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

  /** What stands before an open element is added to the list or object around it. */
  const addBefore = (around: Open, inner: Open) => {
    if (around.lastComma >= around.from) add(around, around.lastComma);
    const before = textOf(around.from, inner.start).trim();
    if (around.isList ? before !== "" : !before.endsWith(":")) throw notJson();
    around.name = around.isList ? "" : String(JSON.parse(before.slice(0, -1)));
  };

  const cut = (end: number) => {
    for (const [index, one] of open.entries()) {
      const around = open[index - 1];
      if (one.value !== null) continue;
      if (around !== undefined) addBefore(around, one);
      one.value = one.isList ? [] : {};
    }
    const last = open.at(-1);
    if (last !== undefined) add(last, end);
  };

  const close = (at: number): { readonly value: unknown } | null => {
    const closed = open.pop();
    if (closed === undefined || closed.isList !== (bytes[at] === 0x5d)) throw notJson();
    if (closed.value !== null) add(closed, at);
    const around = open.at(-1);
    if (around === undefined) {
      if (!isBlank(at + 1, bytes.length)) throw notJson();
      return { value: closed.value ?? parse(textOf(start, bytes.length)) };
    }
    if (closed.value === null) return null;
    if (Array.isArray(around.value)) around.value.push(closed.value);
    else if (around.value !== null) set(around.value, around.name, closed.value);
    around.from = at + 1;
    around.isAfterValue = true;
    return null;
  };

  let nextTurnAt = pieceBytes;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) {
      at++;
      while (at < bytes.length && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
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
    }
    if (at < nextTurnAt) continue;
    nextTurnAt = at + pieceBytes;
    await nextTurn();
  }
  if (open.length > 0) throw notJson();
  return parse(textOf(start, bytes.length));
}

const wrapped = ({ isList }: Open, text: string) => (isList ? `[${text}]` : `{${text}}`);

/** As JSON.parse does it: also a member named __proto__ is an ordinary one. */
function set(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

const notJson = () => new SyntaxError("it is not JSON");
