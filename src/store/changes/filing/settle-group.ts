import type { ProjectionEntry } from "../../../journal/inline-projection.ts";
import { presentOf, remainingOf, withShown } from "../../ledger/ledger-line.ts";
import { isWholeOrder } from "../../ledger/line-ref.ts";
import { evenOutWall } from "../even-out-wall.ts";
import { isCalledOff } from "../group/group-totals.ts";
import { isOrderEnded, isPutWall, isWaiting, type MemberOrder } from "../group/member-order.ts";
import { type GroupLine, memberIndex, type OrderGroup } from "../order-group.ts";
import { isUnchanged } from "../wanted.ts";
import type { Offered } from "../wanted-table.ts";
import { writeContents } from "../write-contents.ts";
import type { ChangeNeeds } from "./change-needs.ts";
import type { Change } from "./change-table.ts";
import { isReplaced, judgeChange, linesOfChange } from "./judge-change.ts";

/**
 * Called after anything was changed or booked. Every order of the group gets the content that was decided for it, an
 * order that is done ends, and changes whose outcome is final get their receipt.
 */
export function settleGroup(needs: ChangeNeeds, orderNumber: string, entry: ProjectionEntry): void {
  const { changed } = needs;
  const before = changed.readKept(orderNumber);
  const isEven = before === undefined || isUnchanged(before.wanted) || !evenOutWall(needs.ledger, before);
  const group = isEven ? before : changed.readKept(orderNumber);
  if (group !== undefined) writeContents(needs, group, entry.receivedAt);
  if (group === undefined || isUnchanged(group.wanted)) {
    endIfDone(needs, orderNumber, false);
    return;
  }
  const isOff = isCalledOff(group);
  let hasEnded = false;
  for (const member of group.members) {
    const isBegun = beginIfPicked(needs, member);
    // Asked first, because it is known at the first line that is open.
    const isSettled = needs.ledger.isSettled(member.number);
    const isDone = isSettled && !isAwaited(group, member) && endIfDone(needs, member.number, isOff);
    hasEnded = isDone || isBegun || hasEnded;
  }
  const after = hasEnded ? (changed.read(orderNumber) ?? group) : group;
  giveReceipts(needs, after, entry);
  // A scan's text depends on the change even when the content is the same: cached answers would show the old state.
  needs.orders.markCachesOutdated();
  needs.wanted.markDoubtful(after.root, isDoubtful(after));
}

/** Whether the platform works on a line whose unit is in doubt: no change can be offered for it. */
const isDoubtful = (group: OrderGroup): boolean =>
  group.lines.some(
    ({ decision, ledgerLines }) =>
      decision === null &&
      group.members.some((member, index) => !isOrderEnded(member) && (ledgerLines[index] ?? []).length > 0),
  );

/** Whether something is wanted of a line that the platform may have but has not shown. */
function isAwaited(group: OrderGroup, member: MemberOrder): boolean {
  const index = group.members.indexOf(member);
  const isWall = isPutWall(member);
  return group.lines.some(({ facts, decision }) => {
    const own = facts.members[index];
    if (own?.rows.length === 0) return own.mayHold && (decision?.heldAmounts[index] ?? 0) > 0;
    // A put wall shows nothing. What was raised since it began may be in its order, so the order is not over yet.
    return isWall && own?.rows.some(({ picked }, row) => (decision?.targets[index]?.[row] ?? 0) > picked);
  });
}

/**
 * Starts an order again that was cancelled while it waited, when somebody picks it all the same. Returns whether it
 * did.
 */
function beginIfPicked({ orders }: ChangeNeeds, { number, order, ledgerLines }: MemberOrder): boolean {
  const isPicked =
    order?.state === "cancelled" && order.worked && ledgerLines.some((ledgerLine) => remainingOf(ledgerLine) > 0);
  if (isPicked) orders.setState(number, "started");
  return isPicked;
}

/**
 * Ends a started order when all its lines are picked or cancelled. An order that was never pushed here has no known
 * end.
 */
function endIfDone({ orders, ledger }: ChangeNeeds, orderNumber: string, isOff: boolean): boolean {
  if (!ledger.isSettled(orderNumber) || orders.stateOf(orderNumber) !== "started") return false;
  // A cancelled order tells whoever scans it to put its goods aside.
  orders.setState(orderNumber, isOff ? "cancelled" : "finished");
  return true;
}

