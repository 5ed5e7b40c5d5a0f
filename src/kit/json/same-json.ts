import { isDeepStrictEqual } from "node:util";

/** A JSON text that is read when it is first asked for, and once. */
export interface JsonText {
  readonly text: string;
  readonly value: () => unknown;
}

export function jsonText(text: string): JsonText {
  let read: { readonly value: unknown } | undefined;
  return {
    text,
    value: () => {
      read ??= { value: JSON.parse(text) };
      return read.value;
    },
  };
}

/** Whether two JSON texts say the same, whatever their spacing and the order of their members. */
export function sameJson(one: JsonText, other: JsonText): boolean {
  if (one.text === other.text) return true;
  // Texts of very different length can only be equal by white space; nobody sends the same event so differently.
  const longer = Math.max(one.text.length, other.text.length);
  if (Math.abs(one.text.length - other.text.length) > 0.5 * longer) return false;
  if (lacksFirstDifference(other.text, one.text)) return false;
  return !lacksOneOf(other.text, one.value()) && isDeepStrictEqual(one.value(), other.value());
}

/** Only these are spelled alike in every text that says them, unless it spells letters by their numbers. */
const plain = /^[\w .-]*$/;

/**
 * Whether the texts part within a plain string that is nowhere in the other one: then neither need be read. Between
 * two strings there is always a sign that is not plain.
 */
function lacksFirstDifference(text: string, one: string): boolean {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === text.charCodeAt(at)) at++;
  const begin = one.lastIndexOf('"', at - 1);
  const end = one.indexOf('"', at);
  if (begin < 0 || end < 0 || !plain.test(one.slice(begin + 1, end))) return false;
  return !text.includes(one.slice(begin, end + 1)) && !text.includes("\\u");
}

/** Whether a plain string of the value is nowhere in the text: then the text need not be read. */
function lacksOneOf(text: string, value: unknown): boolean {
  if (typeof value !== "object" || value === null || text.includes("\\u")) return false;
  for (const member of Object.values(value)) {
    if (typeof member === "string" && plain.test(member) && !text.includes(member)) return true;
  }
  return false;
}
