import { localise } from "../../messages/localise.ts";
import { asBuffer, byteOrderMark, decode, type Encoding, encodings } from "../records/encoding.ts";
import { findEncoding } from "../records/encodings/find-encoding.ts";

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
  const head = buffer.toString("latin1", 0, 200);
  const named = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/i.exec(head)?.[1];
  const said = named === undefined ? "utf-8" : encodingNamed(named.toLowerCase());
  if (said === undefined) return { unreadable: `the encoding ${named} is not known here; write the file as UTF-8` };
  const isWide = byteOrderMark(bytes) === null && (bytes[0] === 0 || bytes[1] === 0);
  const found = findEncoding(bytes, isWide ? (bytes[1] === 0 ? "utf-16le" : "utf-16be") : said);
  if ("encoding" in found) return { text: decode(buffer, found.encoding, found.markLength) };
  if (said === "utf-8" && byteOrderMark(bytes) === null && found.refusal.key === "files.encoding.invalid") {
    return { unreadable: "the file is not UTF-8; write it as UTF-8, or name its encoding in the first line" };
  }
  return { unreadable: localise(found.refusal, "en") };
}

const encodingNamed = (name: string): Encoding | undefined =>
  encodingByName[name] ?? encodings.find((encoding) => encoding === name);
