import { randomUUID } from "node:crypto";
import { parseJson } from "./parse/parse-json.ts";

/**
 * Returns a number if no digit is lost, otherwise the text itself. `12.500` is 12.5; `12345678901234567890` stays text,
 * because a JavaScript number would silently change it.
 */
export function exactNumber(text: string): number | string {
  const number = Number(text);
  if (!Number.isFinite(number) || text.trim() === "") return text;
  return digitsOf(String(number)) === digitsOf(text) ? number : text;
}

/** Sign, digits and position of the point, in any notation. */
function digitsOf(text: string): string {
  const parts = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text.trim());
  if (parts === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = withoutZerosAtEnd(whole + fraction);
  const trimmed = digits.replace(/^0+/, "");
  if (trimmed === "") return "0";
  const place = whole.length + Number(exponent) - (digits.length - trimmed.length);
  return `${sign === "-" ? "-" : ""}${trimmed}@${place}`;
}

/** `/0+$/` would try again from every zero: 0.000…01 with 16,000 digits would block the thread for seconds. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/**
 * Matches numbers that may lose digits. Numbers like 1e400 have few digits, but would become null when written again.
 * All others are exact and need no further check.
 */
const manyDigits = /\d[\d.]{14}\d|\d[eE][+-]?\d{3,}(?=[\s,}\]])/;
const largeExponent = /\d[eE][+-]?\d{3,}(?=[\s,}\]])/;
/** Fewer digits are exact. */
const fewestDigits = 16;

/**
 * Whether `manyDigits` matches, for long texts: the expression would look at every character of them. Among so many
 * digits in a row, one stands at every sixteenth place.
 */
function hasManyDigits(text: string): boolean {
  for (let at = fewestDigits - 1; at < text.length; at += fewestDigits) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue;
    let begin = at;
    while (isDigitOrPoint(text.charCodeAt(begin - 1))) begin -= 1;
    while (isDigitOrPoint(text.charCodeAt(at))) at += 1;
    if (at - begin >= fewestDigits && manyDigits.test(text.slice(begin, at))) return true;
  }
  return largeExponent.test(text);
}

/** Outside of a text the code is NaN, which is neither. */
const isDigitOrPoint = (code: number) => (code >= 0x30 && code <= 0x39) || code === 0x2e;

/**
 * Parses JSON without silently changing a number: long numbers become texts, as a mapping reads them. Throws if it is
 * not JSON.
 */
export const parseExactJson = (text: string): unknown => parsed(text, (digits) => digits);

/**
 * Parses JSON without silently changing a number, for readers that tell numbers from texts: a long number is kept as
 * written and serialised digit by digit. Such a value cannot be sent to another thread; use `longNumbersAsText` for
 * that.
 */
export const parseJsonKeepingDigits = (text: string): unknown => parsed(text, rawJson.rawJSON);

/**
 * Parses without a reviver, which would take as long as parsing the text ten times: every long number is written as
 * a marked text first, and read again from the parsed value.
 */
function parsed(text: string, read: (digits: string) => unknown): unknown {
  const marked = withMarkedNumbers(text);
  if (marked === null) return parseJson(text);
  try {
    return withReadNumbers(parseJson(marked), read);
  } catch (error) {
    if (error instanceof SyntaxError) JSON.parse(text);
    throw error;
  }
}

/** Begins the text of a marked number. Nobody outside can send a text that begins with it, because nobody knows it. */
const mark = `number ${randomUUID()} `;

/** Returns null if no number loses digits. */
function withMarkedNumbers(text: string): string | null {
  if (!hasManyDigits(text)) return null;
  const pieces: string[] = [];
  let copied = 0;
  const markBetween = (from: number, to: number) => {
    const between = text.slice(from, to);
    if (between.length < fewestCharacters || !manyDigits.test(between)) return;
    for (const { index, 0: source } of between.matchAll(numberToken)) {
      if (!manyDigits.test(`${source} `) || typeof exactNumber(source) === "number") continue;
      pieces.push(text.slice(copied, from + index), `"${mark}${source}"`);
      copied = from + index + source.length;
    }
  };
  for (let at = 0; at < text.length; ) {
    const begin = text.indexOf('"', at);
    markBetween(at, begin < 0 ? text.length : begin);
    at = begin < 0 ? text.length : endOfString(text, begin) + 1;
  }
  if (pieces.length === 0) return null;
  pieces.push(text.slice(copied));
  return pieces.join("");
}

/** No shorter text holds a number that loses digits. */
const fewestCharacters = 5;
/** A number exactly as JSON writes one, and not in the place of a name. Anything else stays as it is, and the parser refuses it. */
const numberToken = /(?<![\w.+-])-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-]|\s*:)/g;

/** Puts the value of every marked number into a parsed value. */
function withReadNumbers(value: unknown, read: (digits: string) => unknown): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? read(value.slice(mark.length)) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const element: unknown = value[index];
      if (isReadable(element)) value[index] = withReadNumbers(element, read);
    }
    return value;
  }
  // Parsed a moment ago: a plain object, whose members may be anything.
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const member = members[name];
    if (!isReadable(member)) continue;
    const found = withReadNumbers(member, read);
    if (found !== member) members[name] = found;
  }
  return value;
}

const isReadable = (value: unknown) => typeof value === "string" || (typeof value === "object" && value !== null);

interface LongNumber {
  readonly rawJSON: string;
}
// Supported by the engine but not yet in the declared type.
const rawJson = JSON as unknown as {
  readonly rawJSON: (source: string) => LongNumber;
  readonly isRawJSON: (value: unknown) => value is LongNumber;
};

/** The digits of a kept long number; undefined for every other value. */
export const longNumberIn = (value: unknown): string | undefined =>
  rawJson.isRawJSON(value) ? value.rawJSON : undefined;

/** Returns a copy with every long number as a text of its digits. */
export const longNumbersAsText = (value: unknown): unknown => parseExactJson(JSON.stringify(value));

/**
 * A quick test of JSON: false for most texts, which then need no further check. Long digits inside strings do not count,
 * because codes of containers often have eighteen.
 */
export function mayHoldLongNumbers(text: string): boolean {
  if (!hasManyDigits(text)) return false;
  for (let at = 0; ; ) {
    const begin = text.indexOf('"', at);
    if (manyDigits.test(begin < 0 ? text.slice(at) : text.slice(at, begin))) return true;
    if (begin < 0) return false;
    at = endOfString(text, begin) + 1;
  }
}

/** The place of the quotation mark that ends the string which begins here. */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === "\\") first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

/** Parses like `parseExactJson`, but returns the text itself if it is not JSON. */
export function exactJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}