/** Whether the order was never pushed here and the floor has not worked on it either. */
const isUnseen = ({ order, ledgerLines }: MemberOrder): boolean => order === undefined && ledgerLines.length === 0;

function giveReceipts({ table, ledger, judged }: ChangeNeeds, group: OrderGroup, entry: ProjectionEntry): void {
  const isConcerned = judged.concernedBy(group);
  const step = ledger.stepCount(group.root);
  for (const change of table.open(group.root)) {
    if (!isConcerned(change)) continue;
    if (isReplaced(group, change)) {
      table.supersede(change, entry);
      continue;
    }
    table.markBegun(change, isBegun(group, change));
    const judgement = judgeChange(group, change);
    if (judgement.isFinal) table.settle(change, judgement, step, entry);
  }
  judged.keep(group);
}

/** Whether somebody works on an order that may have lines of the change. */
function isBegun(group: OrderGroup, change: Change): boolean {
  const lines = linesOfChange(group, change);
  return group.members.some((member, index) => {
    if (isWaiting(member) || isOrderEnded(member) || isUnseen(member)) return false;
    if (isWholeOrder(change)) return true;
    return lines.some(({ facts }) => {
      const own = facts.members[index];
      return own !== undefined && (own.mayHold || own.rows.length > 0);
    });
  });
}

/**
 * Settles two things when nothing has come for a while. A change to lines that nobody has begun was in time. And an
 * offer sent with the last step counts as taken over, because the contract has no event for the end of an order. If a
 * step comes later, its model is compared as usual.
 */
export function settleByTime(
  needs: ChangeNeeds,
  limits: { readonly untouchedBefore: number; readonly silentBefore: number },
  entry: ProjectionEntry,
): void {
  const { table, changed, ledger, wanted } = needs;
  for (const change of table.untouchedSince(limits.untouchedBefore)) {
    const group = changed.read(change.orderNumber);
    if (group === undefined) continue;
    table.settle(change, judgeChange(group, change), ledger.stepCount(group.root), entry);
  }
  for (const { orderNumber, offered } of wanted.silentSince(limits.silentBefore)) {
    bookOffered(needs, orderNumber, offered);
    wanted.forgetOffered(orderNumber);
    settleGroup(needs, orderNumber, entry);
    // Ledger lines in another unit stay open rather than getting a wrong amount; the change is settled all the same.
    const root = changed.rootOf(orderNumber);
    const group = changed.read(root);
    if (group === undefined) continue;
    const isOut = isTakenOver(group, orderNumber, new Map(offered));
    for (const change of table.open(root)) {
      const lines = linesOfChange(group, change);
      // Something of the line may have been offered before this change came. That offer does not settle this change.
      if (change.offered === 0 || !lines.some(isOut.inPart) || !lines.every(isOut.whole)) continue;
      table.settle(change, judgeChange(group, change), ledger.stepCount(root), entry);
    }
  }
}

/** Two questions about a line: was some of it offered, and was everything offered that the platform has too much of? */
function isTakenOver(group: OrderGroup, orderNumber: string, offered: ReadonlyMap<number, number>) {
  const index = memberIndex(group, orderNumber);
  const isOffered = (line: GroupLine, row: number) =>
    offered.has(line.ledgerLines[index]?.[row]?.position ?? Number.NaN);
  const rowsOf = ({ facts }: GroupLine) => [...(facts.members[index]?.rows ?? []).entries()];
  return {
    inPart: (line: GroupLine) => rowsOf(line).some(([row]) => isOffered(line, row)),
    whole: (line: GroupLine) =>
      rowsOf(line).every(
        ([row, { shown }]) =>
          isOffered(line, row) || (shown !== null && shown <= (line.decision?.targets[index]?.[row] ?? 0)),
      ),
  };
}

/** Books what was offered as if the platform had shown it. */
function bookOffered({ ledger }: ChangeNeeds, orderNumber: string, offered: Offered): void {
  const amounts = new Map(offered);
  for (const ledgerLine of ledger.ledgerLinesOf(orderNumber)) {
    const amount = amounts.get(ledgerLine.position);
    if (amount === undefined || ledgerLine.factor === null) continue;
    if (amount < presentOf(ledgerLine)) ledger.book(withShown(ledgerLine, amount));
  }
}
