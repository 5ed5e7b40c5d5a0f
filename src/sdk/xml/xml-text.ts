import { isUtf8 } from "node:buffer";
import { asBuffer, byteOrderMark, decode, type Encoding } from "../records/encoding.ts";

const encodingByName: Readonly<Record<string, Encoding>> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "utf-8",
  // What says Latin-1 is mostly Windows-1252, and where it is not both are the same.
  "iso-8859-1": "windows-1252",
  latin1: "windows-1252",
  "windows-1252": "windows-1252",
  "windows-1250": "windows-1250",
  "utf-16": "utf-16le",
  "utf-16le": "utf-16le",
  "utf-16be": "utf-16be",
};

/** A document as text, by its byte order mark, the zeros of UTF-16, or what its first line says; or why not. */
export function xmlText(bytes: Uint8Array): { readonly text: string } | { readonly unreadable: string } {
  const buffer = asBuffer(bytes);
  const mark = byteOrderMark(bytes);
  if (mark !== null) return { text: decode(buffer, mark.encoding, mark.length) };
  if (bytes[1] === 0) return { text: decode(buffer, "utf-16le") };
  if (bytes[0] === 0) return { text: decode(buffer, "utf-16be") };
  const head = buffer.toString("latin1", 0, 200);
  const named = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/i.exec(head)?.[1];
  const encoding = named === undefined ? "utf-8" : encodingByName[named.toLowerCase()];
  if (encoding === undefined) return { unreadable: `the encoding ${named} is not known here; write the file as UTF-8` };
  if (encoding === "utf-8" && !isUtf8(buffer)) {
    return { unreadable: "the file is not UTF-8; write it as UTF-8, or name its encoding in the first line" };
  }
  return { text: decode(buffer, encoding) };
}
