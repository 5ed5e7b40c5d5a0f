import { bookedOver } from "../ledger/book-placement.ts";
import { cancelOpen, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import { baseFactor, type Family, type FamilyLine, isOver, isPutWall } from "./family.ts";

/**
 * A put wall names the item and no line: what lies there is for whichever line of the item wants it. Where one line has more
 * than is wanted of it and another less, after a word of the external system, pieces are booked over to the other one;
 * otherwise a follow-up order would ask for goods that are there, also where the order has ended. Returns whether anything was booked.
 */
export function evenOutWall(ledger: Pick<Ledger, "book">, { carriers, lines }: Family): boolean {
  let isAny = false;
  for (const [index, carrier] of carriers.entries()) {
    if (!isPutWall(carrier)) continue;
    const own = lines.filter((line) => isSure(line) && (line.accounts[index] ?? []).length > 0);
    for (const alike of Map.groupBy(own, ({ itemNumber, factor }) => `${factor} ${itemNumber}`).values()) {
      const isMoved = alike.length > 1 && evenOut(ledger, index, alike, isOver(carrier));
      isAny = isMoved || isAny;
    }
  }
  return isAny;
}

const isSure = ({ decision, factor, facts }: FamilyLine): boolean =>
  decision !== null && factor !== null && facts.wanted !== null;

/** Gone through once: an order may have thousands of lines of one item. */
function evenOut(ledger: Pick<Ledger, "book">, index: number, lines: readonly FamilyLine[], isEnded: boolean): boolean {
  const balances = lines.map((line) => ({ line, short: shortOf(line), moved: 0 }));
  const lacking = balances.filter(({ short }) => short > 0);
  const giving = balances.filter(({ short }) => short < 0).values();
  let from = giving.next().value;
  for (const to of lacking) {
    while (from !== undefined && to.moved < to.short) {
      const spare = Math.min(-from.short, takenIn(from.line, index)) + from.moved;
      const moved = roundAmount(Math.min(to.short - to.moved, spare));
      to.moved = roundAmount(to.moved + moved);
      from.moved = roundAmount(from.moved - moved);
      if (moved === spare || moved <= 0) from = giving.next().value;
    }
  }
  const changed = balances.filter(({ moved }) => moved !== 0);
  for (const { line, moved } of changed) {
    for (const account of bookedOver(line.accounts[index] ?? [], moved)) {
      // Nothing of an order that has ended is open again because its goods count for another line.
      ledger.book(isEnded ? cancelOpen(account) : account);
    }
  }
  return changed.length > 0;
}

/** What is wanted of a line and not picked, in its own unit; below 0 what is too much. */
const shortOf = (line: FamilyLine): number => roundAmount((line.decision?.short ?? 0) / baseFactor(line));

/** Accounts of a put wall are in the line's own unit. */
const takenIn = ({ accounts }: FamilyLine, index: number): number =>
  (accounts[index] ?? []).reduce((sum, account) => sum + takenOf(account), 0);
