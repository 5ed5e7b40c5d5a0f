import iconv from "iconv-lite";

export const encodings = ["utf-8", "utf-16le", "utf-16be", "windows-1252", "windows-1250", "cp850", "cp437"] as const;
export type Encoding = (typeof encodings)[number];

const pieceLength = 1 << 18;

/** The only places where Windows-1252 differs from Latin-1, which Node decodes at memory speed. */
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
const differing = /[\u0080-\u009f]/g;

/**
 * The text of a file, in pieces of a fixed size: the whole text beside the whole file would double the memory.
 * Returns null after the last piece.
 */
export function textPieces(bytes: Uint8Array, encoding: Encoding): () => string | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  return () => {
    if (at >= buffer.length) return null;
    const end = safeEnd(buffer, at + pieceLength, encoding);
    const text = decode(buffer.subarray(at, end), encoding);
    at = end;
    return text;
  };
}

function safeEnd(buffer: Buffer, wanted: number, encoding: Encoding): number {
  if (wanted >= buffer.length) return buffer.length;
  if (encoding !== "utf-8") return wanted;
  let end = wanted;
  // Never inside a character: bytes 10xxxxxx go on with one.
  while (((buffer[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

export function decode(bytes: Buffer, encoding: Encoding): string {
  if (encoding === "utf-8") return bytes.toString("utf8");
  if (encoding === "utf-16le") return bytes.toString("utf16le");
  if (encoding === "utf-16be")
    return Buffer.from(bytes.subarray(0, bytes.length & ~1))
      .swap16()
      .toString("utf16le");
  if (encoding !== "windows-1252") return iconv.decode(bytes, encoding);
  return bytes.toString("latin1").replace(differing, (character) => windows1252[character.charCodeAt(0) - 0x80] ?? "");
}

const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** The encoding that a byte order mark names, and how long the mark is. */
export function byteOrderMark(bytes: Uint8Array): { encoding: Encoding; length: number } | null {
  const found = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  return found === undefined ? null : { encoding: found[0], length: found[1].length };
}
