import { type LedgerLine, roundAmount, takenOf } from "./ledger-line.ts";

/**
 * The platform has fetched the order again and gave the line another request id. The line is the same one, so it keeps
 * its account; what was picked under the other ids stands beside the amounts shown for the new one.
 */
export interface Refetch {
  /** The ids it had before, the latest first. */
  readonly ids: readonly number[];
  /** Picked under other ids than the present one. */
  readonly before: number;
  /** Something was picked before, and no step has come under the present id yet: only a step tells whether it counts it. */
  readonly isFresh: boolean;
}

/** An order fetched more often than this is no order a person works on. */
const maxIds = 16;

export const refetchOf = ({ refetch }: Pick<LedgerLine, "refetch">): Refetch | null =>
  // Written below.
  refetch === null ? null : (JSON.parse(refetch) as Refetch);

/** Known under its present id by a model only: it may count what was picked before, or not. */
export const isCountUnknown = (line: Pick<LedgerLine, "refetch">): boolean => refetchOf(line)?.isFresh === true;

/** What was picked under other ids of the platform: its amounts for the present one do not know of it. */
const pickedBefore = (line: LedgerLine): number => refetchOf(line)?.before ?? 0;

/** An amount that the platform has for the present id, in terms of the whole line. */
export const ofWholeLine = (line: LedgerLine, amount: number): number => roundAmount(amount + pickedBefore(line));

/** An amount of the whole line, as the platform counts it for the present id. */
export const ofPresentId = (line: LedgerLine, amount: number): number => roundAmount(amount - pickedBefore(line));

/** The account under another id of the platform. */
export function rebound(line: LedgerLine, requestId: number): LedgerLine {
  const known = refetchOf(line)?.ids ?? [];
  const ids = [...(line.requestId === null ? [] : [line.requestId]), ...known].filter((id) => id !== requestId);
  const refetch: Refetch = {
    ids: [...new Set(ids)].slice(0, maxIds),
    before: takenOf(line),
    isFresh: takenOf(line) > 0,
  };
  // What was too much under the other id is part of what was picked before.
  const picked = takenOf(line);
  const requested = Math.max(line.requested, picked);
  const amounts = { requested, picked, overPicked: 0, cancelled: Math.min(line.cancelled, requested - picked) };
  // Steps of two ids may look alike: the marks of the earlier one say nothing about the later.
  return { ...line, ...amounts, requestId, refetch: JSON.stringify(refetch), lastSteps: null };
}

/** The account at a step: the first under an id tells how much of what is picked the platform has counted under it. */
export function withCountOf(
  line: LedgerLine,
  step: { requested: number | null; remaining: number | null },
): LedgerLine {
  const refetch = refetchOf(line);
  if (refetch === null || !refetch.isFresh) return line;
  const counted = step.requested === null || step.remaining === null ? 0 : step.requested - step.remaining;
  const before = roundAmount(Math.max(0, takenOf(line) - Math.max(0, counted)));
  return { ...line, refetch: JSON.stringify({ ...refetch, before, isFresh: false }) };
}
