import { isDeepStrictEqual } from "node:util";
import { mayHoldLongNumbers, parseJsonKeepingDigits } from "./exact-number.ts";
import { parseJson } from "./parse/parse-json.ts";

/** A JSON text that is parsed once, when it is first needed. */
export interface JsonText {
  readonly text: string;
  readonly value: () => unknown;
}

export function jsonText(text: string): JsonText {
  let read: { readonly value: unknown } | undefined;
  return {
    text,
    value: () => {
      read ??= { value: parseJson(text) };
      return read.value;
    },
  };
}

/** Whether two JSON texts are equal, whatever their spacing and the order of their members. */
export function sameJson(one: JsonText, other: JsonText): boolean {
  if (one.text === other.text) return true;
  // Texts of very different length could be equal only because of white space, and no sender repeats an event like
  // that.
  const longer = Math.max(one.text.length, other.text.length);
  if (Math.abs(one.text.length - other.text.length) > 0.5 * longer) return false;
  if (lacksFirstDifference(other.text, one.text)) return false;
  if (lacksOneOf(other.text, one.value()) || !isDeepStrictEqual(one.value(), other.value())) return false;
  if (!mayHoldLongNumbers(one.text)) return true;
  // Long numbers are compared by their digits: two that differ may become the same JavaScript number.
  return isDeepStrictEqual(parseJsonKeepingDigits(one.text), parseJsonKeepingDigits(other.text));
}

/** Only these characters have a single spelling in JSON, unless the text uses \u escapes. */
const plain = /^[\w .-]*$/;

/**
 * Whether the texts first differ inside a plain string that the other text does not contain: then neither has to be
 * parsed. Between two strings there is always a character that is not plain.
 */
function lacksFirstDifference(text: string, one: string): boolean {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === text.charCodeAt(at)) at++;
  const begin = one.lastIndexOf('"', at - 1);
  const end = one.indexOf('"', at);
  if (begin < 0 || end < 0 || !plain.test(one.slice(begin + 1, end))) return false;
  return !text.includes(one.slice(begin, end + 1)) && !text.includes("\\u");
}

/** Whether a plain string of the value does not occur in the text: then the text need not be parsed. */
function lacksOneOf(text: string, value: unknown): boolean {
  if (typeof value !== "object" || value === null || text.includes("\\u")) return false;
  for (const member of Object.values(value)) {
    if (typeof member === "string" && plain.test(member) && !text.includes(member)) return true;
  }
  return false;
}
