import iconv from "iconv-lite";

const unicode = ["utf-8", "utf-16le", "utf-16be"] as const;
/** Single-byte encodings of the seven languages, which are detected automatically. */
export const latinEncodings = [
  ...(["windows-1252", "windows-1250", "cp850", "iso-8859-2", "iso-8859-15", "cp852", "cp437", "macintosh"] as const),
] as const;
/** Encodings of other scripts and languages: suggested if a file looks like one, but used only if a setting says so. */
export const foreignEncodings = [
  ...(["windows-1251", "koi8-r", "cp866", "iso-8859-5", "windows-1253", "windows-1254"] as const),
  ...(["windows-1257", "maccenteuro"] as const),
] as const;
/** In these encodings the second byte of a character may be a letter, a quote or a delimiter. */
export const wideEncodings = ["shift_jis", "gb18030", "euc-kr", "euc-jp", "big5"] as const;

export const encodings = [...unicode, ...latinEncodings, ...foreignEncodings, ...wideEncodings] as const;
export type Encoding = (typeof encodings)[number];

/** The only positions where Windows-1252 differs from Latin-1, which Node decodes at memory speed. */
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
const differing = /[\u0080-\u009f]/g;

export function decode(bytes: Buffer, encoding: Encoding, from = 0, to = bytes.length): string {
  if (encoding === "utf-8") return bytes.toString("utf8", from, to);
  if (encoding === "utf-16le") return bytes.toString("utf16le", from, to);
  if (encoding === "utf-16be") {
    const even = from + ((to - from) & ~1);
    return Buffer.from(bytes.subarray(from, even)).swap16().toString("utf16le");
  }
  if (encoding !== "windows-1252") return iconv.decode(bytes.subarray(from, to), encoding);
  const latin1 = bytes.toString("latin1", from, to);
  return latin1.replace(differing, (character) => windows1252[character.charCodeAt(0) - 0x80] ?? "");
}

/** Encodings whose delimiters and line ends are not always single bytes. */
export const mustBeWrittenAnew: ReadonlySet<Encoding> = new Set(["utf-16le", "utf-16be", ...wideEncodings]);

/**
 * The bytes without byte order mark, in an encoding whose ASCII characters are single bytes, so that cells can be split
 * before they are decoded. UTF-16 and East Asian encodings are converted for that.
 */
export function asciiCompatible(
  bytes: Buffer,
  encoding: Encoding,
  markLength: number,
): { bytes: Buffer; encoding: Encoding } {
  if (!mustBeWrittenAnew.has(encoding)) return { bytes: withoutEndMark(bytes.subarray(markLength)), encoding };
  return { bytes: Buffer.from(decode(bytes, encoding, markLength), "utf8"), encoding: "utf-8" };
}

/** Decodes bytes that arrive in chunks; a character may be split between two chunks. */
export function pieceDecoder(encoding: Encoding): (piece: Buffer, isLast: boolean) => string {
  if (encoding === "utf-16le" || encoding === "utf-16be") {
    const decoder = new TextDecoder(encoding, { ignoreBOM: true });
    return (piece, isLast) => decoder.decode(piece, { stream: !isLast });
  }
  const decoder = iconv.getDecoder(encoding);
  return (piece, isLast) => decoder.write(piece) + (isLast ? (decoder.end() ?? "") : "");
}

const endMark = 0x1a;

/** Removes the trailing Ctrl-Z of DOS programs and the white space after it. */
export function withoutEndMark(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && isWhite(bytes[end - 1])) end--;
  if (bytes[end - 1] !== endMark) return bytes;
  while (bytes[end - 1] === endMark) end--;
  return bytes.subarray(0, end);
}

const isWhite = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d;

const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** The encoding that a byte order mark names, and the length of the mark. */
export function byteOrderMark(bytes: Uint8Array): { encoding: Encoding; length: number } | null {
  const found = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  return found === undefined ? null : { encoding: found[0], length: found[1].length };
}

/** The same memory as a Node Buffer. */
export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
