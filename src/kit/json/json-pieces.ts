const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/** Some complete elements of a list, with the commas between them. */
export interface JsonPiece {
  readonly bytes: Uint8Array;
  /** The offset of the piece in the whole text. */
  readonly start: number;
  /** The number of elements; 1 for an empty list. */
  readonly elements: number;
}

/**
 * Splits a JSON list at the commas between its elements, into pieces of about the given size and at most the given
 * number of elements. It only scans for commas: whether a piece is valid shows when it is parsed. Returns null if the
 * bytes are not a list with an end.
 */
export function jsonPieces(
  bytes: Uint8Array,
  pieceBytes: number,
  pieceElements = Infinity,
): readonly JsonPiece[] | null {
  const start = afterSpace(bytes, hasByteOrderMark(bytes) ? 3 : 0);
  if (bytes[start] !== openBracket) return null;
  const pieces: JsonPiece[] = [];
  let from = start + 1;
  let depth = 1;
  let elements = 1;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      at++;
      while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
    } else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (depth > 0) continue;
      if (byte !== closeBracket || afterSpace(bytes, at + 1) < bytes.length) return null;
      // A list may be empty, but after a comma there must be an element.
      if (pieces.length > 0 && afterSpace(bytes, from) === at) return null;
      pieces.push({ bytes: bytes.subarray(from, at), start: from, elements });
      return pieces;
    } else if (byte === comma && depth === 1) {
      if (at - from < pieceBytes && elements < pieceElements) elements++;
      else {
        pieces.push({ bytes: bytes.subarray(from, at), start: from, elements });
        from = at + 1;
        elements = 1;
      }
    }
  }
  return null;
}

const hasByteOrderMark = (bytes: Uint8Array) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  // Space, tab, line feed and carriage return are the white space of JSON.
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return at;
}
