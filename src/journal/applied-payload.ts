import { mayHoldLongNumbers, parseJsonKeepingDigits } from "../kit/json/exact-number.ts";
import type { NewEntry } from "./entry.ts";

/**
 * What an inline projection gets of an entry. A push keeps every digit of members that the contract does not know: they are
 * served again as they were pushed. The contract's own members were checked before, and are plain numbers.
 */
export function appliedPayload(
  { direction, payload, body }: Pick<NewEntry, "direction" | "payload" | "body">,
  parsed: () => unknown = () => JSON.parse(payload ?? body),
): unknown {
  const text = payload ?? body;
  return direction === "in" && mayHoldLongNumbers(text) ? parseJsonKeepingDigits(text) : parsed();
}
