import { type Message, say } from "../../../messages/message.ts";
import { takenOf } from "../../ledger/ledger-line.ts";
import { isCalledOff } from "../group/group-totals.ts";
import { isOrderEnded, isWaiting } from "../group/member-order.ts";
import { notYetAnnounced, targetIn } from "../line-amounts.ts";
import { type GroupLine, memberIndex, type OrderGroup } from "../order-group.ts";
import { isMainEmpty, runningContent } from "../write-contents.ts";
import type { AnnouncedExcess } from "./announced-excess.ts";
import { amountText, type Goods, goodsText, shownGoods } from "./goods.ts";
import { asideInAll, asideOfItem, itemsWithExcess } from "./put-aside.ts";

/**
 * The text for an operator who has an item of a changed order in hand; undefined when there is nothing to say. Goods
 * that somebody was already told to put aside are not told again.
 */
export function itemText(
  group: OrderGroup,
  orderNumber: string,
  itemNumber: string,
  announced: AnnouncedExcess,
): Message | undefined {
  const stop = stopKey(group, orderNumber);
  if (stop === undefined) {
    const [now] = rememberAnnounced(announced, orderNumber, [asideOfItem(group, orderNumber, itemNumber)]);
    return now && asideText(orderNumber, now);
  }
  const goods = rememberAnnounced(announced, orderNumber, asideInAll(group, orderNumber));
  return say(stop, { order: orderNumber, goods: goodsText(goods) });
}

/**
 * Returns the goods nobody was told about yet and stores them as told. Goods beyond the length of the text come with
 * the next one.
 */
function rememberAnnounced(announced: AnnouncedExcess, orderNumber: string, goods: readonly Goods[]): readonly Goods[] {
  const now = notAnnounced(announced, orderNumber, goods);
  const shown = new Set(shownGoods(now).map(({ item }) => item));
  const isNow = new Set(now.map(({ item }) => item));
  for (const { item, amount } of goods) {
    if (shown.has(item) || !isNow.has(item)) announced.keep(orderNumber, item, amount);
  }
  return now;
}

const notAnnounced = (
  announced: Pick<AnnouncedExcess, "of">,
  orderNumber: string,
  goods: readonly Goods[],
): readonly Goods[] =>
  goods
    .map((one) => ({ ...one, amount: notYetAnnounced(one.amount, announced.of(orderNumber, one.item)) }))
    .filter(({ amount }) => amount > 0);

const asideText = (order: string, now: Goods): Message =>
  say("events.put-aside", { order, item: now.item, amount: amountText(now) });

/** The text for whoever takes up a changed order: that nothing of it is to be picked, or which goods to put aside. */
export function scanText(
  group: OrderGroup,
  orderNumber: string,
  announced: Pick<AnnouncedExcess, "of">,
): Message | undefined {
  const stop = stopText(group, orderNumber);
  if (stop !== undefined) return stop;
  const beyond = [...itemsWithExcess(group)].map((item) => asideOfItem(group, orderNumber, item));
  const [now] = notAnnounced(announced, orderNumber, beyond);
  return now && asideText(orderNumber, now);
}

/**
 * The text for an order of which nothing more is to be picked. It lists all goods to put aside, already told or not:
 * putting them aside twice is not possible.
 */
export function stopText(group: OrderGroup, orderNumber: string): Message | undefined {
  const stop = stopKey(group, orderNumber);
  if (stop === undefined) return undefined;
  const goods = asideInAll(group, orderNumber).filter(({ amount }) => amount > 0);
  return say(stop, { order: orderNumber, goods: goodsText(goods) });
}

/** Why nothing more of the order is to be picked: it was cancelled, or other orders have all that is wanted. */
function stopKey(group: OrderGroup, orderNumber: string) {
  if (isCalledOff(group)) return "events.order-cancelled";
  return isNothingLeft(group, orderNumber) ? "events.nothing-left" : undefined;
}

/** Whether other orders have all that is wanted. */
function isNothingLeft(group: OrderGroup, orderNumber: string): boolean {
  if (group.wanted.pushed === null) return false;
  const index = memberIndex(group, orderNumber);
  const member = group.members[index];
  if (index <= 0 || member === undefined) return isMainEmpty(group);
  return !isWaiting(member) && !isOrderEnded(member) && runningContent(group, index) === null;
}

/** The text about a confirmed line when the answer could not carry the change. */
export function lineText(group: OrderGroup, orderNumber: string, position: number): Message | undefined {
  const index = memberIndex(group, orderNumber);
  const line = group.lines.find((own) =>
    own.ledgerLines[index]?.some((ledgerLine) => ledgerLine.position === position),
  );
  if (line === undefined || line.wanted === null) return undefined;
  const { decision, factor, unit } = line;
  if (decision === null || factor === null) return lineInDoubt(orderNumber, line);
  if (!isToBeLowered(line, index)) return undefined;
  const values = { order: orderNumber, item: line.itemNumber ?? "" };
  // The amount for this order, not for all orders together: other orders have the rest.
  const amount = targetIn(line, index);
  return amount === 0
    ? say("events.item-cancelled", values)
    : say("events.item-reduced", { ...values, amount: amountText({ amount, unit }) });
}

/** The text about a line whose unit is in doubt: no amount can be offered for it. */
export function doubtText(group: OrderGroup, orderNumber: string): Message | undefined {
  const index = memberIndex(group, orderNumber);
  const line = group.lines.find((own) => own.decision === null && (own.ledgerLines[index] ?? []).length > 0);
  if (line === undefined) return undefined;
  return lineInDoubt(orderNumber, line);
}

/** The wanted amount is known only in the line's own unit. */
const lineInDoubt = (order: string, { itemNumber, wanted, unit }: GroupLine): Message =>
  say("events.change-uncertain", {
    ...{ order, item: itemNumber ?? "" },
    amount: amountText({ amount: wanted ?? 0, unit }),
  });

const isToBeLowered = ({ facts, decision, ledgerLines }: GroupLine, index: number): boolean =>
  (facts.members[index]?.rows ?? []).some(({ shown }, row) => {
    const target = decision?.targets[index]?.[row];
    const ledgerLine = ledgerLines[index]?.[row];
    // What is already picked cannot be lowered.
    if (target === undefined || ledgerLine === undefined || shown === null) return false;
    return shown > target && shown > takenOf(ledgerLine);
  });
