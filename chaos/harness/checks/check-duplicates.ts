import type { Wait } from "../floor/ledger.ts";
import type { Arrival } from "../receiver/receiver.ts";
import type { NotedAttempt } from "./read-journal.ts";

/** How often the receiver accepted an entry again, by the reason why the service sent it again. */
export interface Duplicates {
  /** The service was killed, or lost power, before it could record that the entry had arrived. */
  readonly afterHardEnd: number;
  /** The receiver answered too late, as the recorded attempt of the service shows. */
  readonly afterSilence: number;
  /** Neither reason applies: there was an answer, and the entry was sent again nevertheless. */
  readonly unexplained: number;
  readonly examples: readonly string[];
}

export interface DuplicateEvidence {
  readonly arrivals: readonly Arrival[];
  readonly failedAttempts: ReadonlyMap<number, readonly NotedAttempt[]>;
  /** The times from a kill or power cut until the service served again. */
  readonly hardEnds: readonly Wait[];
}

/** Both clocks have a resolution of one millisecond. */
const grainMs = 1;

/** Each repeated acceptance of an entry must have a reason. */
export function checkDuplicates({ arrivals, failedAttempts, hardEnds }: DuplicateEvidence): Duplicates {
  const counts = { afterHardEnd: 0, afterSilence: 0, unexplained: 0 };
  const examples: string[] = [];
  const accepted = arrivals.filter(({ acceptedTick }) => acceptedTick !== null);
  for (const [seq, own] of Map.groupBy(accepted, (arrival) => arrival.seq)) {
    for (const [index, arrival] of own.slice(0, -1).entries()) {
      const next = own[index + 1] ?? arrival;
      const failed = failedAttempts.get(seq) ?? [];
      // On a busy machine, the receiver may read data after the sender has ended, but not after its successor serves.
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

/**
 * Whether the attempt began before the entry arrived, and had ended without an answer when the entry was sent again.
 */
const wentUnanswered = ({ startedAt, endedAt, status }: NotedAttempt, arrival: Arrival, next: Arrival): boolean =>
  status === null && startedAt <= arrival.at + grainMs && endedAt <= next.at + grainMs;
