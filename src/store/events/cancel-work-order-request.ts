import type { LineCancellation } from "../../contract/schemas/events.ts";
import { ok } from "../../operation/outcome.ts";
import { askedAtWall, cancelOpen, type LedgerLine, remainingOf, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { filled, type LineSight } from "../ledger/line-sight.ts";
import { pickedBefore } from "../ledger/refetch.ts";
import { cutRest, type EventHandler, type EventNeeds, itemLines } from "./event-handler.ts";

/** Books the platform's own count as picked and the rest as cancelled: a state, so the same again changes nothing. */
export const cancelWorkOrderRequest =
  (needs: EventNeeds): EventHandler<"cancelWorkOrderRequest"> =>
  (cancellation, entry) => {
    const { orders, ledger, changes } = needs;
    const { workOrderNumber: orderNumber, request } = cancellation;
    orders.sign(orderNumber);
    changes.keepFirstPush(orderNumber);
    // Opened and bound first: what is wanted of a line can be said once its account is there.
    const account = ledger.line(orderNumber, cancelledSight(cancellation));
    const before = pickedBefore(account);
    const taken = Math.max(takenOf(account), before + (request?.completedAmountInBaseUnitOfMeasure ?? 0));
    const shown = before + (request?.requestedAmountInBaseUnitOfMeasure ?? 0);
    const requested = Math.max(account.requested, shown);
    // What is beyond the request stays beyond it: the platform's count includes it.
    const picked = Math.max(account.picked, Math.min(taken, requested));
    const booked = { ...account, requested, picked, overPicked: roundAmount(taken - picked) };
    ledger.book(booked);
    const wanted = openTogether(needs, booked);
    const given = cancelOpen(booked);
    ledger.book(given);
    // What a line that nothing tells apart from it still brings is not cut short.
    ledger.book({ ...given, cut: roundAmount(given.cut + Math.max(0, wanted - openTogether(needs, given))) });
    changes.settle(orderNumber, entry);
    return ok(null);
  };

/** How much of what is open of an account's line in its order somebody still wants, in the unit of the account. */
function openTogether({ changes }: EventNeeds, account: LedgerLine): number {
  const family = changes.readKept(account.orderNumber);
  const index = family?.carriers.findIndex(({ number }) => number === account.orderNumber) ?? 0;
  const line = family?.lines.find((own) => own.accounts[index]?.some(({ position }) => position === account.position));
  if (line === undefined || line.decision === null) return remainingOf(account);
  const picked = line.facts.carriers[index]?.rows.reduce((sum, row) => sum + row.picked, 0) ?? 0;
  const target = line.decision.targets[index]?.reduce((sum, one) => sum + one, 0) ?? 0;
  const scale = account.factor === null ? (line.factor ?? 1) : 1;
  return Math.max(0, (target - picked) / scale);
}

function cancelledSight({ request, requestExternalIdentifier }: LineCancellation): LineSight {
  return {
    requestId: request?.requestId ?? null,
    externalId: filled(requestExternalIdentifier),
    itemNumber: filled(request?.itemNumber),
    lot: null,
    unit: null,
    requested: request?.requestedAmountInBaseUnitOfMeasure ?? null,
  };
}

/** Cancels what remains of the item; said twice, there is nothing left to cancel. */
export const cancelPutWallItem =
  (needs: EventNeeds): EventHandler<"cancelPutWallItem"> =>
  ({ workOrderNumber: orderNumber, itemNumber }, entry) => {
    const { orders, changes } = needs;
    orders.sign(orderNumber);
    changes.keepFirstPush(orderNumber);
    cutRest(needs, orderNumber, itemLines(needs, orderNumber, itemNumber).map(askedAtWall));
    changes.settle(orderNumber, entry);
    return ok(null);
  };
