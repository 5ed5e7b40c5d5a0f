import { type Message, say } from "../../../messages/message.ts";
import { type Change, type ChangeTarget, concerns, isWholeOrder } from "../changes/change.ts";

/** Warns an operator who has goods in hand that the external system wants less of them; undefined where it does not. */
export function warnOfChanges(changes: readonly Change[], line: ChangeTarget): Message | undefined {
  const own = changes.filter((change) => concerns(change, line));
  // The one that asks for least: nothing is left to say about an item of an order that is cancelled as a whole.
  const change = own.find(isWholeOrder) ?? own.find(({ target }) => target === 0) ?? own.at(-1);
  if (change === undefined) return undefined;
  const values = { order: change.orderNumber, item: line.itemNumber ?? "" };
  if (isWholeOrder(change)) return say("events.order-cancelled", values);
  return change.target === 0
    ? say("events.item-cancelled", values)
    : say("events.item-reduced", { ...values, amount: change.target });
}
