import { takenOf } from "../../ledger/ledger-line.ts";
import { type Family, isCalledOff, isOver, pickedOf, tooMuchOf } from "../family.ts";
import { sumOfAccounts, total } from "../line-amounts.ts";
import { givenInTurn } from "../reconcile.ts";

/**
 * How many pieces of an item are to be put aside in one order of the family, in the lines' own unit: no more than is picked
 * in that order, and in all orders together no more than is too much. Told at each of them in full, it would be put aside
 * several times. The latest order gives first, and one that is over only what the others have not: its goods are gone.
 */
export function putAsideIn(family: Family, orderNumber: string, itemNumber: string): number {
  const tooMuch = tooMuchOf(family, itemNumber);
  if (tooMuch <= 0) return 0;
  const own = family.lines.filter((line) => line.itemNumber === itemNumber);
  const latestFirst = [...family.carriers.entries()].reverse();
  // Whoever asks has the goods of this order in hand.
  const isAtHand = ([, carrier]: (typeof latestFirst)[number]) => carrier.number === orderNumber || !isOver(carrier);
  const inOrder = [...latestFirst.filter(isAtHand), ...latestFirst.filter((one) => !isAtHand(one))];
  const picked = inOrder.map(([index]) =>
    total(own.map((line) => sumOfAccounts(line, line.accounts[index] ?? [], takenOf))),
  );
  return givenInTurn(tooMuch, picked)[inOrder.findIndex(([, { number }]) => number === orderNumber)] ?? 0;
}

/** The same of all items of an order that nothing more is to be picked of. */
export function putAsideInAll(family: Family, orderNumber: string): number {
  const index = family.carriers.findIndex(({ number }) => number === orderNumber);
  // Nothing is wanted in any unit: all that is picked of it, also where the unit is in doubt.
  if (isCalledOff(family)) return total(family.lines.map(({ accounts }) => pickedOf(accounts[index] ?? [])));
  return total([...itemsBeyond(family)].map((item) => putAsideIn(family, orderNumber, item)));
}

/** Items with a line that has too much: of no other can anything be put aside, and an order may have thousands of them. */
export const itemsBeyond = ({ lines }: Family): ReadonlySet<string> =>
  new Set(lines.flatMap(({ itemNumber, decision }) => ((decision?.beyond ?? 0) > 0 ? (itemNumber ?? []) : [])));
