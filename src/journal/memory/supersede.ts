import { superseded } from "../entry.ts";
import { ownName } from "../journal.ts";
import { isWaiting, type Row, type Tables, type Write } from "./tables.ts";

/** Ends what waits under the key of a newly queued entry; returns which. What is in flight is left alone. */
export function superseder({ entries, queuedUnder, audit }: Tables, write: Write): (newer: Row) => readonly number[] {
  return ({ supersedes, stateAt, seq, id, target, state, receivedAt }) => {
    if (supersedes === null || target === null || state !== "accepted") return [];
    const key = JSON.stringify([target, supersedes]);
    const ended: number[] = [];
    const open: number[] = [];
    for (const older of queuedUnder.get(key) ?? []) {
      const row = entries.get(older);
      if (row !== undefined && isWaiting(row.state) && row.stateAt <= stateAt) {
        write(entries, older, { ...row, state: "discarded", reason: superseded, nextAt: null });
        const record = { operator: ownName, action: "supersede", reason: id, before: null } as const;
        write(audit, older, [...(audit.get(older) ?? []), { seq: older, at: receivedAt, ...record }]);
        ended.push(older);
      } else if (row?.state === "inflight" || (row !== undefined && isWaiting(row.state))) open.push(older);
    }
    write(queuedUnder, key, [...open, seq]);
    return ended;
  };
}
