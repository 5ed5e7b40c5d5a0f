import { type Message, say } from "../../messages/message.ts";
import { ok } from "../../operation/outcome.ts";
import { itemText } from "../changes/offers/operator-text.ts";
import { missingOf } from "../changes/open-amounts.ts";
import { bookPlacement } from "../ledger/book-placement.ts";
import { type LedgerLine, remainingOf } from "../ledger/ledger-line.ts";
import { type EventHandler, type EventNeeds, itemLines, openWanted } from "./event-handler.ts";

/**
 * Books every placement: two equal ones are two pieces. Only the duplicate check at intake can tell a retry from a
 * repeat.
 */
export const confirmPutWallPlacement =
  (needs: EventNeeds): EventHandler<"confirmPutWallPlacement"> =>
  (placement, entry) => {
    const { orders, ledger, changes } = needs;
    const { workOrderNumber: orderNumber, itemNumber, completedAmount } = placement;
    orders.recordWork(orderNumber);
    changes.beginAtPutWall(orderNumber);

    const wantedOf = openWanted(needs, orderNumber);
    const { lines, booked } = bookPlacement(itemLines(needs, orderNumber, itemNumber), {
      ...{ amount: completedAmount, location: placement.confirmedLocationName ?? "", wantedOf },
      missingOf: missingOf(changes.read(orderNumber), orderNumber),
    });
    for (const line of booked) ledger.book(line);

    const group = changes.read(orderNumber);
    if (group !== undefined || booked.some((line) => remainingOf(line) === 0)) changes.settle(orderNumber, entry);
    const message =
      group === undefined
        ? overPlaced(lines, booked)
        : itemText(group, orderNumber, itemNumber, changes.announcedExcess);
    return ok(null, message === undefined ? {} : { message });
  };

function overPlaced(before: readonly LedgerLine[], after: readonly LedgerLine[]): Message | undefined {
  // Steps have picked these goods, and the wall only sorts them: nothing is too much.
  if (before.some((line) => line.steps > 0)) return undefined;
  const over = after.find((line) => line.overPicked > 0);
  return over && say("events.over-picked", { item: over.itemNumber, over: over.overPicked });
}
