import { superseded } from "../entry.ts";
import { ownName } from "../journal.ts";
import { isWaiting, type Row, type Tables, type Write } from "./tables.ts";

type State = Pick<Row, "supersedes" | "stateAt" | "target">;

/** Of states only the newest is sent: ends those that wait or were refused, and finds the one an older has to make way for. */
export function superseder({ entries, queuedUnder, audit }: Tables, write: Write) {
  const keyOf = ({ target, supersedes }: State) => JSON.stringify([target, supersedes]);
  const rowsOf = (state: State): Row[] =>
    state.supersedes === null || state.target === null
      ? []
      : (queuedUnder.get(keyOf(state)) ?? []).flatMap((seq) => entries.get(seq) ?? []);
  const isStanding = ({ state }: Row) => state !== "discarded" && state !== "rejected";

  /** Ends one entry, with a trail that names the newer one. */
  const end = (row: Row, at: number, byId: string): Row => {
    const ended: Row = { ...row, state: "discarded", reason: superseded, nextAt: null };
    write(entries, row.seq, ended);
    const record = { operator: ownName, action: "supersede", reason: byId, before: null } as const;
    write(audit, row.seq, [...(audit.get(row.seq) ?? []), { seq: row.seq, at, ...record }]);
    return ended;
  };

  return {
    end,
    /** Files a newly queued state, and ends what waits or was refused under its key; returns which. */
    endOlder: (newer: Row): readonly number[] => {
      if (newer.supersedes === null || newer.target === null || newer.state !== "accepted") return [];
      const known = rowsOf(newer);
      const older = known.filter(
        ({ state, stateAt }) => (isWaiting(state) || state === "dead") && stateAt <= newer.stateAt,
      );
      for (const row of older) end(row, newer.receivedAt, newer.id);
      const ended = older.map(({ seq }) => seq);
      const left = known.filter(({ seq, state }) => state !== "discarded" && !ended.includes(seq));
      write(queuedUnder, keyOf(newer), [...left.map(({ seq }) => seq), newer.seq]);
      return ended;
    },
    /** A state of a later moment that waits, was refused, is on its way or has arrived. */
    newerThan: (state: State): Row | undefined =>
      rowsOf(state)
        .filter((row) => isStanding(row) && row.stateAt > state.stateAt)
        .at(-1),
    /** The same for an entry that is stored, to which also one of the same moment that came later is newer. */
    newerThanStored: (stored: Row): Row | undefined =>
      rowsOf(stored)
        .filter((row) => isStanding(row) && row.seq !== stored.seq)
        .filter(({ stateAt, seq }) => stateAt > stored.stateAt || (stateAt === stored.stateAt && seq > stored.seq))
        .at(-1),
  };
}

export type Superseder = ReturnType<typeof superseder>;
