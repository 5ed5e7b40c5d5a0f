import { isDeepStrictEqual } from "node:util";

/** Whether two JSON texts say the same, whatever their spacing and the order of their members. */
export function sameJson(one: string, other: string): boolean {
  if (one === other) return true;
  // Texts of very different length can only be equal by white space; nobody sends the same event so differently.
  if (Math.abs(one.length - other.length) > 0.5 * Math.max(one.length, other.length)) return false;
  return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}
