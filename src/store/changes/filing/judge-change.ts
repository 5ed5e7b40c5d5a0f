import { oncePer } from "../../../kit/recent-values.ts";
import { askedAtWall, takenOf } from "../../ledger/ledger-line.ts";
import { concerns, isWholeOrder, type LineNames, lineKey } from "../../ledger/line-ref.ts";
import { isOrderEnded, isPutWall, isWaiting, type MemberOrder } from "../group/member-order.ts";
import { isServedWithin, mostServed, sumOfRows, sumsOf, total } from "../line-amounts.ts";
import { type GroupLine, lineOf, type OrderGroup } from "../order-group.ts";
import type { RowFacts } from "../reconcile.ts";

export type Verdict = "removed" | "applied" | "partly" | "too-late";

/** A change from the external system that has no receipt yet. */
export interface OpenChange extends LineNames {
  /** Sequence number of the journal entry it came with. */
  readonly seq: number;
  /** The one line it is about when it came with an order; null: all lines that its names match. */
  readonly lineKey: string | null;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** In the line's own unit; null when that is in doubt. */
  readonly picked: number | null;
  /** Whether nothing is expected to change the verdict any more. */
  readonly isFinal: boolean;
}

/** The lines whose latest change is this one. A line with a newer change belongs to the newer one. */
export function linesOfChange(group: OrderGroup, change: OpenChange): readonly GroupLine[] {
  const { seq } = change;
  // An external id is the key of its line.
  const key = change.lineKey ?? change.externalId;
  if (key === null) return group.lines.filter((line) => line.changeSeq === seq && concerns(change, line));
  const line = lineOf(group, key);
  return line?.changeSeq === seq && (change.lineKey !== null || concerns(change, line)) ? [line] : [];
}

/** Whether any order of the group has the line, or may have it. */
const isHeld = ({ members }: OrderGroup, line: GroupLine): boolean =>
  line.ledgerLines.flat().length > 0 || members.some((member) => mostServed(member, line.key) > 0);

/** Whether newer changes have replaced this change on all its lines. */
export function isReplaced(group: OrderGroup, change: OpenChange): boolean {
  const lines = linesOfChange(group, change);
  if (!isWholeOrder(change)) return lines.length === 0;
  const empty = new Set(group.wanted.lines.filter(({ wasNothing }) => wasNothing).map(lineKey));
  const isOwn = (line: GroupLine) => isHeld(group, line) && !empty.has(line.key);
  // Only lines that an order has, and that were wanted before, count. Other lines would keep a cancelled order's change
  // open after it is wanted again.
  if (group.lines.some(isOwn)) return !lines.some(isOwn);
  // No lines are known yet: the cancellation stands for all of them until another change replaces it.
  return group.wanted.cancelledSeq !== change.seq;
}

/** What came true of a change, and whether that is final. */
export function judgeChange(group: OrderGroup, change: OpenChange): Judgement {
  const lines = linesOfChange(group, change);
  const isEnded = group.members.every((_, index) => hasEnded(group, index, lines));
  const isShown = !isWholeOrder(change) && (lines.length > 1 ? isReachedInSum(lines, group) : isReached(lines, group));
  const sums = lines.map((line) => sumsOf(line, group.members));
  const isDoubtful = lines.some((line) => line.factor === null);
  const picked = isDoubtful ? null : total(sums.map((own) => own.picked));
  return { verdict: verdictOf(sums, lines), picked, isFinal: isEnded || isShown };
}

function verdictOf(sums: readonly ReturnType<typeof sumsOf>[], lines: readonly GroupLine[]): Verdict {
  const picked = total(sums.map((own) => own.picked));
  const wanted = total(sums.map((own) => own.wanted));
  const isDoubtful = lines.some((line) => line.decision === null);
  if (isDoubtful || picked > wanted) {
    return picked >= total(sums.map((own) => own.asked)) ? "too-late" : "partly";
  }
  return total(sums.map((own) => own.shown)) > wanted ? "applied" : "removed";
}

/** Whether the platform has shown all of the line and nothing of it is left to lower. */
const isReached = ([line]: readonly GroupLine[], { members }: OrderGroup): boolean =>
  line !== undefined && isShownIn(line, members, (shown, target) => shown <= target);

/** An amount for several lines is reached when together they show no more, however they share it. */
function isReachedInSum(lines: readonly GroupLine[], { members }: OrderGroup): boolean {
  if (!lines.every((line) => isShownIn(line, members, () => true))) return false;
  const picked = total(lines.map((line) => sumOfRows(line, (row) => row.picked)));
  const wanted = total(lines.map(({ facts }) => facts.wanted ?? 0));
  const had = ({ picked: own, shown }: RowFacts) => (shown !== null && shown > own ? shown : own);
  const shown = total(lines.map((line) => sumOfRows(line, had)));
  return shown <= picked || shown <= wanted;
}

function isShownIn(
  line: GroupLine,
  members: readonly MemberOrder[],
  isEnough: (shown: number, target: number) => boolean,
): boolean {
  const { facts, decision } = line;
  if (decision === null) return false;
  return facts.members.every(({ isWaiting: waits, mayHold, rows }, index) => {
    const member = members[index];
    if (member === undefined) return true;
    if (isOrderEnded(member)) return !mayBeAtWall(line, member, index);
    // The order may have been fetched with its earlier content.
    if (waits) return index > 0 && isServedWithin(member, line, index);
    if (rows.length === 0) return !mayHold;
    return rows.every(({ shown }, row) => shown !== null && isEnough(shown, decision.targets[index]?.[row] ?? 0));
  });
}

/** Whether nothing of these lines is left to do in a member. */
function hasEnded(group: OrderGroup, index: number, lines: readonly GroupLine[]): boolean {
  const member = group.members[index];
  if (member === undefined) return true;
  if (isOrderEnded(member)) return !lines.some((line) => mayBeAtWall(line, member, index));
  if (index === 0) return false;
  // A waiting order with other lines may have been fetched with these too. A withdrawn one has nothing left.
  if (isWaiting(member)) {
    return isWithdrawn(group, index) || lines.every((line) => mostServed(member, line.key) === 0);
  }
  // A running order without ledger lines for these lines cannot change the outcome.
  return lines.every((line) => (line.ledgerLines[index] ?? []).length === 0);
}

/**
 * Whether a put wall may still ask for more of a line than is wanted. It shows no amounts: when all that is wanted lies
 * there, it may still go on with the amount it was served before.
 */
const mayBeAtWall = ({ ledgerLines, facts }: GroupLine, member: MemberOrder, index: number): boolean =>
  isPutWall(member) &&
  (ledgerLines[index] ?? []).some(
    (ledgerLine) => ledgerLine.cancelled === 0 && askedAtWall(ledgerLine).requested > takenOf(ledgerLine),
  ) &&
  facts.wanted !== null;

/** Whether a follow-up order that nobody has begun has nothing left to pick. */
const isWithdrawn = (group: OrderGroup, index: number): boolean => withdrawn(group)[index] === true;

/** For each member: whether it has nothing left to pick of any line. */
export const withdrawn = oncePer(({ members, lines }: OrderGroup) =>
  members.map((_, index) => lines.every(({ decision }) => (decision?.heldAmounts[index] ?? 0) === 0)),
);
