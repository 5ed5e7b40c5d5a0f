import { UnitOfMeasure } from "../../../contract/enums.ts";
import { takenOf } from "../../ledger/ledger-line.ts";
import { carrierIndex, type Family, type FamilyLine, isCalledOff, isOver, pickedOf, tooMuchOf } from "../family.ts";
import { sumOfAccounts, total } from "../line-amounts.ts";
import { givenInTurn } from "../reconcile.ts";
import { type Goods, unitOfLines } from "./goods.ts";

/**
 * How many pieces of an item are to be put aside in one order of the family, in the lines' own unit: no more than is picked
 * in that order, and in all orders together no more than is too much. Told at each of them in full, it would be put aside
 * several times. The latest order gives first, and one that is over only what the others have not: its goods are gone.
 */
function putAsideIn(family: Family, orderNumber: string, itemNumber: string): number {
  const tooMuch = tooMuchOf(family, itemNumber);
  if (tooMuch <= 0) return 0;
  const own = linesOfItem(family, itemNumber);
  const latestFirst = [...family.carriers.entries()].reverse();
  // Whoever asks has the goods of this order in hand.
  const isAtHand = ([, carrier]: (typeof latestFirst)[number]) => carrier.number === orderNumber || !isOver(carrier);
  const inOrder = [...latestFirst.filter(isAtHand), ...latestFirst.filter((one) => !isAtHand(one))];
  const picked = inOrder.map(([index]) =>
    total(own.map((line) => sumOfAccounts(line, line.accounts[index] ?? [], takenOf))),
  );
  return givenInTurn(tooMuch, picked)[inOrder.findIndex(([, { number }]) => number === orderNumber)] ?? 0;
}

const linesOfItem = ({ lines }: Family, itemNumber: string): readonly FamilyLine[] =>
  lines.filter((line) => line.itemNumber === itemNumber);

/** The same with the unit it is told in. */
export const asideOfItem = (family: Family, orderNumber: string, item: string): Goods => ({
  ...{ item, amount: putAsideIn(family, orderNumber, item) },
  unit: unitOfLines(linesOfItem(family, item)),
});

/** The same of all items of an order that nothing more is to be picked of, each item by itself. */
export function asideInAll(family: Family, orderNumber: string): readonly Goods[] {
  if (!isCalledOff(family)) return [...itemsBeyond(family)].map((item) => asideOfItem(family, orderNumber, item));
  const index = carrierIndex(family, orderNumber);
  // Nothing is wanted in any unit: all that is picked of it. Where the unit is in doubt, as the platform counts it.
  const picked = family.lines.filter(({ accounts }) => (accounts[index] ?? []).length > 0);
  return [...Map.groupBy(picked, ({ itemNumber }) => itemNumber ?? "")].map(([item, lines]) => {
    const isSure = lines.every(({ factor }) => factor !== null);
    const amount = total(lines.map(({ accounts }) => pickedOf(accounts[index] ?? [])));
    return { item, amount, unit: isSure ? unitOfLines(lines) : UnitOfMeasure.Piece };
  });
}

/** Items with a line that has too much: of no other can anything be put aside, and an order may have thousands of them. */
export const itemsBeyond = ({ lines }: Family): ReadonlySet<string> =>
  new Set(lines.flatMap(({ itemNumber, decision }) => ((decision?.beyond ?? 0) > 0 ? (itemNumber ?? []) : [])));
