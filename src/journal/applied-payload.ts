import { mayHoldLongNumbers, parseJsonKeepingDigits } from "../kit/json/exact-number.ts";
import { parseJson } from "../kit/json/parse/parse-json.ts";
import type { NewEntry } from "./entry.ts";

/**
 * Returns the payload that an inline projection receives. In a push, members that the contract does not know keep every
 * digit, because they are served again as they were pushed. The contract's own members were checked before and are
 * plain numbers.
 */
export function appliedPayload(
  { direction, payload, body }: Pick<NewEntry, "direction" | "payload" | "body">,
  parsed: () => unknown = () => parseJson(payload ?? body),
): unknown {
  const text = payload ?? body;
  return direction === "in" && mayHoldLongNumbers(text) ? parseJsonKeepingDigits(text) : parsed();
}
