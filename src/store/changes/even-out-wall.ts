import { type LedgerLine, roundAmount, stillCut, takenOf } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import { type Family, type FamilyLine, isOver, isPutWall } from "./family.ts";

/**
 * A put wall names the item and no line: what lies there is for whichever line of the item wants it. Where one line has more
 * than is wanted of it and another less, after a word of the external system, pieces are booked over to the other one;
 * otherwise a follow-up order would ask for goods that are there. Returns whether anything was booked.
 */
export function evenOutWall(ledger: Pick<Ledger, "book">, { carriers, lines }: Family): boolean {
  let isAny = false;
  for (const [index, carrier] of carriers.entries()) {
    if (!isPutWall(carrier) || isOver(carrier)) continue;
    const own = lines.filter((line) => isSure(line) && (line.accounts[index] ?? []).length > 0);
    for (const alike of Map.groupBy(own, ({ itemNumber, factor }) => `${factor} ${itemNumber}`).values()) {
      const isMoved = alike.length > 1 && evenOut(ledger, index, alike);
      isAny = isMoved || isAny;
    }
  }
  return isAny;
}

const isSure = ({ decision, factor, facts }: FamilyLine): boolean =>
  decision !== null && factor !== null && facts.wanted !== null;

/** Gone through once: an order may have thousands of lines of one item. */
function evenOut(ledger: Pick<Ledger, "book">, index: number, lines: readonly FamilyLine[]): boolean {
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
  for (const { line, moved } of changed) bookOver(ledger, line.accounts[index] ?? [], moved);
  return changed.length > 0;
}

/** What is wanted of a line and not picked, in its own unit; below 0 what is too much. */
const shortOf = ({ decision, factor }: FamilyLine): number => roundAmount((decision?.short ?? 0) / (factor ?? 1));

/** Accounts of a put wall are in the line's own unit. */
const takenIn = ({ accounts }: FamilyLine, index: number): number =>
  (accounts[index] ?? []).reduce((sum, account) => sum + takenOf(account), 0);

function bookOver(ledger: Pick<Ledger, "book">, accounts: readonly LedgerLine[], amount: number): void {
  let left = amount;
  for (const [place, account] of accounts.entries()) {
    // What no account has room for stays on the last one; what is taken away leaves none below nothing.
    const isLast = place === accounts.length - 1;
    const room = Math.max(0, Math.max(account.requested, account.intake ?? 0) - account.cancelled - takenOf(account));
    const share = left < 0 ? Math.max(left, -takenOf(account)) : isLast ? left : Math.min(left, room);
    left = roundAmount(left - share);
    if (share !== 0) ledger.book(withTaken(account, roundAmount(takenOf(account) + share)));
  }
}

function withTaken(account: LedgerLine, taken: number): LedgerLine {
  const requested = Math.max(account.requested, Math.min(account.intake ?? 0, taken));
  // Goods that are there are not cancelled: what was given up and came after all is picked.
  const cancelled = roundAmount(Math.max(0, Math.min(account.cancelled, requested - taken)));
  const picked = Math.min(taken, roundAmount(requested - cancelled));
  const overPicked = roundAmount(taken - picked);
  return { ...account, requested, cancelled, cut: stillCut(account, cancelled), picked, overPicked };
}
