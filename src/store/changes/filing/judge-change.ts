import { type LedgerLine, roundAmount, takenOf } from "../../ledger/ledger-line.ts";
import { concerns, isWholeOrder, type LineNames, lineKey } from "../../ledger/line-sight.ts";
import { type Carrier, type Family, type FamilyLine, isOver, isPutWall, isWaiting } from "../family.ts";
import type { LineFacts, RowFacts } from "../reconcile.ts";

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
  line.accounts.flat().length > 0 || carriers.some((carrier) => mostServed(carrier, line) > 0);

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
  const amounts = lines.map((line) => amountsOf(line, family.carriers));
  const total = (of: (amounts: LineAmounts) => number) => roundAmount(amounts.reduce((sum, own) => sum + of(own), 0));
  const isDoubtful = lines.some((line) => line.factor === null);
  const picked = isDoubtful ? null : total((own) => own.picked);
  return { verdict: verdictOf(total, lines), picked, isFinal: isEnded || isSeen };
}

interface LineAmounts {
  readonly wanted: number;
  readonly picked: number;
  /** The most the platform has shown of it. */
  readonly shown: number;
  /** The most it may have asked for. */
  readonly asked: number;
}

function verdictOf(total: (of: (amounts: LineAmounts) => number) => number, lines: readonly FamilyLine[]): Verdict {
  const picked = total((own) => own.picked);
  const isDoubtful = lines.some((line) => line.decision === null);
  if (isDoubtful || picked > total((own) => own.wanted)) {
    return picked >= total((own) => own.asked) ? "too-late" : "partly";
  }
  return total((own) => own.shown) > total((own) => own.wanted) ? "applied" : "removed";
}

function amountsOf(line: FamilyLine, carriers: readonly Carrier[]): LineAmounts {
  const factor = line.factor ?? 1;
  const sum = (of: (account: LedgerLine, carrier: Carrier) => number) =>
    line.accounts.reduce(
      (total, accounts, index) =>
        accounts.reduce((part, account) => {
          const carrier = carriers[index];
          const amount = carrier === undefined ? 0 : of(account, carrier);
          return part + (account.factor === null ? amount : amount / factor);
        }, total),
      0,
    );
  return {
    wanted: line.wanted ?? 0,
    picked: sum(takenOf),
    shown: sum((account) => (account.factor === null ? 0 : account.requested)),
    // A put wall shows nothing: there it is what was served.
    asked: sum((account, carrier) => (account.factor === null && !isPutWall(carrier) ? 0 : account.requested)),
  };
}

/** The platform has shown all of the line, and nothing of it is left to be lowered. */
const isReached = ([line]: readonly FamilyLine[], { carriers }: Family): boolean =>
  line !== undefined && isShownIn(line, carriers, (shown, target) => shown <= target);

/** An amount for several lines is reached where they have no more together, however they share it. */
function isReachedTogether(lines: readonly FamilyLine[], { carriers }: Family): boolean {
  if (!lines.every((line) => isShownIn(line, carriers, () => true))) return false;
  const total = (of: (line: FamilyLine) => number) => roundAmount(lines.reduce((sum, line) => sum + of(line), 0));
  const picked = total(({ facts }) => sumOfRows(facts, (row) => row.picked));
  const shown = total(({ facts }) => sumOfRows(facts, (row) => Math.max(row.picked, row.shown ?? 0)));
  return (
    shown <=
    Math.max(
      picked,
      total(({ facts }) => facts.wanted ?? 0),
    )
  );
}

const sumOfRows = ({ carriers }: LineFacts, of: (row: RowFacts) => number): number =>
  carriers.reduce((total, { rows }) => rows.reduce((sum, row) => sum + of(row), total), 0);

function isShownIn(
  line: FamilyLine,
  carriers: readonly Carrier[],
  isEnough: (shown: number, target: number) => boolean,
): boolean {
  const { facts, decision, factor } = line;
  if (decision === null) return false;
  return facts.carriers.every(({ isWaiting: waits, mayHold, rows }, index) => {
    const carrier = carriers[index];
    if (carrier === undefined || isOver(carrier)) return true;
    // It may have been fetched as it was before.
    if (waits) return index > 0 && mostServed(carrier, line) * (factor ?? 1) <= (decision.held[index] ?? 0);
    if (rows.length === 0) return !mayHold;
    return rows.every(({ shown }, row) => shown !== null && isEnough(shown, decision.targets[index]?.[row] ?? 0));
  });
}

const mostServed = ({ served }: Carrier, line: FamilyLine): number =>
  Math.max(
    0,
    ...served.map((content) => content.reduce((sum, own) => sum + (lineKey(own) === line.key ? own.amount : 0), 0)),
  );

/** Whether nothing of these lines is left to do in a carrier. */
function hasEnded(family: Family, index: number, lines: readonly FamilyLine[]): boolean {
  const carrier = family.carriers[index];
  if (carrier === undefined || isOver(carrier)) return true;
  if (index === 0) return false;
  // One that waits with other lines may have been fetched with these; one that was withdrawn has nothing left.
  if (isWaiting(carrier)) {
    return isWithdrawn(family, index) || lines.every((line) => mostServed(carrier, line) === 0);
  }
  // One that holds none of the lines has no say.
  return lines.every((line) => (line.accounts[index] ?? []).length === 0);
}

/** Whether nothing is left for a follow-up order that nobody has begun. */
const isWithdrawn = ({ lines }: Family, index: number): boolean =>
  lines.every(({ decision }) => (decision?.held[index] ?? 0) === 0);
