import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import { namesOf, sameLine } from "../ledger/line-sight.ts";
import type { StoredOrder } from "../order-store.ts";
import { type ChangeTarget, isWholeOrder } from "./change.ts";
import { type ChangeNeeds, fileWish } from "./file-change.ts";
import { amountIn, wantedOf } from "./wanted-of.ts";

/** Takes back what was wanted of an order before and is not any more: the newer push is the external system's last word. */
export function takeBackChanges({ table }: Pick<ChangeNeeds, "table">, revised: WorkOrder, entry: ResidentEntry): void {
  for (const change of table.watched(revised.number)) {
    if (isWholeOrder(change) || amountIn(revised, change) > change.target) table.supersede(change, entry);
  }
}

/**
 * An order pushed again before anybody began it: its new content is the caller's to store. The platform may have
 * fetched it as it was, so what was lowered is watched as if it had been cancelled.
 */
export function renewOrder(
  { table }: ChangeNeeds,
  stored: StoredOrder,
  revised: WorkOrder,
  entry: ResidentEntry,
): void {
  takeBackChanges({ table }, revised, entry);
  for (const line of distinctLines(stored.workOrder)) {
    const target = amountIn(revised, line);
    if (target >= amountIn(stored.workOrder, line)) continue;
    table.add(
      { ...line, orderNumber: stored.number, target, reason: null, state: "removed", watched: true, picked: null },
      entry,
    );
  }
}

/**
 * An order pushed again while it is worked on, or after: lower amounts and vanished lines become changes, higher
 * amounts and new lines a follow-up order.
 */
export function reviseOrder(needs: ChangeNeeds, stored: StoredOrder, revised: WorkOrder, entry: ResidentEntry): void {
  withdraw(needs, stored, revised, entry);
  const followUps = needs.followUps.of(stored.number);
  const added: RequestLine[] = [];

  for (const line of distinctLines(stored.workOrder, ...followUps.map((order) => order.workOrder), revised)) {
    const target = amountIn(revised, line);
    const wanted = [stored, ...followUps].reduce((sum, order) => sum + wantedOf(needs, order, line), 0);
    if (target < wanted) {
      fileWish(needs, { ...line, orderNumber: stored.number, target, reason: null }, entry);
    } else if (target > wanted) {
      const content = revised.requests.find((request) => sameLine(line, namesOf(request)));
      if (content !== undefined) added.push({ ...content, requestedAmount: target - wanted });
    }
  }
  if (added.length > 0) needs.followUps.add(revised, added, entry.receivedAt);
}

/**
 * Changes the platform has not been told of, and that the new content takes back. Once offered they go on, because
 * the platform may have applied them: what is wanted again then comes as a follow-up order.
 */
function withdraw({ table }: ChangeNeeds, stored: StoredOrder, revised: WorkOrder, entry: ResidentEntry): void {
  for (const change of table.watched(stored.number)) {
    if (change.state !== "pending" || change.offered > 0) continue;
    if (isWholeOrder(change) || amountIn(revised, change) > change.target) table.supersede(change, entry);
  }
}

/** Each line once; lines that nothing tells apart count together. */
function distinctLines(...workOrders: readonly WorkOrder[]): ChangeTarget[] {
  const distinct: ChangeTarget[] = [];
  const known = new Set<string>();
  for (const request of workOrders.flatMap((workOrder) => workOrder.requests)) {
    const { externalId, itemNumber, lot } = namesOf(request);
    const key = externalId === null ? JSON.stringify([itemNumber, lot]) : externalId;
    if (known.has(key)) continue;
    known.add(key);
    distinct.push({ externalId, itemNumber, lot });
  }
  return distinct;
}
