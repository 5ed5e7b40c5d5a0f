import { memberNames } from "./member-names.ts";
import { placeInJson } from "./place-in-json.ts";

/** Limits for every object and every list of a document. */
export interface JsonLimits {
  readonly depth: number;
  /** The most members of one object. */
  readonly members?: number;
  /** The most elements of one list. */
  readonly elements?: number;
  /** The longest name of a member, in characters. */
  readonly nameLength?: number;
  /**
   * The names, in lower case, of members whose object is a map. Its names are data, such as item numbers, and two names
   * that differ only in case are different.
   */
  readonly maps?: ReadonlySet<string>;
}

/** The problem and its place, as a person writes it: `requests[0].itemNumber`. */
export interface JsonFlaw {
  readonly flaw: "depth" | "members" | "elements" | "length" | "duplicate-member" | "lone-surrogate";
  readonly field: string;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
const comma = 0x2c;
const letterU = 0x75;

const inList = 0;
const inObject = 1;
/** The current object is a map, so its names are data. */
const inMap = 2;

/** The body that is being scanned. There is only one at a time, because the scan is synchronous. */
let bytes: Uint8Array = new Uint8Array();
/** Whether names are compared case-sensitively. */
let isExact = false;
let nameHash = 0;
const maxCount = 2 ** 31 - 1;
const names = memberNames(isSameName);

/**
 * Scans JSON bytes before they are parsed, so that the parser never gets input that would stop the process: millions
 * of members or a million nested brackets. It also finds what a parser would hide: of a duplicate member (also by
 * escapes or in a different case) a parser drops one, and the next reader of the same bytes may keep the other.
 */
export function scanJson(given: Uint8Array, limits: JsonLimits): JsonFlaw | null {
  bytes = given;
  const { depth: maxDepth, members: maxMembers = maxCount, elements: maxElements = maxCount, maps } = limits;
  const { nameLength: maxNameLength = maxCount } = limits;
  const end = given.length;
  /** The kind of each enclosing object or list, by depth. */
  const kinds = new Uint8Array(maxDepth + 2);
  const counts = new Int32Array(maxDepth + 2);
  names.begin();
  let depth = 0;
  let kind = inList;
  let count = 0;
  let isNameNext = false;
  let isMapNext = false;

  for (let at = 0; at < end; at++) {
    const byte = given[at];
    if (byte === quote) {
      const start = at + 1;
      if (!isNameNext) {
        at = endOfText(start);
        if (at < 0) return { flaw: "lone-surrogate", field: placeInJson(given, ~at) };
        continue;
      }
      isNameNext = false;
      isExact = kind === inMap;
      at = endOfName(start);
      if (at < 0) return { flaw: "lone-surrogate", field: placeInJson(given, ~at) };
      // There are never more characters than bytes, so they are counted only if there may be too many.
      if (at - start > maxNameLength && nameAt(start, at).length > maxNameLength) {
        return { flaw: "length", field: placeInJson(given, at + 1) };
      }
      if (++count > maxMembers) return { flaw: "members", field: placeInJson(given, start, 1) };
      const isTwice = names.hasOrAdd(nameHash, start, at);
      if (isTwice) return { flaw: "duplicate-member", field: placeInJson(given, at + 1) };
      if (maps !== undefined) isMapNext = maps.has(folded(nameAt(start, at)));
    } else if (byte === comma) {
      if (kind !== inList) isNameNext = true;
      else if (++count >= maxElements && depth > 0) return { flaw: "elements", field: placeInJson(given, at, 1) };
    } else if (byte === openBrace || byte === openBracket) {
      counts[depth] = count;
      if (++depth > maxDepth) return { flaw: "depth", field: "" };
      count = 0;
      isNameNext = byte === openBrace;
      kind = byte === openBracket ? inList : isMapNext ? inMap : inObject;
      isMapNext = false;
      kinds[depth] = kind;
      if (isNameNext) names.openObject();
    } else if (byte === closeBrace || byte === closeBracket) {
      if (kind !== inList) names.closeObject();
      if (depth > 0) depth--;
      kind = kinds[depth] ?? inList;
      count = counts[depth] ?? 0;
      isNameNext = false;
    }
  }
  return null;
}

/**
 * Returns the position of the closing quote. Returns the end if there is none, which the parser reports, and ~at for
 * half a surrogate pair.
 */
function endOfText(start: number): number {
  const end = bytes.length;
  let at = start;
  while (at < end) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte !== backslash) at++;
    else if (bytes[at + 1] !== letterU) at += 2;
    else {
      const code = codeAt(at);
      const isPair = isHigh(code) && isLow(codeAt(at + 6));
      if (!isPair && (isHigh(code) || isLow(code))) return ~at;
      at += isPair ? 12 : 6;
    }
  }
  return end;
}

const isHigh = (code: number) => code >= 0xd800 && code < 0xdc00;
const isLow = (code: number) => code >= 0xdc00 && code < 0xe000;

/** Returns the number of an escape such as \u00e4; -1 if there is none. */
function codeAt(at: number): number {
  if (bytes[at] !== backslash || bytes[at + 1] !== letterU) return -1;
  let code = 0;
  for (let digit = at + 2; digit < at + 6; digit++) {
    const byte = bytes[digit] ?? 0;
    const letter = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) code = code * 16 + byte - 0x30;
    else if (letter >= 0x61 && letter <= 0x66) code = code * 16 + letter - 0x57;
    else return -1;
  }
  return code;
}

/**
 * Like `endOfText`, but for a name. It stores a hash in `nameHash` that is equal for all names that count as the same.
 * Plain names, the usual case, are hashed without creating a string.
 */
function endOfName(start: number): number {
  const end = bytes.length;
  let hash = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      nameHash = hash;
      return at;
    }
    if (byte >= 0x80 || byte === backslash) {
      const last = endOfText(start);
      if (last < 0) return last;
      const name = nameAt(start, last);
      nameHash = hashOfText(isExact ? name : folded(name));
      return last;
    }
    hash = (Math.imul(hash, 31) + (isExact || byte < 0x41 || byte > 0x5a ? byte : byte | 0x20)) | 0;
  }
  return end;
}

function hashOfText(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

function isSameName(start: number, end: number, start2: number, end2: number): boolean {
  const [one, other] = [nameAt(start, end), nameAt(start2, end2)];
  return one === other || (!isExact && folded(one) === folded(other));
}

function nameAt(start: number, end: number): string {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
  if (!raw.includes("\\")) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    // Not a valid escape: the parser reports it.
    return raw;
  }
}

/** Converts twice: some letters have a second lower-case or upper-case form that only one conversion reaches. */
const folded = (name: string) => name.toUpperCase().toLowerCase();

/**
 * Counts the members of all objects in JSON bytes. Returns null if they are nested deeper than this: they could be
 * parsed, but every later walk over the value would overflow the stack.
 */
export function membersWritten(bytes: Uint8Array, maxDepth: number): number | null {
  let depth = 0;
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) {
      at++;
      while (at < bytes.length && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) return null;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === 0x3a) count++;
  }
  return count;
}

/**
 * Writes a value as JSON that strict readers accept: half a surrogate pair, as at the end of a cut text, would make
 * them refuse the whole document.
 */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  // The start of an escaped half of a surrogate pair. Other text that looks like it only costs a second serialisation.
  if (!text.includes("\\ud")) return text;
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "string" ? member.toWellFormed() : member,
  );
}
