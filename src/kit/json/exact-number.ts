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

/**
 * Parses JSON without silently changing a number: long numbers become texts, as a mapping reads them. Throws if it is
 * not JSON.
 */
export const parseExactJson = (text: string): unknown => parsed(text, exactNumber);

/**
 * Parses JSON without silently changing a number, for readers that tell numbers from texts: a long number is kept as
 * written and serialised digit by digit. Such a value cannot be sent to another thread; use `longNumbersAsText` for
 * that.
 */
export const parseJsonKeepingDigits = (text: string): unknown =>
  parsed(text, (source) => {
    const number = exactNumber(source);
    return typeof number === "number" ? number : rawJson.rawJSON(source);
  });

function parsed(text: string, read: (source: string) => unknown): unknown {
  // The third argument, the source text of the number, is not yet in the declared type.
  const revive = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === "number" && source !== undefined ? read(source) : value;
  // With a reviver, parsing takes several times as long.
  return mayHoldLongNumbers(text)
    ? JSON.parse(text, revive as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}

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
  if (!manyDigits.test(text)) return false;
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
