import type { Message } from "../../../messages/message.ts";
import { isCalledOff } from "../changes/family.ts";
import { cancelledText, itemText } from "../changes/operator-text.ts";
import type { ChangedOrders } from "../changes/read-changed-order.ts";

/** In a query over work_order: whether the order was ever changed; only then is there anything to warn of. */
export const changedColumn = "EXISTS (SELECT 1 FROM wanted WHERE wanted.order_number = work_order.number) AS changed";

/** What whoever takes up a changed order has to know: it is cancelled, or more is picked than is wanted. */
export function scanWarning(changed: Pick<ChangedOrders, "read">, orderNumber: string): Message | undefined {
  const family = changed.read(orderNumber);
  if (family === undefined) return undefined;
  const items = new Set(family.lines.flatMap(({ itemNumber }) => itemNumber ?? []));
  const texts = [...items].flatMap((item) => itemText(family, orderNumber, item) ?? []);
  return cancelledText(family, orderNumber) ?? texts[0];
}

/** Whether the external system wants nothing of the order any more. */
export function isCancelledWhileRunning(changed: Pick<ChangedOrders, "read">, orderNumber: string): boolean {
  const family = changed.read(orderNumber);
  return family !== undefined && isCalledOff(family);
}
