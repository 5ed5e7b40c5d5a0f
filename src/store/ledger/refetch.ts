import { type LedgerLine, roundAmount, takenOf } from "./ledger-line.ts";

/**
 * Set when the platform fetched the order again and gave the line another request id. It is the same line, so it keeps
 * its ledger line. What was picked under earlier ids is added to the amounts shown for the new id.
 */
export interface Refetch {
  /** The earlier ids, latest first. */
  readonly ids: readonly number[];
  /** What was picked under earlier ids. */
  readonly before: number;
  /**
   * True while something was picked before and no step has come under the present id: only a step tells whether its
   * count includes that.
   */
  readonly isFresh: boolean;
  /** The latest steps under the latest of the earlier ids: one of them may come again. Absent in earlier versions. */
  readonly lastSteps?: Readonly<Record<string, string>>;
}

/** Nobody works on an order that was fetched more often than this. */
const maxIds = 16;
/** Of so many earlier ids the latest steps are kept. */
const idsWithSteps = 4;

export const refetchOf = ({ refetch }: Pick<LedgerLine, "refetch">): Refetch | null =>
  // `rebound` and `withCountOf` below wrote it.
  refetch === null ? null : (JSON.parse(refetch) as Refetch);

/** Whether the platform showed the line under this id before it fetched the order again. */
export const wasShownAs = (line: Pick<LedgerLine, "refetch">, requestId: number | null): boolean =>
  requestId !== null && refetchOf(line)?.ids.includes(requestId) === true;

/** Whether the present id is known only from a model: its amount may or may not include what was picked before. */
export const isCountUnknown = (line: Pick<LedgerLine, "refetch">): boolean => refetchOf(line)?.isFresh === true;

/** What was picked under earlier ids: the platform's amounts for the present id do not include it. */
const pickedBefore = (line: LedgerLine): number => refetchOf(line)?.before ?? 0;

/** Converts an amount for the present id to an amount of the whole line. */
export const ofWholeLine = (line: LedgerLine, amount: number): number => roundAmount(amount + pickedBefore(line));

/** Converts an amount of the whole line to what the platform counts for the present id. */
export const ofPresentId = (line: LedgerLine, amount: number): number => roundAmount(amount - pickedBefore(line));

/** The ledger line after its line got another id from the platform. */
export function rebound(line: LedgerLine, requestId: number): LedgerLine {
  const earlier = refetchOf(line);
  const all = [...(line.requestId === null ? [] : [line.requestId]), ...(earlier?.ids ?? [])];
  const ids = [...new Set(all)].filter((id) => id !== requestId).slice(0, maxIds);
  const steps = new Map(Object.entries(earlier?.lastSteps ?? {}));
  if (line.requestId !== null && line.lastSteps !== null) steps.set(String(line.requestId), line.lastSteps);
  const refetch: Refetch = {
    ids,
    before: takenOf(line),
    isFresh: takenOf(line) > 0,
    lastSteps: Object.fromEntries([...steps].filter(([id]) => ids.slice(0, idsWithSteps).includes(Number(id)))),
  };
  // What was too much under the earlier id is part of what was picked before.
  const picked = takenOf(line);
  const requested = Math.max(line.requested, picked);
  const amounts = { requested, picked, overPicked: 0, cancelled: Math.min(line.cancelled, requested - picked) };
  // Steps of two ids may look alike, so each id has its own.
  const lastSteps = steps.get(String(requestId)) ?? null;
  return { ...line, ...amounts, requestId, refetch: JSON.stringify(refetch), lastSteps };
}

/**
 * The ledger line at a step. The first step under an id tells how much of what is picked the platform counts under it.
 */
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
