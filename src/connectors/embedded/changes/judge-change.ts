import { roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { concerns, isWholeOrder, type LineNames, lineKey } from "../ledger/line-sight.ts";
import { type Carrier, type Family, type FamilyLine, isOver, isWaiting } from "./family.ts";

export type Verdict = "removed" | "applied" | "partly" | "too-late";

/** A word of the external system that has no receipt yet. */
export interface OpenChange extends LineNames {
  /** The entry it came with. */
  readonly seq: number;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** In the line's own unit, as far as that is certain. */
  readonly picked: number;
  /** Nothing that is to be expected can change it any more. */
  readonly isFinal: boolean;
}

/** The lines whose latest word is this change; a line that got a newer word is that one's. */
export const linesOfChange = (family: Family, change: OpenChange): readonly FamilyLine[] =>
  family.lines.filter((line) => line.wordSeq === change.seq && concerns(change, line));

/** Whether newer words took the place of all of it. */
export function isReplaced(family: Family, change: OpenChange): boolean {
  if (linesOfChange(family, change).length > 0) return false;
  return !(isWholeOrder(change) && family.wanted.cancelledSeq === change.seq);
}

/** What came true of a change, and whether that is the last word on it. */
export function judgeChange(family: Family, change: OpenChange): Judgement {
  const lines = linesOfChange(family, change);
  const isEnded = family.carriers.every((carrier, index) => hasEnded(family, carrier, index, lines));
  const isSeen = !isWholeOrder(change) && lines.length > 0 && lines.every((line) => isReached(line, family.carriers));
  const amounts = lines.map(amountsOf);
  const total = (of: (amounts: LineAmounts) => number) => roundAmount(amounts.reduce((sum, own) => sum + of(own), 0));
  const picked = total((own) => own.picked);
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

function amountsOf(line: FamilyLine): LineAmounts {
  const factor = line.factor ?? 1;
  const accounts = line.accounts.flat();
  const inUnit = (amount: number, own: { readonly factor: number | null }) =>
    own.factor === null ? amount : amount / factor;
  const sum = (of: (account: (typeof accounts)[number]) => number) =>
    accounts.reduce((total, account) => total + inUnit(of(account), account), 0);
  return {
    wanted: line.wanted ?? 0,
    picked: sum(takenOf),
    shown: sum((account) => (account.factor === null ? 0 : account.requested)),
    asked: sum((account) => account.requested),
  };
}

/** The platform has shown all of the line, and nothing of it is left to be lowered. */
function isReached(line: FamilyLine, carriers: readonly Carrier[]): boolean {
  const { facts, decision, factor } = line;
  if (decision === null) return false;
  return facts.carriers.every(({ isWaiting: waits, mayHold, rows }, index) => {
    const carrier = carriers[index];
    if (carrier === undefined || isOver(carrier)) return true;
    // It may have been fetched as it was before.
    if (waits) return index > 0 && mostServed(carrier, line) * (factor ?? 1) <= (decision.held[index] ?? 0);
    if (rows.length === 0) return !mayHold;
    return rows.every(({ shown }, row) => shown !== null && shown <= (decision.targets[index]?.[row] ?? 0));
  });
}

const mostServed = ({ served }: Carrier, line: FamilyLine): number =>
  Math.max(
    0,
    ...served.map((content) => content.reduce((sum, own) => sum + (lineKey(own) === line.key ? own.amount : 0), 0)),
  );

/** Whether nothing of these lines is left to do in a carrier. A follow-up order that was withdrawn has nothing left. */
function hasEnded(family: Family, carrier: Carrier, index: number, lines: readonly FamilyLine[]): boolean {
  if (isOver(carrier)) return true;
  const hasLines = lines.some((line) => (line.accounts[index] ?? []).length > 0);
  if (index === 0) return false;
  if (isWaiting(carrier)) return lines.every((line) => (line.decision?.held[index] ?? 0) === 0);
  // One that holds none of the lines has no say.
  return !hasLines && family.carriers.length > 0;
}
