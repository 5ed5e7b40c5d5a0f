import { isWaiting, type Row, type Tables, type Write } from "./tables.ts";

/**
 * Which lanes wait for which dead entry. What waits in one lane is itself in the way of what comes after it
 * in its other lanes: a container that is to be released for order A must not be attached to order B first.
 */
export function parking(tables: Tables, write: Write) {
  const { entries, parked, seqsByLane } = tables;

  const setLane = (lane: string, seq: number, deadSeq: number): boolean => {
    const key = `${deadSeq} ${lane}`;
    if ((parked.get(key)?.seq ?? Number.POSITIVE_INFINITY) <= seq) return false;
    write(parked, key, { lane, seq, deadSeq });
    return true;
  };

  const waitingAfter = (lane: string, seq: number): Row[] =>
    [...(seqsByLane.get(lane)?.keys() ?? [])]
      .flatMap((other) => entries.get(other) ?? [])
      .filter((row) => row.seq > seq && isWaiting(row.state));

  /** Parks the lanes of a dead entry, and those of all that has to wait for it. */
  const park = (deadSeq: number) => {
    const reached = new Set([deadSeq]);
    for (const seq of reached) {
      for (const { lane } of entries.get(seq)?.lanes ?? []) {
        if (setLane(lane, seq, deadSeq)) for (const row of waitingAfter(lane, seq)) reached.add(row.seq);
      }
    }
  };

  const deadBefore = (row: Row): number[] =>
    [...parked.values()]
      .filter(({ lane, seq }) => seq < row.seq && row.lanes.some((own) => own.lane === lane))
      .map(({ deadSeq }) => deadSeq);

  return {
    park,
    isParked: (row: Row) => deadBefore(row).length > 0,
    /** A newly waiting entry joins what it waits behind. */
    join: (row: Row) => {
      for (const deadSeq of deadBefore(row)) for (const { lane } of row.lanes) setLane(lane, row.seq, deadSeq);
    },
    /** The dead entries that have to do with these lanes. */
    deadOf: (row: Row): Set<number> => {
      const lanes = new Set(row.lanes.map(({ lane }) => lane));
      return new Set([...parked.values()].filter(({ lane }) => lanes.has(lane)).map(({ deadSeq }) => deadSeq));
    },
    waitingFor: (deadSeq: number): Row[] =>
      [...parked.values()]
        .filter((parking) => parking.deadSeq === deadSeq)
        .flatMap(({ lane, seq }) => waitingAfter(lane, seq)),
    /** After something changed: unparks what waits for the entry, and parks again where it is still dead. */
    parkAgain: (deadSeq: number) => {
      for (const [key, parking] of [...parked]) if (parking.deadSeq === deadSeq) write(parked, key, undefined);
      if (entries.get(deadSeq)?.state === "dead") park(deadSeq);
    },
  };
}

export type ParkingRules = ReturnType<typeof parking>;
