import { isUtf8 } from "node:buffer";
import { jsonLimitsOf, limits } from "../../contract/limits.ts";
import type { Problem } from "../../contract/validate/problem.ts";
import { jsonErrorAt } from "../../kit/json/json-error-at.ts";
import { parseJson } from "../../kit/json/parse/parse-json.ts";
import { type JsonFlaw, type JsonLimits, scanJson } from "../../kit/json/scan-json.ts";

export type JsonReading =
  | { readonly value: unknown /** The text as it was sent, without a byte-order mark. */; readonly text: string }
  | { readonly problem: Problem };

const byteOrderMark = "\uFEFF";

/** Limits for documents of any form, such as a push with a mapping. */
const freeBounds: JsonLimits = { ...jsonLimitsOf(undefined), elements: limits.elementsPerPush };

/** Nearly no event has an escape, and only names that are written with one need more than `JSON.parse`. */
const parseUsual = (text: string): unknown => (text.includes("\\") ? parseJson(text) : JSON.parse(text));

/** Parses bytes into a value. An error is returned as a problem of the input and never thrown. */
export function readJson(
  bytes: Uint8Array | undefined,
  bounds: JsonLimits = freeBounds,
  parse: (text: string) => unknown = parseUsual,
): JsonReading {
  if (bytes === undefined || bytes.length === 0) return { problem: { field: "", expected: "json", detail: "0" } };
  // A lossy decoding would change what is stored; the journal promises the original text.
  if (!isUtf8(bytes)) return { problem: { field: "", expected: "utf-8" } };
  const flaw = scanJson(bytes, bounds);
  if (flaw !== null) return { problem: problemOf(flaw, bounds) };
  const decoded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const text = decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded;
  try {
    const value = parse(text);
    const alien = mayHoldProto(text) ? findProto(value, "") : null;
    return alien === null ? { value, text } : { problem: { field: alien, expected: "valid", detail: "__proto__" } };
  } catch {
    return { problem: { field: "", expected: "json", detail: String(jsonErrorAt(text) ?? text.length) } };
  }
}

/** Each flaw is an expectation of the same name. Flaws that exceed a limit also name the limit. */
function problemOf({ flaw, field }: JsonFlaw, { depth, members, elements, nameLength: length }: JsonLimits): Problem {
  const limit = { depth, members, elements, length, "duplicate-member": undefined, "lone-surrogate": undefined }[flaw];
  return { field, expected: flaw, ...(limit === undefined ? {} : { detail: String(limit) }) };
}

/**
 * A fast test for the usual body: looks for the name itself, or for an escape that could spell it. The end of the name
 * is searched first: bodies with JSON inside strings are full of backslashes, and a search that stops at each takes ten
 * times as long.
 */
const mayHoldProto = (text: string) => text.includes("__proto__") || (text.includes("u00") && text.includes("\\u00"));

/**
 * Returns the path of a member named __proto__. Nobody sends it in good faith, and copying it would change a prototype.
 */
function findProto(value: unknown, field: string): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const place = Array.isArray(value) ? `${field}[${name}]` : field === "" ? name : `${field}.${name}`;
    if (name === "__proto__") return place;
    const found = findProto(member, place);
    if (found !== null) return found;
  }
  return null;
}
