import { type LedgerLine, type LineAmounts, roundAmount, stillShortPicked } from "./ledger-line.ts";

export interface StepAmounts {
  /** Requested now; null when the platform does not say. */
  readonly requested: number | null;
  /** Open before this confirmation. */
  readonly remaining: number | null;
  readonly confirmed: number;
  /** Identifies the step within its line. */
  readonly mark: string;
}

/** More steps of one line than are ever in transit at once: an older one that comes again was confirmed long ago. */
const rememberedSteps = 16;

/**
 * Returns the ledger line after a confirmed step; null when the step is booked already, because it is a retry of one of
 * the latest. The platform's own count wins over ours, which may have started midway. A step that a later one has
 * overtaken is part of that count, but it still counts as a step: its location is known only now.
 */
export function bookStep<Line extends LineAmounts>(line: Line, step: StepAmounts): Line | null {
  const known = line.lastSteps === null ? [] : (JSON.parse(line.lastSteps) as string[]);
  // Only a remaining amount tells the steps of a line apart. Without one, or while it stays 0, two different steps with
  // another in between may look the same.
  const isDistinct = step.remaining !== null && step.remaining > 0;
  const isKnown = isDistinct ? known.includes(step.mark) : known[0] === step.mark;
  if (step.confirmed > 0 && isKnown) return null;
  const lastSteps = JSON.stringify(
    [step.mark, ...known.filter((mark) => mark !== step.mark)].slice(0, rememberedSteps),
  );
  const counted = line.picked + line.overPicked;
  const wanted = step.requested ?? line.requested - line.cancelled;
  const before = takenBefore(counted, wanted, step.remaining);
  const taken = before + step.confirmed;
  if (step.confirmed > 0 && taken <= counted && Math.min(wanted, taken) <= line.picked) {
    return { ...line, steps: line.steps + 1, lastSteps };
  }

  const requested = Math.max(line.requested, wanted);
  const picked = roundAmount(Math.max(line.picked, Math.min(wanted, taken)));
  // What the platform no longer asks for was cancelled meanwhile, by one of our changes or on the floor.
  const cancelled = roundAmount(requested - Math.max(wanted, picked));
  const over = roundAmount(Math.max(line.overPicked, taken - picked));
  // Goods that are there are not short-picked: what was given up and arrived later counts as picked.
  const back = Math.min(stillShortPicked(line, cancelled), cancelled, roundAmount(over - line.overPicked));
  const left = roundAmount(cancelled - back);
  return {
    ...line,
    requested,
    picked: roundAmount(picked + back),
    cancelled: left,
    shortPicked: stillShortPicked(line, left),
    overPicked: roundAmount(over - back),
    steps: line.steps + 1,
    lastSteps,
  };
}

/** If nobody has ever said how much is requested, it is what has been confirmed, and nothing is too much. */
export function guessedRequest(line: LedgerLine, remaining: number | null, confirmed: number): number | null {
  const isKnown = line.intake !== null || remaining !== null;
  return isKnown ? null : Math.max(line.requested, line.picked + line.overPicked + confirmed);
}

function takenBefore(counted: number, wanted: number, remaining: number | null): number {
  if (remaining === null) return counted;
  // A line with nothing left shows 0, however much was picked beyond it: our own count is better here.
  if (remaining <= 0) return Math.max(wanted - remaining, counted);
  return Math.max(0, wanted - remaining);
}
