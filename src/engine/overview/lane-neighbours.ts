import { type Entry, openStates } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { isUnfinished } from "./action-states.ts";

export interface Neighbours {
  /** What must be delivered, or decided by a person, before this one; oldest first. */
  readonly heldBehind: readonly Entry[];
  readonly waitingBehind: readonly Entry[];
  /** There are more than were looked at. */
  readonly isCut: boolean;
}

interface Lane {
  /** Newest first. */
  readonly unfinished: readonly Entry[];
  /** The dead entry that the lane waits for, however many have come since. */
  readonly dead: Entry | null;
  readonly isCut: boolean;
}

const maxPerLane = 1000;

/**
 * Who stands before and behind an unfinished entry in its lanes. A finished one holds nobody up. Each lane is read
 * once however many entries are asked about: a parked order may have a thousand of them.
 */
export function laneNeighbours(read: Pick<JournalReader, "list" | "heldBy" | "entry">) {
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string): Lane => {
    let lane = lanes.get(name);
    if (lane === undefined) {
      const deadSeq = read.heldBy(name);
      const found = read.list({ lane: name, states: [...openStates, "dead"], limit: maxPerLane });
      // A refused state waits for a person without holding anybody up.
      const unfinished = found.filter(({ state, isState }) => !(isState && state === "dead"));
      lane = {
        unfinished,
        dead: deadSeq === null ? null : read.entry(deadSeq),
        isCut: found.length === maxPerLane,
      };
      lanes.set(name, lane);
    }
    return lane;
  };
  const lanesOf = (entry: Entry) => (isUnfinished(entry) ? entry.lanes.map(({ lane }) => laneOf(lane)) : []);

  return {
    of: (entry: Entry): Neighbours => {
      const others = new Map<number, Entry>();
      let isCut = false;
      for (const { unfinished, dead, isCut: isLaneCut } of lanesOf(entry)) {
        isCut ||= isLaneCut;
        for (const other of dead === null ? unfinished : [dead, ...unfinished]) others.set(other.seq, other);
      }
      const inOrder = [...others.values()].sort((a, b) => a.seq - b.seq);
      return {
        heldBehind: inOrder.filter(({ seq }) => seq < entry.seq),
        waitingBehind: inOrder.filter(({ seq }) => seq > entry.seq),
        isCut,
      };
    },
    /** The one before it that matters most: a dead one, which waits for a person, else the first in line. */
    holderOf: (entry: Entry): Entry | null => {
      const own = lanesOf(entry);
      const before = (other: Entry | null | undefined): Entry[] => (other && other.seq < entry.seq ? [other] : []);
      const [dead] = own.flatMap((lane) => before(lane.dead));
      const [first] = own.flatMap((lane) => before(lane.unfinished.at(-1))).sort((a, b) => a.seq - b.seq);
      return dead ?? first ?? null;
    },
  };
}
