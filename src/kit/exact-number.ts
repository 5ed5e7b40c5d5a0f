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

/** JSON with no number silently changed; throws where it is none. */
export function parseExactJson(text: string): unknown {
  // The third argument, the number as it was written, is known to the engine and not yet to the declared type.
  const revive = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === "number" && source !== undefined ? exactNumber(source) : value;
  // With a reviver the engine takes several times as long.
  return manyDigits.test(text)
    ? JSON.parse(text, revive as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}

/** The same, or the text itself where it is no JSON. */
export function exactJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}
