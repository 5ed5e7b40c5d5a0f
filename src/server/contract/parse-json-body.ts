import { isUtf8 } from "node:buffer";
import { jsonLimitsOf, limits } from "../../contract/limits.ts";
import type { Problem } from "../../contract/validate/validator.ts";
import { type JsonFlaw, type JsonLimits, scanJson } from "../../kit/json/scan-json.ts";

export type JsonReading =
  | { readonly value: unknown /** The text as it was sent, less a byte-order mark. */; readonly text: string }
  | { readonly problem: Problem };

const byteOrderMark = "\uFEFF";

/** Of documents that are in no form of ours: what a push with a mapping holds. */
const freeBounds: JsonLimits = { ...jsonLimitsOf(undefined), elements: limits.elementsPerPush };

/** Bytes to a value: whatever is wrong with them is a problem of the input, never an exception. */
export function readJson(
  bytes: Uint8Array | undefined,
  bounds: JsonLimits = freeBounds,
  parse: (text: string) => unknown = JSON.parse,
): JsonReading {
  if (bytes === undefined || bytes.length === 0) return { problem: { field: "", expected: "json", detail: "0" } };
  // A lossy decoding would change what is written down; the journal promises the text as it was sent.
  if (!isUtf8(bytes)) return { problem: { field: "", expected: "utf-8" } };
  const flaw = scanJson(bytes, bounds);
  if (flaw !== null) return { problem: problemOf(flaw, bounds) };
  const decoded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const text = decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded;
  try {
    const value = parse(text);
    const alien = mayHoldProto(text) ? findProto(value, "") : null;
    return alien === null ? { value, text } : { problem: { field: alien, expected: "valid", detail: "__proto__" } };
  } catch (error) {
    return { problem: { field: "", expected: "json", detail: positionOf(error, text) } };
  }
}

/** Each flaw is an expectation of that name; those of a limit tell it. */
function problemOf({ flaw, field }: JsonFlaw, { depth, members, elements, nameLength: length }: JsonLimits): Problem {
  const limit = { depth, members, elements, length, "duplicate-member": undefined, "lone-surrogate": undefined }[flaw];
  return { field, expected: flaw, ...(limit === undefined ? {} : { detail: String(limit) }) };
}

/** A document that ends too early has no position of its own: it is the end. */
const positionOf = (error: unknown, text: string) => /position (\d+)/.exec(String(error))?.[1] ?? String(text.length);

/**
 * Cheap for the usual body: the name itself, or an escape that could spell it. Its tail is looked for first:
 * bodies with JSON inside texts are full of backslashes, and a search that stops at each takes ten times as long.
 */
const mayHoldProto = (text: string) => text.includes("__proto__") || (text.includes("u00") && text.includes("\\u00"));

/** Where a member named __proto__ stands. Nobody sends one in good faith, and copying it would change a prototype. */
function findProto(value: unknown, field: string): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const place = field === "" ? name : `${field}.${name}`;
    if (name === "__proto__") return place;
    const found = findProto(member, place);
    if (found !== null) return found;
  }
  return null;
}
