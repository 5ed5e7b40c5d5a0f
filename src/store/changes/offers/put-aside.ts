import { UnitOfMeasure } from "../../../contract/enums.ts";
import { takenOf } from "../../ledger/ledger-line.ts";
import { isCalledOff, tooMuchOf } from "../group/group-totals.ts";
import { pickedOf } from "../group/line-facts.ts";
import { isOrderEnded } from "../group/member-order.ts";
import { sumOfLedgerLines, total } from "../line-amounts.ts";
import { type GroupLine, memberIndex, type OrderGroup } from "../order-group.ts";
import { givenInTurn } from "../reconcile.ts";
import { type Goods, unitOfLines } from "./goods.ts";

/**
 * How much of an item to put aside in one order of the group, in the lines' own unit. Each order gets at most what is
 * picked in it, and all together at most what is too much: told in full at each order, it would be put aside several
 * times. The latest order comes first. Orders that are over come last: their goods are gone.
 */
function putAsideIn(group: OrderGroup, orderNumber: string, itemNumber: string): number {
  const tooMuch = tooMuchOf(group, itemNumber);
  if (tooMuch <= 0) return 0;
  const own = linesOfItem(group, itemNumber);
  const latestFirst = [...group.members.entries()].reverse();
  // Whoever asks has the goods of this order in hand.
  const isAtHand = ([, member]: (typeof latestFirst)[number]) => member.number === orderNumber || !isOrderEnded(member);
  const inOrder = [...latestFirst.filter(isAtHand), ...latestFirst.filter((one) => !isAtHand(one))];
  const picked = inOrder.map(([index]) =>
    total(own.map((line) => sumOfLedgerLines(line, line.ledgerLines[index] ?? [], takenOf))),
  );
  return givenInTurn(tooMuch, picked)[inOrder.findIndex(([, { number }]) => number === orderNumber)] ?? 0;
}

const linesOfItem = ({ lines }: OrderGroup, itemNumber: string): readonly GroupLine[] =>
  lines.filter((line) => line.itemNumber === itemNumber);

/** The amount of an item to put aside, with its unit. */
export const asideOfItem = (group: OrderGroup, orderNumber: string, item: string): Goods => ({
  ...{ item, amount: putAsideIn(group, orderNumber, item) },
  unit: unitOfLines(linesOfItem(group, item)),
});

/** What to put aside of all items of an order of which nothing more is to be picked, item by item. */
export function asideInAll(group: OrderGroup, orderNumber: string): readonly Goods[] {
  if (!isCalledOff(group)) return [...itemsWithExcess(group)].map((item) => asideOfItem(group, orderNumber, item));
  const index = memberIndex(group, orderNumber);
  // Nothing is wanted, so everything picked goes aside. While the unit is in doubt, as the platform counts it.
  const picked = group.lines.filter(({ ledgerLines }) => (ledgerLines[index] ?? []).length > 0);
  return [...Map.groupBy(picked, ({ itemNumber }) => itemNumber ?? "")].map(([item, lines]) => {
    const isSure = lines.every(({ factor }) => factor !== null);
    const amount = total(lines.map(({ ledgerLines }) => pickedOf(ledgerLines[index] ?? [])));
    return { item, amount, unit: isSure ? unitOfLines(lines) : UnitOfMeasure.Piece };
  });
}

/**
 * Items with a line that has too much. Only these can have goods to put aside, and an order may have thousands of
 * items.
 */
export const itemsWithExcess = ({ lines }: OrderGroup): ReadonlySet<string> =>
  new Set(lines.flatMap(({ itemNumber, decision }) => ((decision?.excessAmount ?? 0) > 0 ? (itemNumber ?? []) : [])));
