import { type LedgerLine, type LineAmounts, roundAmount, stillCut } from "./ledger-line.ts";

export interface StepAmounts {
  /** Requested now; null where the platform does not say. */
  readonly requested: number | null;
  /** Open before this confirmation. */
  readonly remaining: number | null;
  readonly confirmed: number;
  /** Identifies the step within its line. */
  readonly mark: string;
}

/** More steps of one line than are ever on their way at once: an older one that comes again was confirmed long ago. */
const rememberedSteps = 16;

/**
 * The account after a confirmed step, or null where the step is in it already: one of the latest, sent again. The
 * platform's own count wins over ours, which may have started midway. One that a later step has overtaken is in that
 * count already, but it is a step of its own: where its goods were taken from is known only now.
 */
export function bookStep<Line extends LineAmounts>(line: Line, step: StepAmounts): Line | null {
  const known = line.lastSteps === null ? [] : (JSON.parse(line.lastSteps) as string[]);
  // Only a remaining amount distinguishes the steps of a line. Without one, or if it stays 0, two steps with another in
  // between may look alike and still be two steps.
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
  // What the platform no longer asks for was cancelled on the way, by a change of ours or on the floor.
  const cancelled = roundAmount(requested - Math.max(wanted, picked));
  const over = roundAmount(Math.max(line.overPicked, taken - picked));
  // Goods that are there are not cut short: what the floor had given up and brings after all is picked.
  const back = Math.min(stillCut(line, cancelled), cancelled, roundAmount(over - line.overPicked));
  const left = roundAmount(cancelled - back);
  return {
    ...line,
    requested,
    picked: roundAmount(picked + back),
    cancelled: left,
    cut: stillCut(line, left),
    overPicked: roundAmount(over - back),
    steps: line.steps + 1,
    lastSteps,
  };
}

/** Nobody has ever said how much is requested: then it is what has been confirmed, and nothing is too much. */
export function guessedRequest(line: LedgerLine, remaining: number | null, confirmed: number): number | null {
  const isTold = line.intake !== null || remaining !== null;
  return isTold ? null : Math.max(line.requested, line.picked + line.overPicked + confirmed);
}

function takenBefore(counted: number, wanted: number, remaining: number | null): number {
  if (remaining === null) return counted;
  // A line that has nothing left shows 0 however much was picked beyond it: here our count is the better one.
  if (remaining <= 0) return Math.max(wanted - remaining, counted);
  return Math.max(0, wanted - remaining);
}
