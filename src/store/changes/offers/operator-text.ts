import { type Message, say } from "../../../messages/message.ts";
import { takenOf } from "../../ledger/ledger-line.ts";
import { type Family, type FamilyLine, isCalledOff, isOver, isWaiting } from "../family.ts";
import { mainContent, runningContent } from "../write-contents.ts";
import { putAsideIn, putAsideInAll } from "./put-aside.ts";

/** What an operator who has an item of a changed order in hand is to do; undefined where nothing is to be said. */
export const itemText = (family: Family, orderNumber: string, itemNumber: string): Message | undefined =>
  putAsideText(family, orderNumber, itemNumber) ?? cancelledText(family, orderNumber);

/** More of the item is picked in the order than is wanted. */
export function putAsideText(family: Family, orderNumber: string, itemNumber: string): Message | undefined {
  const amount = putAsideIn(family, orderNumber, itemNumber);
  return amount > 0 ? say("events.put-aside", { order: orderNumber, item: itemNumber, amount }) : undefined;
}

/** Whoever takes up a cancelled order is to put aside what is picked of it and wanted nowhere. */
export function cancelledText(family: Family, orderNumber: string): Message | undefined {
  if (!isCalledOff(family) && !isNothingLeft(family, orderNumber)) return undefined;
  return say("events.order-cancelled", { order: orderNumber, amount: putAsideInAll(family, orderNumber) });
}

/** Whether other orders have all that is wanted. */
function isNothingLeft(family: Family, orderNumber: string): boolean {
  if (family.wanted.pushed === null) return false;
  const index = family.carriers.findIndex(({ number }) => number === orderNumber);
  const carrier = family.carriers[index];
  if (index <= 0 || carrier === undefined) return mainContent(family) === null;
  return !isWaiting(carrier) && !isOver(carrier) && runningContent(family, index) === null;
}

/** What is to be done about a line that was confirmed, where the answer could not bring the change. */
export function lineText(family: Family, orderNumber: string, position: number): Message | undefined {
  const index = family.carriers.findIndex(({ number }) => number === orderNumber);
  const line = family.lines.find((own) => own.accounts[index]?.some((account) => account.position === position));
  if (line === undefined || line.wanted === null) return undefined;
  const values = { order: orderNumber, item: line.itemNumber ?? "" };
  if (line.decision === null) return say("events.change-uncertain", { ...values, amount: line.wanted });
  if (!isToBeLowered(line, index)) return undefined;
  return line.wanted === 0
    ? say("events.item-cancelled", values)
    : say("events.item-reduced", { ...values, amount: line.wanted });
}

/** A line of the order whose unit is in doubt: no amount can be offered for it. */
export function doubtText(family: Family, orderNumber: string): Message | undefined {
  const index = family.carriers.findIndex(({ number }) => number === orderNumber);
  const line = family.lines.find((own) => own.decision === null && (own.accounts[index] ?? []).length > 0);
  if (line === undefined) return undefined;
  return say("events.change-uncertain", { order: orderNumber, item: line.itemNumber ?? "", amount: line.wanted ?? 0 });
}

const isToBeLowered = ({ facts, decision, accounts }: FamilyLine, index: number): boolean =>
  (facts.carriers[index]?.rows ?? []).some(({ shown }, row) => {
    const target = decision?.targets[index]?.[row];
    const account = accounts[index]?.[row];
    // What is picked cannot be lowered any more.
    if (target === undefined || account === undefined || shown === null) return false;
    return shown > target && shown > takenOf(account);
  });
