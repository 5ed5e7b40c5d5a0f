import { ok } from "../../../sdk/outcome.ts";
import { askedAtWall } from "../ledger/ledger-line.ts";
import { cutRest } from "./cut-rest.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";
import { itemLines } from "./item-lines.ts";

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
