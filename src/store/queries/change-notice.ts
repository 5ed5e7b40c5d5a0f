import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { Message } from "../../messages/message.ts";
import { isCalledOff } from "../changes/group/group-totals.ts";
import { openAnnouncedExcess } from "../changes/offers/announced-excess.ts";
import { scanText, stopText } from "../changes/offers/operator-text.ts";
import { changedOrdersIn } from "../changes/read-changed-order.ts";

/** What a scan says about a changed order. Plain data, because it may come from a thread. */
export interface ChangeNotice {
  /** Whether the external system wants nothing of the order any more. */
  readonly isCalledOff: boolean;
  /** For whoever takes up the order. */
  readonly scan: Message | undefined;
  /** Only if nothing more of the order is to be picked. */
  readonly stop: Message | undefined;
}

/** Computes notices in this thread, however long they take. */
export function changeNoticesIn(database: Database): (orderNumber: string) => ChangeNotice | undefined {
  const changed = changedOrdersIn(database);
  const announced = openAnnouncedExcess(database);
  return (orderNumber) => {
    const group = changed.read(orderNumber);
    if (group === undefined) return undefined;
    return {
      isCalledOff: isCalledOff(group),
      scan: scanText(group, orderNumber, announced),
      stop: stopText(group, orderNumber),
    };
  };
}
