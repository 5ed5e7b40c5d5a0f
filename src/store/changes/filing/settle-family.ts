import type { ProjectionEntry } from "../../../journal/inline-projection.ts";
import { presentOf, remainingOf, withShown } from "../../ledger/ledger-line.ts";
import { isWholeOrder } from "../../ledger/line-sight.ts";
import { evenOutWall } from "../even-out-wall.ts";
import {
  type Carrier,
  carrierIndex,
  type Family,
  type FamilyLine,
  isCalledOff,
  isOver,
  isPutWall,
  isWaiting,
} from "../family.ts";
import { isUnchanged } from "../wanted.ts";
import type { Offered } from "../wanted-table.ts";
import { writeContents } from "../write-contents.ts";
import type { ChangeNeeds } from "./change-needs.ts";
import type { Change } from "./change-table.ts";
import { isReplaced, judgeChange, linesOfChange } from "./judge-change.ts";

/**
 * After anything was said or booked: every order of the family gets the content that was decided for it, an order that
 * is done ends, and changes whose outcome is final get their receipt.
 */
export function settleFamily(needs: ChangeNeeds, orderNumber: string, entry: ProjectionEntry): void {
  const { changed } = needs;
  const before = changed.readKept(orderNumber);
  const isEven = before === undefined || isUnchanged(before.wanted) || !evenOutWall(needs.ledger, before);
  const family = isEven ? before : changed.readKept(orderNumber);
  if (family !== undefined) writeContents(needs, family, entry.receivedAt);
  if (family === undefined || isUnchanged(family.wanted)) {
    endIfDone(needs, orderNumber, false);
    return;
  }
  const isOff = isCalledOff(family);
  let hasEnded = false;
  for (const carrier of family.carriers) {
    const isBegun = beginIfPicked(needs, carrier);
    const isDone = !isAwaited(family, carrier) && endIfDone(needs, carrier.number, isOff);
    hasEnded = isDone || isBegun || hasEnded;
  }
  const after = hasEnded ? (changed.read(orderNumber) ?? family) : family;
  giveReceipts(needs, after, entry);
  // A scan says how the order stands, also where its content is the same as before: kept answers would say it as it was.
  needs.orders.touch();
  needs.wanted.markDoubtful(after.root, isDoubtful(after));
}

/** Whether the platform works on a line whose unit is in doubt: nothing can be offered for it. */
const isDoubtful = (family: Family): boolean =>
  family.lines.some(
    ({ decision, accounts }) =>
      decision === null &&
      family.carriers.some((carrier, index) => !isOver(carrier) && (accounts[index] ?? []).length > 0),
  );

/** Whether something is wanted of a line that the platform may have and has not shown. */
function isAwaited(family: Family, carrier: Carrier): boolean {
  const index = family.carriers.indexOf(carrier);
  const isWall = isPutWall(carrier);
  return family.lines.some(({ facts, decision }) => {
    const own = facts.carriers[index];
    if (own?.rows.length === 0) return own.mayHold && (decision?.held[index] ?? 0) > 0;
    // A put wall shows nothing: what was raised since it began may be in its order, and is waited for.
    return isWall && own?.rows.some(({ picked }, row) => (decision?.targets[index]?.[row] ?? 0) > picked);
  });
}

/** An order that was cancelled while it waited, and that somebody picks all the same, is being picked. */
function beginIfPicked({ orders }: ChangeNeeds, { number, order, accounts }: Carrier): boolean {
  const isPicked = order?.state === "cancelled" && order.worked && accounts.some((account) => remainingOf(account) > 0);
  if (isPicked) orders.setState(number, "started");
  return isPicked;
}

/** Ends an order in the store whose lines are all picked or cancelled. One that came by other ways has no known end. */
function endIfDone({ orders, ledger }: ChangeNeeds, orderNumber: string, isOff: boolean): boolean {
  if (!ledger.isSettled(orderNumber) || orders.stateOf(orderNumber) !== "started") return false;
  // Whoever scans a cancelled order is to put its goods aside.
  orders.setState(orderNumber, isOff ? "cancelled" : "finished");
  return true;
}

