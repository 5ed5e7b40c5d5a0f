import { askedAtWall, takenOf } from "../../ledger/ledger-line.ts";
import { concerns, isWholeOrder, type LineNames } from "../../ledger/line-sight.ts";
import { type Carrier, type Family, type FamilyLine, isOver, isPutWall, isWaiting } from "../family.ts";
import { isServedWithin, mostServed, sumOfRows, sumsOf, total } from "../line-amounts.ts";
import type { RowFacts } from "../reconcile.ts";

export type Verdict = "removed" | "applied" | "partly" | "too-late";

/** A word of the external system that has no receipt yet. */
export interface OpenChange extends LineNames {
  /** The entry it came with. */
  readonly seq: number;
  /** The one line it is about, where it came with an order; null: all lines that its names are about. */
  readonly lineKey: string | null;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** In the line's own unit; null where that is in doubt. */
  readonly picked: number | null;
  /** Nothing that is to be expected can change it any more. */
  readonly isFinal: boolean;
}

/** The lines whose latest word is this change; a line that got a newer word is that one's. */
export const linesOfChange = (family: Family, change: OpenChange): readonly FamilyLine[] =>
  family.lines.filter(
    (line) =>
      line.wordSeq === change.seq && (change.lineKey === null ? concerns(change, line) : change.lineKey === line.key),
  );

/** Whether any order of the family has the line, or may have it. */
const isHeld = ({ carriers }: Family, line: FamilyLine): boolean =>
  line.accounts.flat().length > 0 || carriers.some((carrier) => mostServed(carrier, line.key) > 0);

/** Whether newer words took the place of all of it. */
export function isReplaced(family: Family, change: OpenChange): boolean {
  const lines = linesOfChange(family, change);
  if (!isWholeOrder(change)) return lines.length === 0;
  const isOwn = (line: FamilyLine) => isHeld(family, line);
  // A line that nobody has would keep the word on the whole order for ever, although the order is wanted again.
  if (family.lines.some(isOwn)) return !lines.some(isOwn);
  // Of an order whose lines nobody knows yet, the cancellation stands for all of them.
  return family.wanted.cancelledSeq !== change.seq;
}

/** What came true of a change, and whether that is the last word on it. */
export function judgeChange(family: Family, change: OpenChange): Judgement {
  const lines = linesOfChange(family, change);
  const isEnded = family.carriers.every((_, index) => hasEnded(family, index, lines));
  const isSeen =
    !isWholeOrder(change) && (lines.length > 1 ? isReachedTogether(lines, family) : isReached(lines, family));
  const sums = lines.map((line) => sumsOf(line, family.carriers));
  const isDoubtful = lines.some((line) => line.factor === null);
  const picked = isDoubtful ? null : total(sums.map((own) => own.picked));
  return { verdict: verdictOf(sums, lines), picked, isFinal: isEnded || isSeen };
}

function verdictOf(sums: readonly ReturnType<typeof sumsOf>[], lines: readonly FamilyLine[]): Verdict {
  const picked = total(sums.map((own) => own.picked));
  const wanted = total(sums.map((own) => own.wanted));
  const isDoubtful = lines.some((line) => line.decision === null);
  if (isDoubtful || picked > wanted) {
    return picked >= total(sums.map((own) => own.asked)) ? "too-late" : "partly";
  }
  return total(sums.map((own) => own.shown)) > wanted ? "applied" : "removed";
}

/** The platform has shown all of the line, and nothing of it is left to be lowered. */
const isReached = ([line]: readonly FamilyLine[], { carriers }: Family): boolean =>
  line !== undefined && isShownIn(line, carriers, (shown, target) => shown <= target);

/** An amount for several lines is reached where they have no more together, however they share it. */
function isReachedTogether(lines: readonly FamilyLine[], { carriers }: Family): boolean {
  if (!lines.every((line) => isShownIn(line, carriers, () => true))) return false;
  const picked = total(lines.map((line) => sumOfRows(line, (row) => row.picked)));
  const wanted = total(lines.map(({ facts }) => facts.wanted ?? 0));
  const had = ({ picked: own, shown }: RowFacts) => (shown !== null && shown > own ? shown : own);
  const shown = total(lines.map((line) => sumOfRows(line, had)));
  return shown <= picked || shown <= wanted;
}

function isShownIn(
  line: FamilyLine,
  carriers: readonly Carrier[],
  isEnough: (shown: number, target: number) => boolean,
): boolean {
  const { facts, decision } = line;
  if (decision === null) return false;
  return facts.carriers.every(({ isWaiting: waits, mayHold, rows }, index) => {
    const carrier = carriers[index];
    if (carrier === undefined) return true;
    if (isOver(carrier)) return !mayBeAtWall(line, carrier, index);
    // It may have been fetched as it was before.
    if (waits) return index > 0 && isServedWithin(carrier, line, index);
    if (rows.length === 0) return !mayHold;
    return rows.every(({ shown }, row) => shown !== null && isEnough(shown, decision.targets[index]?.[row] ?? 0));
  });
}

/** Whether nothing of these lines is left to do in a carrier. */
function hasEnded(family: Family, index: number, lines: readonly FamilyLine[]): boolean {
  const carrier = family.carriers[index];
  if (carrier === undefined) return true;
  if (isOver(carrier)) return !lines.some((line) => mayBeAtWall(line, carrier, index));
  if (index === 0) return false;
  // One that waits with other lines may have been fetched with these; one that was withdrawn has nothing left.
  if (isWaiting(carrier)) {
    return isWithdrawn(family, index) || lines.every((line) => mostServed(carrier, line.key) === 0);
  }
  // One that holds none of the lines has no say.
  return lines.every((line) => (line.accounts[index] ?? []).length === 0);
}

/**
 * Whether a put wall may still have more of a line than is wanted. It shows no amounts: that all that is wanted lies there
 * does not say that it is done with what it was served before.
 */
const mayBeAtWall = ({ accounts, facts }: FamilyLine, carrier: Carrier, index: number): boolean =>
  isPutWall(carrier) &&
  (accounts[index] ?? []).some(
    (account) => account.cancelled === 0 && askedAtWall(account).requested > takenOf(account),
  ) &&
  facts.wanted !== null;

/** Whether nothing is left for a follow-up order that nobody has begun. */
const isWithdrawn = ({ lines }: Family, index: number): boolean =>
  lines.every(({ decision }) => (decision?.held[index] ?? 0) === 0);
