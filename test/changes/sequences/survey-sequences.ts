import fc from "fast-check";
import { leavingOut } from "../model/left-out.ts";
import { type Sequence, sequences } from "../play/commands.ts";
import { printRequests } from "../play/print-requests.ts";
import { worldsInTurn } from "./check-sequences.ts";
import { type Outcome, runSequence } from "./run-sequence.ts";

/** Sequences that differ in the same thing after the same requests. */
export interface DifferenceKind {
  readonly name: string;
  count: number;
  /** Its place among the sequences of the seed, counted from 1. */
  readonly firstAt: number;
  /** The smallest sequence of the first one, and its requests. */
  readonly sequence: Sequence;
  readonly requests: string;
}

export interface Survey {
  readonly sequences: number;
  readonly differing: number;
  readonly comparisons: number;
  readonly withOpenQuery: number;
  readonly kinds: readonly DifferenceKind[];
}

/** Plays all sequences of a seed, past every difference, and puts differences of one kind together. */
export async function surveySequences(given: {
  readonly seed: number;
  /** The place of the first one among those of the seed, counted from 1. */
  readonly from?: number;
  readonly numRuns: number;
  readonly onProgress?: (played: number, differing: number) => void;
  readonly onKind?: (kind: DifferenceKind) => void;
}): Promise<Survey> {
  const { seed, from = 1, numRuns, onProgress, onKind } = given;
  const worlds = worldsInTurn();
  const kinds = new Map<string, DifferenceKind>();
  let [played, differing, comparisons, withOpenQuery] = [0, 0, 0, 0];
  let last: { readonly sequence: Sequence; readonly outcome: Outcome } | undefined;
  const property = fc.asyncProperty(sequences, async (sequence: Sequence) => {
    const { world, name } = await worlds.next();
    const outcome = await leavingOut(() => runSequence(world, sequence, name));
    // What comes after a difference makes it smaller, and is no sequence of the seed.
    const isShrinking = last !== undefined;
    if (!isShrinking) {
      played += 1;
      comparisons += outcome.comparisons;
      if (outcome.openQueries.length > 0) withOpenQuery += 1;
      onProgress?.(played, differing);
    }
    if (outcome.differences.length === 0) return;
    last = { sequence, outcome };
    throw new Error("differs");
  });
  try {
    while (played < numRuns) {
      // A path of one number begins with the sequence of that place.
      await fc.check(property, { seed, numRuns: numRuns - played, path: `${from - 1 + played}` });
      if (last === undefined) break;
      differing += 1;
      const { sequence, outcome } = last;
      last = undefined;
      const name = kindOf(outcome);
      const known = kinds.get(name);
      if (known !== undefined) {
        known.count += 1;
        continue;
      }
      const requests = printRequests(outcome.played, outcome.differences);
      const kind = { name, count: 1, firstAt: from - 1 + played, sequence, requests };
      kinds.set(name, kind);
      onKind?.(kind);
    }
  } finally {
    await worlds.close();
  }
  return { sequences: played, differing, comparisons, withOpenQuery, kinds: [...kinds.values()] };
}

function kindOf({ played, differences }: Outcome): string {
  const topics = played.map(({ topic }) => topic).filter((topic, index, all) => topic !== all[index - 1]);
  const whats = differences.map(({ what }) => what.replace(/S\d+\.\d+(-F\d+)?/g, "an order"));
  return `${topics.join(", ")}: ${[...new Set(whats)].join(", ")}`;
}
