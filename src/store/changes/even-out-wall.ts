import { bookedOver } from "../ledger/book-placement.ts";
import { cancelOpen, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import { baseFactor } from "./group/line-facts.ts";
import { isOrderEnded, isPutWall } from "./group/member-order.ts";
import type { GroupLine, OrderGroup } from "./order-group.ts";

/**
 * A put wall names the item, not the line: pieces there serve any line of that item. After the external system changes
 * an order, one line may have too many pieces and another too few. This books pieces from the first to the second.
 * Without it, a follow-up order would ask for goods that are already there, even after the order has ended. Returns
 * whether anything was booked.
 */
export function evenOutWall(ledger: Pick<Ledger, "book">, { members, lines }: OrderGroup): boolean {
  let isAny = false;
  for (const [index, member] of members.entries()) {
    if (!isPutWall(member)) continue;
    const own = lines.filter((line) => isSure(line) && (line.ledgerLines[index] ?? []).length > 0);
    for (const sameItem of Map.groupBy(own, ({ itemNumber, factor }) => `${factor} ${itemNumber}`).values()) {
      const isMoved = sameItem.length > 1 && evenOut(ledger, index, sameItem, isOrderEnded(member));
      isAny = isMoved || isAny;
    }
  }
  return isAny;
}

const isSure = ({ decision, factor, facts }: GroupLine): boolean =>
  decision !== null && factor !== null && facts.wanted !== null;

/** One pass over the lines: an order may have thousands of lines of one item. */
function evenOut(ledger: Pick<Ledger, "book">, index: number, lines: readonly GroupLine[], isEnded: boolean): boolean {
  const balances = lines.map((line) => ({ line, missing: missingOf(line), moved: 0 }));
  const lacking = balances.filter(({ missing }) => missing > 0);
  const giving = balances.filter(({ missing }) => missing < 0).values();
  let from = giving.next().value;
  for (const to of lacking) {
    while (from !== undefined && to.moved < to.missing) {
      const spare = Math.min(-from.missing, takenIn(from.line, index)) + from.moved;
      const moved = roundAmount(Math.min(to.missing - to.moved, spare));
      to.moved = roundAmount(to.moved + moved);
      from.moved = roundAmount(from.moved - moved);
      if (moved === spare || moved <= 0) from = giving.next().value;
    }
  }
  const changed = balances.filter(({ moved }) => moved !== 0);
  for (const { line, moved } of changed) {
    for (const ledgerLine of bookedOver(line.ledgerLines[index] ?? [], moved)) {
      // Moving goods to another line must not open an order again that has ended.
      ledger.book(isEnded ? cancelOpen(ledgerLine) : ledgerLine);
    }
  }
  return changed.length > 0;
}

/** What is still missing of a line, in its own unit; negative when too much is picked. */
const missingOf = (line: GroupLine): number => roundAmount((line.decision?.missingAmount ?? 0) / baseFactor(line));

/** What is picked of a line in one order. Ledger lines of a put wall are in the line's own unit. */
const takenIn = ({ ledgerLines }: GroupLine, index: number): number =>
  (ledgerLines[index] ?? []).reduce((sum, ledgerLine) => sum + takenOf(ledgerLine), 0);
