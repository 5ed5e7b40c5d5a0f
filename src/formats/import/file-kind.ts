import { asBuffer } from "../encodings/encoding.ts";

const localEntry = "PK\u0003\u0004";
const directoryEntry = "PK\u0001\u0002";
const directoryEnd = "PK\u0005\u0006";
const maxNames = 200;

/**
 * Names of the files in a ZIP archive: from its directory or, if the archive is cut off, from the entries that
 * exist. The directory comes first because an archive inside the archive has entries too.
 */
function zipNames(bytes: Buffer): string[] {
  const end = bytes.lastIndexOf(directoryEnd, undefined, "latin1");
  const start = end < 0 || end + 20 > bytes.length ? bytes.length : bytes.readUInt32LE(end + 16);
  const listed = namesAt(bytes, { signature: directoryEntry, from: start, lengthAt: 28, nameAt: 46 });
  return listed.length > 0 ? listed : namesAt(bytes, { signature: localEntry, from: 0, lengthAt: 26, nameAt: 30 });
}

/**
 * Entries are found by their signatures: sizes are often written only after the content, so entries cannot be skipped.
 */
function namesAt(
  bytes: Buffer,
  layout: { signature: string; from: number; lengthAt: number; nameAt: number },
): string[] {
  const { signature, lengthAt, nameAt } = layout;
  const names: string[] = [];
  let at = bytes.indexOf(signature, layout.from, "latin1");
  while (at >= 0 && at + nameAt < bytes.length && names.length < maxNames) {
    const start = at + nameAt;
    names.push(bytes.toString("latin1", start, start + bytes.readUInt16LE(at + lengthAt)));
    at = bytes.indexOf(signature, start, "latin1");
  }
  return names;
}

/** Kinds of files that people send by mistake; each has a text that says what to do instead. */
export type ForeignKind = "excel" | "pdf" | "image" | "archive" | "xml" | "binary";

const signatures: readonly (readonly [ForeignKind, readonly number[]])[] = [
  ["excel", [0xd0, 0xcf, 0x11, 0xe0]],
  ["pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ["image", [0x89, 0x50, 0x4e, 0x47]],
  ["image", [0xff, 0xd8, 0xff]],
  ["image", [0x47, 0x49, 0x46, 0x38]],
  ["image", [0x52, 0x49, 0x46, 0x46]],
  ["image", [0x49, 0x49, 0x2a, 0x00]],
  ["image", [0x4d, 0x4d, 0x00, 0x2a]],
  ["archive", [0x1f, 0x8b, 0x08]],
  ["archive", [0x52, 0x61, 0x72, 0x21, 0x1a]],
  ["archive", [0x37, 0x7a, 0xbc, 0xaf]],
  ["binary", [0x7b, 0x5c, 0x72, 0x74, 0x66]],
  ["binary", [0x7f, 0x45, 0x4c, 0x46]],
];
const zipSignatures: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x50, 0x4b, 0x05, 0x06],
];

/** The kind of a file that is certainly neither CSV nor JSON, by its first bytes; null for all others. */
export function foreignKind(bytes: Uint8Array): ForeignKind | null {
  const startsWith = (signature: readonly number[]) => signature.every((byte, index) => bytes[index] === byte);
  if (zipSignatures.some(startsWith)) return zipKind(asBuffer(bytes));
  const found = signatures.find(([, signature]) => startsWith(signature));
  if (found !== undefined) return found[0];
  return /^\s*<(?:\?xml|!doctype|html|[a-z][\w:.-]*[\s>])/i.test(head(bytes, 0, 200)) ? "xml" : null;
}

const officeFolders = /^(?:_rels|docProps|customXml)\/|^\[Content_Types\]\.xml$/;

/** Office documents are ZIP archives too, with files in any order; the folder names show which program wrote them. */
function zipKind(bytes: Buffer): "excel" | "binary" | "archive" {
  const names = zipNames(bytes);
  const holds = (pattern: RegExp) => names.some((name) => pattern.test(name));
  if (holds(/^xl\//) || head(bytes, 0, 200).includes("opendocument.spreadsheet")) return "excel";
  if (holds(/^(?:word|ppt|visio)\//)) return "binary";
  return holds(officeFolders) ? "excel" : "archive";
}

const head = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.subarray(from, to)).toString("latin1").replace(/^ï»¿/, "");
