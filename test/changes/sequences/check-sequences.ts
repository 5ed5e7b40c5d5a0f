import fc from "fast-check";
import { leavingOut } from "../model/left-out.ts";
import { type Sequence, sequences } from "../play/commands.ts";
import { printRequests } from "../play/print-requests.ts";
import { openWorld, type World, type WorldOptions } from "../play/world.ts";
import { followUpSequences } from "./follow-up-sequences.ts";
import { foundSequences } from "./found-sequences.ts";
import { laterFoundSequences } from "./later-found-sequences.ts";
import { listedSequences } from "./listed-sequences.ts";
import { longRunSequences } from "./long-run-sequences.ts";
import { receiptSequences } from "./receipt-sequences.ts";
import { runSequence } from "./run-sequence.ts";
import { shownLineSequences } from "./shown-line-sequences.ts";
import { toldSequences } from "./told-sequences.ts";

export interface Checked {
  readonly seed: number;
  readonly sequences: number;
  readonly comparisons: number;
  /** Sequences of which a part was not compared, because behaviour.md leaves something open. */
  readonly withOpenQuery: number;
  /** The smallest sequence with a difference, as requests. */
  readonly failure: string | undefined;
}

/** After so many sequences a new file is begun: orders of earlier ones would make every list longer. */
const sequencesPerFile = 25;

/** A world that is opened anew now and then; each sequence has order numbers and items of its own. */
export function worldsInTurn(options: WorldOptions = {}) {
  let world: World | undefined;
  let count = 0;
  const next = async (): Promise<{ world: World; name: string }> => {
    if (count % sequencesPerFile === 0) {
      await world?.close();
      world = undefined;
    }
    world ??= await openWorld(options);
    count += 1;
    return { world, name: `S${count}` };
  };
  const close = async () => {
    await world?.close();
    world = undefined;
  };
  return { next, close };
}

/** All that once went wrong. */
export const namedSequences = [
  ...[...listedSequences, ...foundSequences, ...longRunSequences, ...receiptSequences],
  ...toldSequences,
  ...followUpSequences,
  ...shownLineSequences,
  ...laterFoundSequences,
];

/**
 * Plays the sequences that once went wrong; undefined where all end as they have to. One can be played before the
 * others.
 */
export async function playListed(
  options: WorldOptions & { readonly first?: string } = {},
): Promise<Checked | undefined> {
  const ordered = namedSequences.toSorted(
    (one, other) => Number(other.name === options.first) - Number(one.name === options.first),
  );
  const worlds = worldsInTurn(options);
  try {
    for (const [index, sequence] of ordered.entries()) {
      const { world, name } = await worlds.next();
      const { played, differences, comparisons } = await runSequence(world, sequence, name);
      if (differences.length === 0) continue;
      const failure = `${sequence.name}\n${printRequests(played, differences)}`;
      return { seed: 0, sequences: index + 1, comparisons, withOpenQuery: 0, failure };
    }
    return undefined;
  } finally {
    await worlds.close();
  }
}

/** Plays random sequences against the implementation; a difference is made as small as it gets. */
export async function checkSequences(given: {
  readonly seed: number;
  readonly numRuns: number;
  readonly onProgress?: (count: number) => void;
  readonly options?: WorldOptions;
  /** Whether it is enough to know that there is a difference; making it small takes longer than finding it. */
  readonly isEnoughToFind?: boolean;
}): Promise<Checked> {
  const worlds = worldsInTurn(given.options);
  let comparisons = 0;
  let withOpenQuery = 0;
  let count = 0;
  const property = fc.asyncProperty(sequences, async (sequence: Sequence) => {
    const { world, name } = await worlds.next();
    const outcome = await leavingOut(() => runSequence(world, sequence, name));
    count += 1;
    comparisons += outcome.comparisons;
    if (outcome.openQueries.length > 0) withOpenQuery += 1;
    given.onProgress?.(count);
    if (outcome.differences.length > 0) throw new Error(printRequests(outcome.played, outcome.differences));
  });
  try {
    const { failed, errorInstance, numRuns, counterexamplePath } = await fc.check(property, {
      seed: given.seed,
      numRuns: given.numRuns,
      endOnFailure: given.isEnoughToFind === true,
    });
    const text = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
    const failure = failed ? `seed ${given.seed}, path ${counterexamplePath}, sequence ${numRuns}\n${text}` : undefined;
    return { seed: given.seed, sequences: count, comparisons, withOpenQuery, failure };
  } finally {
    await worlds.close();
  }
}
