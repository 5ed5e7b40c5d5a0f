/**
 * Looks over JSON bytes before they are parsed. A million nested brackets parse well enough, but every
 * later walk over the value overflows the stack; and of a member given twice a parser silently drops one.
 */
export type JsonFlaw = { readonly flaw: "depth" } | { readonly flaw: "duplicate-member"; readonly name: string };

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
const colon = 0x3a;

export function scanJson(bytes: Uint8Array, maxDepth: number): JsonFlaw | null {
  let depth = 0;
  let topIsObject = false;
  let names: Set<string> | null = null;
  const end = bytes.length;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      const start = at + 1;
      at = endOfText(bytes, start);
      if (depth !== 1 || !topIsObject || !isFollowedByColon(bytes, at + 1)) continue;
      const name = Buffer.from(bytes.buffer, bytes.byteOffset + start, at - start).toString();
      names ??= new Set();
      if (names.has(name)) return { flaw: "duplicate-member", name };
      names.add(name);
    } else if (byte === openBrace || byte === openBracket) {
      if (depth === 0) topIsObject = byte === openBrace;
      if (++depth > maxDepth) return { flaw: "depth" };
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--;
    }
  }
  return null;
}

/** Position of the closing quote; the end of the input where there is none, which the parser will complain of. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return Math.min(at, bytes.length);
}

function isFollowedByColon(bytes: Uint8Array, start: number): boolean {
  let at = start;
  // Space, tab, line feed, carriage return: all that JSON allows between a name and its colon.
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return bytes[at] === colon;
}