/** An order that never came here, and that the floor has not spoken of either. */
const isUnseen = ({ order, accounts }: Carrier): boolean => order === undefined && accounts.length === 0;

function giveReceipts({ table, ledger }: ChangeNeeds, family: Family, entry: ProjectionEntry): void {
  for (const change of table.open(family.root)) {
    if (isReplaced(family, change)) {
      table.supersede(change, entry);
      continue;
    }
    table.markBegun(change, isBegun(family, change));
    const judgement = judgeChange(family, change);
    if (judgement.isFinal) table.settle(change, judgement, ledger.stepCount(family.root), entry);
  }
}

/** Whether somebody works on an order that may have lines of the change. */
function isBegun(family: Family, change: Change): boolean {
  const lines = linesOfChange(family, change);
  return family.carriers.some((carrier, index) => {
    if (isWaiting(carrier) || isOver(carrier) || isUnseen(carrier)) return false;
    if (isWholeOrder(change)) return true;
    return lines.some(({ facts }) => {
      const own = facts.carriers[index];
      return own !== undefined && (own.mayHold || own.rows.length > 0);
    });
  });
}

/**
 * Two things are told by silence. A change to lines that nobody has begun was in time. And the contract has no end of
 * an order: what went out with the last step was taken over, and nothing ever says so. Should a step come all the same,
 * its model is looked at as before.
 */
export function settleByTime(
  needs: ChangeNeeds,
  limits: { readonly untouchedBefore: number; readonly silentBefore: number },
  entry: ProjectionEntry,
): void {
  const { table, changed, ledger, wanted } = needs;
  for (const change of table.untouchedSince(limits.untouchedBefore)) {
    const family = changed.read(change.orderNumber);
    if (family === undefined) continue;
    table.settle(change, judgeChange(family, change), ledger.stepCount(family.root), entry);
  }
  for (const { orderNumber, offered } of wanted.silentSince(limits.silentBefore)) {
    takeOver(needs, orderNumber, offered);
    wanted.forgetOffered(orderNumber);
    settleFamily(needs, orderNumber, entry);
    // What cannot be said in the unit of the accounts stays open there rather than wrong; the change is over.
    const root = changed.rootOf(orderNumber);
    const family = changed.read(root);
    if (family === undefined) continue;
    const isOut = isTakenOver(family, orderNumber, new Map(offered));
    for (const change of table.open(root)) {
      const lines = linesOfChange(family, change);
      // Of the line something may have been offered before this change came: that was not this change.
      if (change.offered === 0 || !lines.some(isOut.inPart) || !lines.every(isOut.whole)) continue;
      table.settle(change, judgeChange(family, change), ledger.stepCount(root), entry);
    }
  }
}

/** Of a line: whether some of it, and all that the platform has too much of, was offered before the silence. */
function isTakenOver(family: Family, orderNumber: string, offered: ReadonlyMap<number, number>) {
  const index = carrierIndex(family, orderNumber);
  const isOffered = (line: FamilyLine, row: number) => offered.has(line.accounts[index]?.[row]?.position ?? Number.NaN);
  const rowsOf = ({ facts }: FamilyLine) => [...(facts.carriers[index]?.rows ?? []).entries()];
  return {
    inPart: (line: FamilyLine) => rowsOf(line).some(([row]) => isOffered(line, row)),
    whole: (line: FamilyLine) =>
      rowsOf(line).every(
        ([row, { shown }]) =>
          isOffered(line, row) || (shown !== null && shown <= (line.decision?.targets[index]?.[row] ?? 0)),
      ),
  };
}

/** Books what was offered as if the platform had shown it. */
function takeOver({ ledger }: ChangeNeeds, orderNumber: string, offered: Offered): void {
  const amounts = new Map(offered);
  for (const account of ledger.accountsOf(orderNumber)) {
    const amount = amounts.get(account.position);
    if (amount === undefined || account.factor === null) continue;
    if (amount < presentOf(account)) ledger.book(withShown(account, amount));
  }
}
