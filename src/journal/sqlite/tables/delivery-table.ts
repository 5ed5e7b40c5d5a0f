import { pick } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import { appliedPayload } from "../../applied-payload.ts";
import type { Attempt, Entry, OpenEntry, Verdict } from "../../entry.ts";
import type { Applied, InlineProjection } from "../../inline-projection.ts";
import type { Lease, Settled } from "../../journal.ts";
import { exchangeKeeper } from "../exchanges.ts";
import { type Cause, causeIn } from "./append-entry.ts";
import { contentOf, entryOf, lanesOf, wholeEntries } from "./entry-columns.ts";
import { attemptRow, type EntryRow, entryRow, wholeEntryRow } from "./journal-rows.ts";
import type { ParkingRules } from "./parking.ts";
import { progressKeeper } from "./progress.ts";
import type { Superseder } from "./supersede.ts";

export interface DeliveryNeeds {
  readonly database: Database;
  readonly projection: InlineProjection | null;
  readonly parking: ParkingRules;
  readonly supersede: Superseder;
  readonly emitAll: (applied: Applied | null, cause: Cause) => OpenEntry[];
}

/** Takes and returns leases. Each change names the expected state and token, and must affect one row. */
export function deliveries({ database, projection, parking, supersede, emitAll }: DeliveryNeeds) {
  const rowBySeq = database.query("SELECT * FROM entry WHERE seq = ?", entryRow);
  const wholeBySeq = database.query(`${wholeEntries()} WHERE e.seq = ?`, wholeEntryRow);
  const take = database.statement(
    `UPDATE entry SET state = 'inflight', lease_token = ?, leased_at = ?, attempts = attempts + 1
     WHERE seq = ? AND state IN ('accepted', 'retry')
       AND NOT EXISTS (SELECT 1 FROM json_each(entry.lanes) l JOIN parked_lane p ON p.lane = l.value ->> 0
                       WHERE p.seq < entry.seq)`,
  );
  const release = database.statement(
    `UPDATE entry SET state = ?, reason = ?, next_at = ?, lease_token = NULL, applied = ?, answer = coalesce(?, answer),
       delivered_at = coalesce(?, delivered_at), attempts = attempts - ?, target_failures = target_failures + ?
     WHERE seq = ? AND state = 'inflight' AND lease_token = ?`,
  );
  const lastAttempt = database.query(
    "SELECT n FROM attempt WHERE seq = ? ORDER BY n DESC LIMIT 1",
    pick(attemptRow, "n"),
  );
  const insertAttempt = database.statement(
    `INSERT INTO attempt (seq, n, started_at, ended_at, outcome, status, error, response)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const exchanges = exchangeKeeper(database);

  const progress = progressKeeper(database);

  const start = (seq: number, token: string, at: number | null): Entry | null => {
    take.run(token, at, seq);
    const row = wholeBySeq.get(seq);
    // Also returned if the lease was taken before with the same token, by a caller that got no answer.
    return row?.state === "inflight" && row.lease_token === token ? entryOf(row) : null;
  };

  const settle = (lease: Lease, verdict: Verdict, attempt: Attempt | null, answer: string | null): Settled => {
    const { seq, token } = lease;
    const row = rowBySeq.get(seq);
    if (row === undefined || row.state !== "inflight" || row.lease_token !== token) return notMine;
    // A held entry is applied when it is certain that the event counts: delivered, or accepted for later delivery.
    const isBooked = row.applied === 1 || (verdict.state !== "delivered" && verdict.state !== "accepted");
    const applied = isBooked ? null : book(seq);
    const uncounted = verdict.state === "retry" && !verdict.countsAsAttempt ? 1 : 0;
    const { changes } = release.run(
      ...[verdict.state, reasonOf(verdict), verdict.state === "retry" ? verdict.nextAt : null],
      ...[
        isBooked ? row.applied : 1,
        answer ?? (applied?.outcome.ok === true ? JSON.stringify(applied.outcome) : null),
      ],
      ...[wasTaken(verdict) ? (attempt?.endedAt ?? row.received_at) : null, uncounted, uncounted, seq, token],
    );
    if (changes !== 1) return notMine;
    if (verdict.state === "delivered") progress.erase(seq);
    if (attempt !== null) record(seq, verdict.state, attempt);
    if (verdict.state === "dead") giveUp(row, attempt);
    if (verdict.state === "accepted" || verdict.state === "retry") {
      const lanes = lanesOf(database, seq);
      parking.join(seq, lanes);
    }
    return { done: true, applied, emitted: emitAll(applied, causeIn(row)) };
  };

  const giveUp = ({ seq, supersedes, target, received_at: receivedAt }: EntryRow, attempt: Attempt | null) => {
    // The next state replaces this one completely, so no operator action is needed.
    if (supersedes === null) return parking.park(seq);
    const newerId = supersede.newerThanStored(supersedes, target, seq);
    if (newerId !== null) supersede.end(seq, attempt?.endedAt ?? receivedAt, newerId);
  };

  const book = (seq: number): Applied | null => {
    const row = wholeBySeq.get(seq);
    if (row === undefined || projection === null) return null;
    const { id, topic, received_at: receivedAt } = row;
    return projection.apply({ id, seq, topic, payload: appliedPayload(contentOf(row)), receivedAt });
  };

  const record = (seq: number, outcome: string, attempt: Attempt) => {
    const { startedAt, endedAt, status, error, response } = attempt;
    const n = (lastAttempt.get(seq)?.n ?? 0) + 1;
    insertAttempt.run(seq, n, startedAt, endedAt, outcome, status ?? null, error ?? null, response ?? null);
    if (attempt.exchanges !== undefined) exchanges.keep(seq, n, attempt.exchanges);
  };

  return { start, settle, note: progress.note };
}

const notMine: Settled = { done: false, applied: null, emitted: [] };

const wasTaken = (verdict: Verdict): boolean => verdict.state === "delivered" && verdict.isUnsent !== true;

const reasonOf = (verdict: Verdict): string | null => ("reason" in verdict ? (verdict.reason ?? null) : null);
