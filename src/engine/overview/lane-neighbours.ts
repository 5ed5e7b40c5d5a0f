import { type Entry, openStates } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { isUnfinished } from "./action-states.ts";

export interface LaneNeighbours {
  /** What must be delivered, or decided by a person, before this one; oldest first. */
  readonly heldBehind: readonly Entry[];
  readonly waitingBehind: readonly Entry[];
  /** There are more than were looked at. */
  readonly isCut: boolean;
}

const maxPerLane = 1000;

/**
 * Who stands before and behind an unfinished entry in its lanes. A finished one holds nobody up. Each lane is read
 * once however many entries are asked about: a parked order may have a thousand of them.
 */
export function laneNeighbours(read: Pick<JournalReader, "list">): (entry: Entry) => LaneNeighbours {
  const lanes = new Map<string, readonly Entry[]>();
  const unfinishedIn = (lane: string): readonly Entry[] => {
    let found = lanes.get(lane);
    if (found === undefined) {
      found = read.list({ lane, states: [...openStates, "dead"], limit: maxPerLane });
      lanes.set(lane, found);
    }
    return found;
  };

  return (entry) => {
    if (!isUnfinished(entry)) return { heldBehind: [], waitingBehind: [], isCut: false };
    const others = new Map<number, Entry>();
    let isCut = false;
    for (const { lane } of entry.lanes) {
      const inLane = unfinishedIn(lane);
      isCut ||= inLane.length === maxPerLane;
      for (const other of inLane) others.set(other.seq, other);
    }
    const inOrder = [...others.values()].sort((a, b) => a.seq - b.seq);
    return {
      heldBehind: inOrder.filter(({ seq }) => seq < entry.seq),
      waitingBehind: inOrder.filter(({ seq }) => seq > entry.seq),
      isCut,
    };
  };
}
