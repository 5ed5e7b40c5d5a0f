import {
  blob,
  integer,
  longText,
  nullable,
  optional,
  pick,
  type Row,
  row,
  text,
  textOf,
} from "../../../kit/sqlite/row.ts";
import type { EntryState } from "../../entry.ts";
import type { AuditRecord } from "../../journal.ts";

export const entryRow = row({
  seq: integer,
  id: text,
  direction: textOf("out", "in"),
  topic: text,
  lanes: text,
  target: nullable(text),
  accept_language: nullable(text),
  received_at: integer,
  state: textOf<EntryState>("accepted", "inflight", "retry", "delivered", "rejected", "dead", "discarded"),
  reason: nullable(text),
  applied: integer,
  attempts: integer,
  target_failures: integer,
  next_at: nullable(integer),
  lease_token: nullable(text),
  answer: nullable(text),
  answered_at: nullable(integer),
  delivered_at: nullable(integer),
  suspect_of: nullable(integer),
  replays: integer,
  supersedes: nullable(text),
  sender: nullable(text),
  leased_at: nullable(integer),
  trace: nullable(text),
});
const entryProgressRow = row({ seq: integer, key: text, value: text });
export const progressRow = pick(entryProgressRow, "key", "value");
const entryBodyRow = row({ seq: integer, body: text, payload: nullable(text) });
const lastEntryRow = row({ one: integer, seq: integer, positions_up_to: integer });
const entryLaneRow = row({ lane: text, key: text, seq: integer });
export const laneRow = row({ lane: text, last_position: integer });
export const parkedLaneRow = row({ lane: text, dead_seq: integer, seq: integer });
export const attemptRow = row({
  seq: integer,
  n: integer,
  started_at: integer,
  ended_at: integer,
  outcome: text,
  status: nullable(integer),
  error: nullable(text),
  response: nullable(text),
});
export const auditRow = row({
  row: integer,
  seq: integer,
  at: integer,
  operator: text,
  action: textOf<AuditRecord["action"]>("retry", "edit", "skip", "replay", "supersede"),
  reason: nullable(text),
  before: nullable(text),
});
export const idempotencyRow = row({ seq: integer, key: text, digest: text, at: integer, note: text, ids: text });
export const stagedCallRow = row({
  call: integer,
  keys: text,
  digest: text,
  at: integer,
  note: text,
  moved: integer,
  unchanged: integer,
});
export const stagedChunkRow = row({ n: integer, entries: blob });
export const idempotencyIdsRow = row({ n: integer, ids: blob });
export const attemptExchangeRow = row({ at: integer, exchanges: text });

/** The columns by the name of the table. A test compares each with what SQLite reports for its table. */
export const journalRows = {
  entry: entryRow,
  entry_body: entryBodyRow,
  last_entry: lastEntryRow,
  entry_lane: entryLaneRow,
  lane: laneRow,
  parked_lane: parkedLaneRow,
  attempt: attemptRow,
  audit: auditRow,
  once: idempotencyRow,
  staged_call: stagedCallRow,
  staged_chunk: stagedChunkRow,
  once_ids: idempotencyIdsRow,
  attempt_exchange: attemptExchangeRow,
  entry_progress: entryProgressRow,
};

/** The number of an entry, in whichever table. */
export const seqRow = pick(entryRow, "seq");
/** The highest or lowest number; null if there are no entries. */
export const extremeSeqRow = row({ seq: nullable(integer) });
export const bodyRow = pick(entryBodyRow, "body");

/** The content of an entry; the body is empty if retention has erased it. */
const contentColumns = { body: text, payload: entryBodyRow.columns.payload };
export const comparedRow = row({ ...pick(entryRow, "topic", "target", "received_at").columns, ...contentColumns });

/**
 * An entry with its content. A file of an older version that is read without migrating it lacks the columns that came
 * later.
 */
export const wholeEntryRow = row({
  ...entryRow.columns,
  sender: optional(entryRow.columns.sender),
  supersedes: optional(entryRow.columns.supersedes),
  leased_at: optional(entryRow.columns.leased_at),
  trace: optional(entryRow.columns.trace),
  ...{ body: longText, payload: nullable(longText) },
});

export type EntryRow = Row<typeof entryRow>;
export type WholeEntryRow = Row<typeof wholeEntryRow>;
