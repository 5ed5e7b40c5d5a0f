import { bytesAsText } from "../../../kit/json/bytes-in-turns.ts";
import { pick, type Row, row, selectLong, text, textIn } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { Entry, OpenEntry } from "../../entry.ts";
import { entryRow, type WholeEntryRow } from "./journal-rows.ts";

/** Selects rows with their bodies; the entry's alias is e, and the index to use can be given. */
export const wholeEntries = (index = ""): string =>
  `SELECT e.*, coalesce(${selectLong("b.body")}, '') AS body, ${selectLong("b.payload")} AS payload FROM entry e ${index} LEFT JOIN entry_body b ON b.seq = e.seq`;

/**
 * Selects rows without their bodies and answers. The answer to a step of a long order has megabytes. A file of an
 * older version that is read without migrating it lacks some columns.
 */
export function briefEntries(database: Database): (index?: string) => string {
  const known = new Set(
    database
      .query("SELECT name FROM pragma_table_info('entry')", nameRow)
      .all()
      .map(({ name }) => name),
  );
  const columns = Object.keys(entryRow.columns).filter((name) => name !== "answer" && known.has(name));
  const selected = columns.map((name) => `e.${name}`).join(", ");
  return (index = "") => `SELECT ${selected}, NULL AS answer, '' AS body, NULL AS payload FROM entry e ${index}`;
}
const nameRow = row({ name: text });

/**
 * A lane, with the entry's position in it (counted from 1, or 0 if the entry has no target) and the key under which the
 * entry is stored there. If its sender gave it an idempotency key, it is also stored under the last key, for entries
 * without one.
 */
export type FiledLane = readonly [lane: string, position: number, key: string, unnamedKey?: string];

// Only the journal writes this text.
export const lanesIn = (lanes: string) => JSON.parse(lanes) as readonly FiledLane[];

const lanesRow = pick(entryRow, "lanes");

export function lanesOf(database: Database, seq: number): readonly string[] {
  const row = database.query("SELECT lanes FROM entry WHERE seq = ?", lanesRow).get(seq);
  return row === undefined ? [] : lanesIn(row.lanes).map(([lane]) => lane);
}

/** What an entry says, as texts. */
export const contentOf = ({
  direction,
  body,
  payload,
}: WholeEntryRow): Pick<Entry, "direction" | "body" | "payload"> => ({
  direction,
  body: textIn(body),
  payload: payload === null ? null : textIn(payload),
});

/** Returns the same as `entryOf`. Other work of this thread runs while long texts are decoded. */
export async function entryInTurnsOf({ body, payload, ...rest }: WholeEntryRow): Promise<Entry> {
  const decoded = async (value: string | Uint8Array) => (typeof value === "string" ? value : await bytesAsText(value));
  return entryOf({
    ...rest,
    body: await decoded(body),
    payload: payload === null ? null : await decoded(payload),
  });
}

export function entryOf(row: WholeEntryRow): Entry {
  return {
    seq: row.seq,
    id: row.id,
    topic: row.topic,
    target: row.target,
    // A file of an older version that is read without migrating it has no such column.
    sender: row.sender ?? null,
    trace: row.trace ?? null,
    lanes: lanesIn(row.lanes).map(([lane, position]) => ({ lane, position })),
    ...contentOf(row),
    acceptLanguage: row.accept_language,
    receivedAt: row.received_at,
    state: row.state,
    reason: row.reason,
    attempts: row.attempts,
    targetFailures: row.target_failures,
    nextAt: row.next_at,
    answer: row.answer,
    answeredAt: row.answered_at,
    deliveredAt: row.delivered_at,
    suspectOf: row.suspect_of,
    replays: row.replays,
    isState: (row.supersedes ?? null) !== null,
  };
}

/** The columns do not include the body, because the outbox reads thousands of these between two requests. */
export const openColumns = "e.seq, e.id, e.topic, e.lanes, e.target, e.attempts, e.received_at, e.next_at";
export const openRow = pick(entryRow, "seq", "id", "topic", "lanes", "target", "attempts", "received_at", "next_at");

export function openEntryOf(row: Row<typeof openRow>): OpenEntry {
  return {
    seq: row.seq,
    id: row.id,
    topic: row.topic,
    target: row.target ?? "",
    lanes: lanesIn(row.lanes).map(([lane]) => lane),
    attempts: row.attempts,
    receivedAt: row.received_at,
    nextAt: row.next_at ?? 0,
  };
}
