import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { namesOf, sameLine } from "../ledger/line-sight.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { StoredOrder } from "../order-store.ts";
import { type ChangeTarget, concerns } from "./change.ts";
import type { ChangeTable } from "./change-table.ts";
import { pickedInLineUnit } from "./receipt-state.ts";

/** The amount of these lines in an order's content, in the order line's unit. */
export const amountIn = (workOrder: WorkOrder, target: ChangeTarget): number =>
  workOrder.requests.reduce((sum, line) => sum + (concerns(target, namesOf(line)) ? line.requestedAmount : 0), 0);

/**
 * What the external system has asked for last of these lines of one order, follow-ups left out. What was picked
 * before a change could stop it counts as asked for: it is not to be asked for again.
 */
export function wantedOf(
  { ledger, table }: { ledger: Ledger; table: ChangeTable },
  stored: StoredOrder,
  line: ChangeTarget,
): number {
  const amount = amountIn(stored.workOrder, line);
  const changes = table.standing(stored.number).filter((change) => concerns(change, line));
  const isCancelled = stored.state === "cancelled";
  if (changes.length === 0 && !isCancelled) return amount;
  const accounts = ledger.linesOf(stored.number).filter((account) => sameLine(line, account));
  const picked = Math.min(amount, pickedInLineUnit(accounts));
  if (isCancelled) return picked;
  return Math.min(amount, ...changes.map((change) => Math.max(change.target, picked)));
}
