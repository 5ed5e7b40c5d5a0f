import { ok } from "../../../sdk/outcome.ts";
import { cutRest } from "./cut-rest.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";
import { itemLines } from "./item-lines.ts";

/** Cancels what remains of the item; said twice, there is nothing left to cancel. */
export const cancelPutWallItem =
  (needs: EventNeeds): EventHandler<"cancelPutWallItem"> =>
  ({ workOrderNumber: orderNumber, itemNumber }, entry) => {
    const { orders, ledger, changes } = needs;
    orders.sign(orderNumber);
    cutRest(needs, orderNumber, itemLines(ledger, orderNumber, itemNumber));
    changes.settle(orderNumber, entry);
    return ok(null);
  };
