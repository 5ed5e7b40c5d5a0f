import { pick, type Row } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { NewEntry } from "../../entry.ts";
import type { IdempotentCall } from "../../idempotency-record.ts";
import type { Appended } from "../../journal.ts";
import { packEntries, unpackEntries } from "../../packed-entry.ts";
import { idPiece } from "../../staging.ts";
import { callOf, chunkNumber, firstOf, type IdempotencyRecords, lastOf } from "../tables/idempotency-table.ts";
import { stagedCallRow, stagedChunkRow } from "../tables/journal-rows.ts";

export interface StagingNeeds {
  readonly append: (entry: NewEntry) => Appended;
  /** Stores an entry as refused, without its effect. */
  readonly refuse: (entry: NewEntry) => Appended;
  readonly idempotency: IdempotencyRecords;
}

/** A chunk that has become entries. */
export interface MovedChunk {
  readonly appended: readonly Appended[];
  readonly ids: Uint8Array<ArrayBuffer>;
}

/** How much of the next chunk is moved. */
export type ChunkPart =
  | "whole"
  /** One entry, because the whole chunk failed on one of its entries. */
  | "one"
  /** One entry that cannot be applied. It is stored as refused, so that it does not block those that follow. */
  | "refused";

export type Stagings = ReturnType<typeof stagings>;

/** Calls that are stored in chunks. Call each function inside a transaction. */
export function stagings(database: Database, { append, refuse, idempotency }: StagingNeeds) {
  const insert = database.statement("INSERT INTO staged_chunk (n, entries) VALUES (?, ?)");
  const nextChunk = database.query(
    "SELECT n, entries FROM staged_chunk WHERE n BETWEEN ? AND ? ORDER BY n LIMIT 1",
    stagedChunkRow,
  );
  const shorten = database.statement("UPDATE staged_chunk SET entries = ? WHERE n = ?");
  const remove = database.statement("DELETE FROM staged_chunk WHERE n = ?");
  const insertCall = database.statement(
    "INSERT INTO staged_call (call, keys, digest, at, note) VALUES (?, ?, ?, ?, ?)",
  );
  const callRow = database.query("SELECT * FROM staged_call WHERE call = ?", stagedCallRow);
  const count = database.statement(
    "UPDATE staged_call SET moved = moved + ?, unchanged = unchanged + ? WHERE call = ?",
  );
  const removeCall = database.statement("DELETE FROM staged_call WHERE call = ?");
  const insertIds = database.statement("INSERT INTO once_ids (n, ids) VALUES (?, ?)");
  const lastIds = database.query("SELECT coalesce(max(n), 0) AS n FROM once_ids WHERE n BETWEEN ? AND ?", numberRow);
  const eraseSome = {
    staged_chunk: database.statement(eraseSql("staged_chunk")),
    once_ids: database.statement(eraseSql("once_ids")),
  };

  const rowOf = (call: number): CallRow => {
    const row = callRow.get(call);
    if (row === undefined) throw new Error(`there is no staged call ${call}`);
    return row;
  };
  const idempotencyOf = ({ keys, digest, at, note }: CallRow): IdempotentCall | null => {
    // Only the code below writes these rows.
    const names = JSON.parse(keys) as string[];
    return names.length === 0 ? null : { keys: names, digest, at, note };
  };

  const keepIds = (call: number, ids: Uint8Array) => {
    const last = lastIds.get(firstOf(call), lastOf(call))?.n ?? 0;
    insertIds.run(last === 0 ? firstOf(call) : last + 1, ids);
  };

  return {
    store: (call: number, index: number, entries: Uint8Array) => {
      insert.run(chunkNumber(call, index), entries);
    },
    /** Commits the call. False if it was made before. */
    mark: (call: number, named: IdempotentCall | null): boolean => {
      if (named !== null && idempotency.known(named.keys, named.at)) return false;
      const { keys, digest, at, note } = named ?? { keys: [], digest: "", at: 0, note: "" };
      insertCall.run(call, JSON.stringify(keys), digest, at, note);
      return true;
    },
    /**
     * Moves the next chunk of the call, or a part of it; null if none is left. Of a whole chunk only so many entries are
     * moved as there is time for, at least one: each may change an order of ten thousand lines.
     */
    move: (call: number, chunkPart: ChunkPart, isOver: () => boolean): MovedChunk | null => {
      const chunk = nextChunk.get(firstOf(call), lastOf(call));
      if (chunk === undefined) return null;
      const named = idempotencyOf(rowOf(call));
      const entries = unpackEntries(chunk.entries);
      // The chunk is not used again; without this, megabytes would stay allocated until the next garbage collection.
      if (chunk.entries.buffer instanceof ArrayBuffer) chunk.entries.buffer.transfer(0);
      const appended: Appended[] = [];
      for (const entry of entries) {
        if (appended.length > 0 && (chunkPart !== "whole" || isOver())) break;
        appended.push(chunkPart === "refused" ? refuse(entry) : append(entry));
      }
      if (appended.length < entries.length) shorten.run(packEntries(entries.slice(appended.length)), chunk.n);
      else remove.run(chunk.n);
      const { ids, unchanged } = idempotency.resultOf(appended);
      const piece = idPiece(ids);
      if (named !== null) keepIds(call, piece);
      count.run(ids.length, unchanged, call);
      return { appended, ids: piece };
    },
    /** Finishes the call when all of its chunks are entries. */
    finish: (call: number): void => {
      const row = rowOf(call);
      const named = idempotencyOf(row);
      if (named !== null) idempotency.remember(named, { call, count: row.moved, ids: [], unchanged: row.unchanged });
      removeCall.run(call);
    },
    /**
     * Deletes some rows of a call that is not committed, or of ids that are no longer needed; true if more are left.
     */
    erase: (table: "staged_chunk" | "once_ids", call: number): boolean =>
      eraseSome[table].run(firstOf(call), lastOf(call), erasedAtOnce).changes === erasedAtOnce,
  };
}

type CallRow = Row<typeof stagedCallRow>;
const numberRow = pick(stagedChunkRow, "n");

const erasedAtOnce = 16;
const eraseSql = (table: string) =>
  `DELETE FROM ${table} WHERE n IN (SELECT n FROM ${table} WHERE n BETWEEN ? AND ? ORDER BY n LIMIT ?)`;

/** What an earlier process left: unfinished committed calls, uncommitted ones, and the next free number. */
export function stagingsLeft(database: Database): { counting: number[]; left: number[]; next: number } {
  const counting = database
    .query("SELECT call FROM staged_call ORDER BY call", pick(stagedCallRow, "call"))
    .all()
    .map(({ call }) => call);
  const chunkFrom = database.query("SELECT n FROM staged_chunk WHERE n >= ? ORDER BY n LIMIT 1", numberRow);
  const left: number[] = [];
  let last = Math.max(0, ...counting);
  for (let chunk = chunkFrom.get(0); chunk !== undefined; ) {
    const call = callOf(chunk.n);
    if (!counting.includes(call)) left.push(call);
    last = Math.max(last, call);
    chunk = chunkFrom.get(firstOf(call + 1));
  }
  const ids = database.query("SELECT coalesce(max(n), 0) AS n FROM once_ids", numberRow).get()?.n ?? 0;
  return { counting, left, next: Math.max(last, callOf(ids)) + 1 };
}
