import type { Database } from "../../kit/sqlite.ts";
import { lanesOf } from "./row.ts";

/**
 * Which lanes wait for which dead entry. What waits in one lane is itself in the way of what comes after it
 * in its other lanes: a container that is to be released for order A must not be attached to order B first.
 */
export function parking(database: Database) {
  const setLane = database.statement(
    `INSERT INTO parked_lane (lane, dead_seq, seq) VALUES (?, ?, ?)
     ON CONFLICT (lane, dead_seq) DO UPDATE SET seq = excluded.seq WHERE excluded.seq < seq`,
  );
  const waitingAfter = database.statement(
    `SELECT e.seq FROM entry_lane l JOIN entry e ON e.seq = l.seq
     WHERE l.lane = ? AND l.seq > ? AND e.state IN ('accepted', 'retry')`,
  );
  const deadInLane = database.statement("SELECT dead_seq FROM parked_lane WHERE lane = ?");
  const deadBefore = database.statement("SELECT dead_seq FROM parked_lane WHERE lane = ? AND seq < ?");
  const waitingFor = database.statement(
    `SELECT DISTINCT e.seq FROM parked_lane p JOIN entry_lane l ON l.lane = p.lane AND l.seq > p.seq
       JOIN entry e ON e.seq = l.seq WHERE p.dead_seq = ? AND e.state IN ('accepted', 'retry')`,
  );
  const clear = database.statement("DELETE FROM parked_lane WHERE dead_seq = ?");
  const stateOf = database.statement("SELECT state FROM entry WHERE seq = ?");
  const anyParked = database.statement("SELECT 1 FROM parked_lane LIMIT 1");

  /** Whether any lane waits at all: mostly none does, and then no entry has to look for its own. */
  let isAnyParked = true;

  /** Parks the lanes of a dead entry, and those of all that has to wait for it. */
  const park = (deadSeq: number) => {
    const reached = new Set([deadSeq]);
    isAnyParked = true;
    for (const seq of reached) {
      for (const lane of lanesOf(database, seq)) {
        if (setLane.run(lane, deadSeq, seq).changes === 0) continue;
        for (const waiting of waitingAfter.all<{ seq: number }>(lane, seq)) reached.add(waiting.seq);
      }
    }
  };

  const deadSeqs = (rows: readonly { dead_seq: number }[]) => rows.map(({ dead_seq }) => dead_seq);

  return {
    /** At the begin of a batch: the one before may have been rolled back. */
    begin: () => {
      isAnyParked = anyParked.get() !== undefined;
    },
    park,
    /** A newly waiting entry joins what it waits behind. */
    join: (seq: number, lanes: readonly string[]) => {
      if (!isAnyParked) return;
      const before = new Set(lanes.flatMap((lane) => deadSeqs(deadBefore.all<{ dead_seq: number }>(lane, seq))));
      for (const deadSeq of before) for (const lane of lanes) setLane.run(lane, deadSeq, seq);
    },
    isParked: (seq: number): boolean => lanesOf(database, seq).some((lane) => deadBefore.get(lane, seq) !== undefined),
    /** The dead entries that have to do with the lanes of the entry. */
    deadOf: (seq: number): ReadonlySet<number> =>
      new Set(lanesOf(database, seq).flatMap((lane) => deadSeqs(deadInLane.all<{ dead_seq: number }>(lane)))),
    waitingFor: (deadSeq: number): number[] => waitingFor.all<{ seq: number }>(deadSeq).map(({ seq }) => seq),
    /** After something changed: unparks what waits for the entry, and parks again where it is still dead. */
    parkAgain: (deadSeq: number) => {
      clear.run(deadSeq);
      if (stateOf.get<{ state: string }>(deadSeq)?.state === "dead") park(deadSeq);
    },
  };
}

export type ParkingRules = ReturnType<typeof parking>;
