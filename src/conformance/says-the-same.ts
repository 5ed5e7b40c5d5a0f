import { isObject } from "./exchange.ts";

/**
 * Whether a document says what is expected, however it is written: members in any order and more of them than expected,
 * null as a missing member, a moment in any zone. Comparing texts would find fault with another serialiser.
 */
export function saysTheSame(found: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(found) &&
      found.length === expected.length &&
      expected.every((element, index) => saysTheSame(found[index], element))
    );
  }
  if (isObject(expected)) {
    return isObject(found) && Object.entries(expected).every(([name, value]) => saysTheSame(found[name], value));
  }
  if (typeof expected === "string" && typeof found === "string" && isMoment(expected) && isMoment(found))
    return Date.parse(found) === Date.parse(expected);
  return (found ?? null) === (expected ?? null);
}

const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text);
