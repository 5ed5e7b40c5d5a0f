import { type Message, say } from "../../../messages/message.ts";
import { takenOf } from "../../ledger/ledger-line.ts";
import { carrierIndex, type Family, type FamilyLine, isCalledOff, isOver, isWaiting } from "../family.ts";
import { besides, targetIn } from "../line-amounts.ts";
import { mainContent, runningContent } from "../write-contents.ts";
import { amountText, type Goods, goodsText, shownGoods } from "./goods.ts";
import { asideInAll, asideOfItem, itemsBeyond } from "./put-aside.ts";
import type { ToldAside } from "./told-aside.ts";

/**
 * What an operator who has an item of a changed order in hand is to do; undefined where nothing is to be said. Goods that
 * somebody was told to put aside are not told again.
 */
export function itemText(
  family: Family,
  orderNumber: string,
  itemNumber: string,
  told: ToldAside,
): Message | undefined {
  const stop = stopKey(family, orderNumber);
  if (stop === undefined) {
    const [now] = keepTold(told, orderNumber, [asideOfItem(family, orderNumber, itemNumber)]);
    return now && asideText(orderNumber, now);
  }
  const goods = keepTold(told, orderNumber, asideInAll(family, orderNumber));
  return say(stop, { order: orderNumber, goods: goodsText(goods) });
}

/** What of it nobody was told yet. The goods that the text has no room for are told with the next one. */
function keepTold(told: ToldAside, orderNumber: string, goods: readonly Goods[]): readonly Goods[] {
  const now = notTold(told, orderNumber, goods);
  const shown = new Set(shownGoods(now).map(({ item }) => item));
  const isNow = new Set(now.map(({ item }) => item));
  for (const { item, amount } of goods) {
    if (shown.has(item) || !isNow.has(item)) told.keep(orderNumber, item, amount);
  }
  return now;
}

const notTold = (told: Pick<ToldAside, "of">, orderNumber: string, goods: readonly Goods[]): readonly Goods[] =>
  goods
    .map((one) => ({ ...one, amount: besides(one.amount, told.of(orderNumber, one.item)) }))
    .filter(({ amount }) => amount > 0);

const asideText = (order: string, now: Goods): Message =>
  say("events.put-aside", { order, item: now.item, amount: amountText(now) });

/** What whoever takes up a changed order has to know: nothing of it is to be picked, or goods are to be put aside. */
export function scanText(family: Family, orderNumber: string, told: Pick<ToldAside, "of">): Message | undefined {
  const stop = stopText(family, orderNumber);
  if (stop !== undefined) return stop;
  const beyond = [...itemsBeyond(family)].map((item) => asideOfItem(family, orderNumber, item));
  const [now] = notTold(told, orderNumber, beyond);
  return now && asideText(orderNumber, now);
}

/** The same of an order that nothing more is to be picked of: all that lies aside or is to, which cannot be done twice. */
export function stopText(family: Family, orderNumber: string): Message | undefined {
  const stop = stopKey(family, orderNumber);
  if (stop === undefined) return undefined;
  const goods = asideInAll(family, orderNumber).filter(({ amount }) => amount > 0);
  return say(stop, { order: orderNumber, goods: goodsText(goods) });
}

/** Nothing more of the order is to be picked: it was cancelled, or other orders have all that is wanted. */
function stopKey(family: Family, orderNumber: string) {
  if (isCalledOff(family)) return "events.order-cancelled";
  return isNothingLeft(family, orderNumber) ? "events.nothing-left" : undefined;
}

/** Whether other orders have all that is wanted. */
function isNothingLeft(family: Family, orderNumber: string): boolean {
  if (family.wanted.pushed === null) return false;
  const index = carrierIndex(family, orderNumber);
  const carrier = family.carriers[index];
  if (index <= 0 || carrier === undefined) return mainContent(family) === null;
  return !isWaiting(carrier) && !isOver(carrier) && runningContent(family, index) === null;
}

/** What is to be done about a line that was confirmed, where the answer could not bring the change. */
export function lineText(family: Family, orderNumber: string, position: number): Message | undefined {
  const index = carrierIndex(family, orderNumber);
  const line = family.lines.find((own) => own.accounts[index]?.some((account) => account.position === position));
  if (line === undefined || line.wanted === null) return undefined;
  const { decision, factor, unit } = line;
  if (decision === null || factor === null) return lineInDoubt(orderNumber, line);
  if (!isToBeLowered(line, index)) return undefined;
  const values = { order: orderNumber, item: line.itemNumber ?? "" };
  // What this order is to bring, and not what all orders together are to: other orders have the rest.
  const amount = targetIn(line, index);
  return amount === 0
    ? say("events.item-cancelled", values)
    : say("events.item-reduced", { ...values, amount: amountText({ amount, unit }) });
}

/** A line of the order whose unit is in doubt: no amount can be offered for it. */
export function doubtText(family: Family, orderNumber: string): Message | undefined {
  const index = carrierIndex(family, orderNumber);
  const line = family.lines.find((own) => own.decision === null && (own.accounts[index] ?? []).length > 0);
  if (line === undefined) return undefined;
  return lineInDoubt(orderNumber, line);
}

/** What is wanted is known in the line's own unit only. */
const lineInDoubt = (order: string, { itemNumber, wanted, unit }: FamilyLine): Message =>
  say("events.change-uncertain", {
    ...{ order, item: itemNumber ?? "" },
    amount: amountText({ amount: wanted ?? 0, unit }),
  });

const isToBeLowered = ({ facts, decision, accounts }: FamilyLine, index: number): boolean =>
  (facts.carriers[index]?.rows ?? []).some(({ shown }, row) => {
    const target = decision?.targets[index]?.[row];
    const account = accounts[index]?.[row];
    // What is picked cannot be lowered any more.
    if (target === undefined || account === undefined || shown === null) return false;
    return shown > target && shown > takenOf(account);
  });
