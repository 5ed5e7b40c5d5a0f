import { type LineAmounts, roundAmount } from "./ledger-line.ts";

export interface StepAmounts {
  /** Requested now; null where the platform does not say. */
  readonly requested: number | null;
  /** Open before this confirmation. */
  readonly remaining: number | null;
  readonly confirmed: number;
  /** All that identifies the step within its line. */
  readonly mark: string;
}

/**
 * The account after a confirmed step, or null where the step is in it already: the latest one sent again,
 * or an older one that comes late. The platform's own count wins over ours, which may have started midway.
 */
export function bookStep<Line extends LineAmounts>(line: Line, step: StepAmounts): Line | null {
  if (step.confirmed > 0 && line.lastStep === step.mark) return null;
  const counted = line.picked + line.overPicked;
  const wanted = step.requested ?? line.requested - line.cancelled;
  const before = takenBefore(counted, wanted, step.remaining);
  const taken = before + step.confirmed;
  if (step.confirmed > 0 && taken <= counted && Math.min(wanted, taken) <= line.picked) return null;

  const requested = Math.max(line.requested, wanted);
  const picked = roundAmount(Math.max(line.picked, Math.min(wanted, taken)));
  return {
    ...line,
    requested,
    picked,
    // What the platform no longer asks for was cancelled on the way, by a change of ours or on the floor.
    cancelled: roundAmount(requested - Math.max(wanted, picked)),
    overPicked: roundAmount(Math.max(line.overPicked, taken - picked)),
    steps: line.steps + 1,
    lastStep: step.mark,
  };
}

function takenBefore(counted: number, wanted: number, remaining: number | null): number {
  if (remaining === null) return counted;
  // A line that has nothing left shows 0 however much was picked beyond it: here our count is the better one.
  if (remaining <= 0) return Math.max(wanted - remaining, counted);
  return Math.max(0, wanted - remaining);
}
