import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import { lineKey, namesOf } from "../ledger/line-sight.ts";
import { isPicked, type Wanted } from "./wanted.ts";

/**
 * An order's content with these amounts, by the key of the line; null where no line is left. Of twin lines the earlier
 * ones keep what they had, and the last takes what is more.
 */
export function contentWith(wanted: Wanted, amounts: ReadonlyMap<string, number>): WorkOrder | null {
  const { pushed, gone } = wanted;
  if (pushed === null) return null;
  const left = new Map(amounts);
  const known = [...pushed.requests, ...gone];
  const lastOf = new Map(known.map((line, index) => [lineKey(namesOf(line)), index]));
  const requests = known.flatMap((line, index): RequestLine[] => {
    if (!isPicked(line)) return [line];
    const key = lineKey(namesOf(line));
    const spare = left.get(key) ?? 0;
    const amount = lastOf.get(key) === index ? spare : Math.min(line.requestedAmount, spare);
    left.set(key, spare - amount);
    if (amount <= 0) return [];
    return amount === line.requestedAmount ? [line] : [{ ...line, requestedAmount: amount }];
  });
  return requests.some(isPicked) ? { ...pushed, requests } : null;
}
