import type { Wait } from "../floor/ledger.ts";
import type { Arrival } from "../receiver/receiver.ts";
import type { NotedAttempt } from "./read-journal.ts";

/** How often the receiver accepted an entry once more, by what made the service send it again. */
export interface Duplicates {
  /** The service was killed, or lost its power, before it could note that the entry had arrived. */
  readonly afterHardEnd: number;
  /** The receiver's answer did not come in time, as the attempt that the service noted down says. */
  readonly afterSilence: number;
  /** Neither: there was an answer, and the entry was sent again all the same. */
  readonly unexplained: number;
  readonly examples: readonly string[];
}

export interface DuplicateEvidence {
  readonly arrivals: readonly Arrival[];
  readonly failedAttempts: ReadonlyMap<number, readonly NotedAttempt[]>;
  /** From when the service was killed or lost its power until it served again. */
  readonly hardEnds: readonly Wait[];
}

/** Clocks are read in whole milliseconds, on both sides. */
const grainMs = 1;

/** Each acceptance that was followed by another of the same entry has to have a reason. */
export function checkDuplicates({ arrivals, failedAttempts, hardEnds }: DuplicateEvidence): Duplicates {
  const counts = { afterHardEnd: 0, afterSilence: 0, unexplained: 0 };
  const examples: string[] = [];
  const accepted = arrivals.filter(({ acceptedTick }) => acceptedTick !== null);
  for (const [seq, own] of Map.groupBy(accepted, (arrival) => arrival.seq)) {
    for (const [index, arrival] of own.slice(0, -1).entries()) {
      const next = own[index + 1] ?? arrival;
      const failed = failedAttempts.get(seq) ?? [];
      // What a life has sent may be read after its end, on a busy machine; but not after the next one serves.
      if (hardEnds.some(({ from, to }) => to >= arrival.at && from <= next.at + grainMs)) counts.afterHardEnd++;
      else if (failed.some((attempt) => wentUnanswered(attempt, arrival, next))) counts.afterSilence++;
      else {
        counts.unexplained++;
        examples.push(`entry ${seq}: arrived at ${arrival.at} and ${next.at}; ${JSON.stringify(failed)}`);
      }
    }
  }
  return { ...counts, examples: examples.slice(0, 3) };
}

/** It had begun before the entry arrived, and had ended without any answer when the entry was sent once more. */
const wentUnanswered = ({ startedAt, endedAt, status }: NotedAttempt, arrival: Arrival, next: Arrival): boolean =>
  status === null && startedAt <= arrival.at + grainMs && endedAt <= next.at + grainMs;
