/**
 * A number where the text can be one without losing a digit, otherwise the text itself. `12.500` is 12.5;
 * `12345678901234567890` stays text, because a JavaScript number would silently make another of it.
 */
export function exactNumber(text: string): number | string {
  const number = Number(text);
  if (!Number.isFinite(number) || text.trim() === "") return text;
  return digitsOf(String(number)) === digitsOf(text) ? number : text;
}

/** Sign, digits and place of the point, however it is written. */
function digitsOf(text: string): string {
  const parts = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text.trim());
  if (parts === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = (whole + fraction).replace(/0+$/, "");
  const trimmed = digits.replace(/^0+/, "");
  if (trimmed === "") return "0";
  const place = whole.length + Number(exponent) - (digits.length - trimmed.length);
  return `${sign === "-" ? "-" : ""}${trimmed}@${place}`;
}

/** Shorter numbers are exact, and need no second look. */
const manyDigits = /\d[\d.]{14}\d/;

/** JSON with no number silently changed, long ones as texts, as a mapping reads them; throws where it is none. */
export const parseExactJson = (text: string): unknown => parsed(text, exactNumber);

/**
 * JSON with no number silently changed, for readers that tell numbers from texts: a long one is neither, and is written out
 * again digit by digit. Such a value cannot be sent to another thread; `longNumbersAsText` makes one that can.
 */
export const parseJsonKeepingDigits = (text: string): unknown =>
  parsed(text, (source) => {
    const number = exactNumber(source);
    return typeof number === "number" ? number : rawJson.rawJSON(source);
  });

function parsed(text: string, read: (source: string) => unknown): unknown {
  // The third argument, the number as it was written, is known to the engine and not yet to the declared type.
  const revive = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === "number" && source !== undefined ? read(source) : value;
  // With a reviver the engine takes several times as long.
  return manyDigits.test(text)
    ? JSON.parse(text, revive as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}

interface LongNumber {
  readonly rawJSON: string;
}
// Known to the engine and not yet to the declared type.
const rawJson = JSON as unknown as {
  readonly rawJSON: (source: string) => LongNumber;
  readonly isRawJSON: (value: unknown) => value is LongNumber;
};

/** The digits of a long number that was kept; undefined for every other value. */
export const longNumberIn = (value: unknown): string | undefined =>
  rawJson.isRawJSON(value) ? value.rawJSON : undefined;

/** The same value with every long number as its digits. */
export const longNumbersAsText = (value: unknown): unknown => parseExactJson(JSON.stringify(value));

/** False for most texts: nothing in them needs a second look. */
export const mayHoldLongNumbers = (text: string): boolean => manyDigits.test(text);

/** The same, or the text itself where it is no JSON. */
export function exactJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}
