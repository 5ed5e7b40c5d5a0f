import { pick } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { NewEntry } from "../../entry.ts";
import {
  forgottenPerCall,
  type IdempotencyRecord,
  type IdempotentCall,
  idempotencyWindowMs,
  maxIdempotencyRecords,
} from "../../idempotency-record.ts";
import type { Appended, IdempotentAppend } from "../../journal.ts";
import { entryRow, idempotencyIdsRow, idempotencyRow, seqRow } from "./journal-rows.ts";

type Result = Pick<IdempotencyRecord, "ids" | "unchanged"> & {
  /** The number of a call stored in chunks, under which its ids are found. */
  readonly call?: number;
  readonly count?: number;
};

/** Finds an earlier call, in the writer or on a reader's connection. */
export function idempotencyFinder(
  database: Database,
): (keys: readonly string[], at: number) => IdempotencyRecord | null {
  const find = database.query(
    "SELECT digest, at, note, ids FROM once WHERE key = ?",
    pick(idempotencyRow, "digest", "at", "note", "ids"),
  );
  const next = database.query(
    "SELECT n, ids FROM once_ids WHERE n > ? AND n <= ? ORDER BY n LIMIT 1",
    idempotencyIdsRow,
  );
  // Each piece is read by its own query: one query open for all of them would prevent the log from being folded.
  function* pieces(call: number): Generator<Uint8Array> {
    let last = firstOf(call) - 1;
    for (;;) {
      const row = next.get(last, lastOf(call));
      if (row === undefined) return;
      last = row.n;
      yield row.ids;
    }
  }
  return (keys, at) => {
    for (const key of keys) {
      const row = find.get(key);
      if (row === undefined || at - row.at > idempotencyWindowMs) continue;
      // Only the code below writes these rows.
      const { call, count = 0, ...listed } = JSON.parse(row.ids) as Result;
      const inPieces = call === undefined ? {} : { inPieces: { count, idPieces: pieces(call) } };
      return { digest: row.digest, at: row.at, note: row.note, ...listed, ...inPieces };
    }
    return null;
  };
}

export interface IdempotencyRecords {
  readonly known: (keys: readonly string[], at: number) => boolean;
  /** Stores the call with its entries, unless it was made before. */
  readonly run: (
    idempotency: IdempotentCall,
    entries: readonly NewEntry[],
    append: (entry: NewEntry) => Appended,
  ) => IdempotentAppend;
  readonly remember: (idempotency: IdempotentCall, result: Result) => void;
  /** The ids of the entries; for a repeat, the id of the entry it repeats. */
  readonly resultOf: (appended: readonly Appended[]) => Pick<IdempotencyRecord, "ids" | "unchanged">;
}

/** Stores idempotency records in the same transaction as their entries: both exist, or neither. */
export function idempotencyRecords(
  database: Database,
  needs: { readonly eraseIds?: (call: number) => void },
): IdempotencyRecords {
  const find = idempotencyFinder(database);
  const write = database.statement("INSERT OR REPLACE INTO once (key, digest, at, note, ids) VALUES (?, ?, ?, ?, ?)");
  const oldest = database.query(
    "SELECT seq, at, substr(ids, 1, 100) AS ids FROM once ORDER BY seq LIMIT ?",
    pick(idempotencyRow, "seq", "at", "ids"),
  );
  const newest = database.query("SELECT coalesce(max(seq), 0) AS seq FROM once", seqRow);
  const remove = database.statement("DELETE FROM once WHERE seq = ?");
  const idOf = database.query("SELECT id FROM entry WHERE seq = ?", pick(entryRow, "id"));

  const forget = (now: number): void => {
    const last = newest.get()?.seq ?? 0;
    for (const { seq, at, ids } of oldest.all(forgottenPerCall)) {
      if (now - at <= idempotencyWindowMs && seq > last - maxIdempotencyRecords) continue;
      remove.run(seq);
      const call = callIn(ids);
      if (call !== null) needs.eraseIds?.(call);
    }
  };

  const resultOf: IdempotencyRecords["resultOf"] = (appended) => ({
    ids: appended.map((one) => ("id" in one ? one.id : (idOf.get(one.repeatOf)?.id ?? ""))),
    unchanged: appended.filter((one) => "repeatOf" in one).length,
  });

  const remember: IdempotencyRecords["remember"] = ({ keys, digest, at, note }, result) => {
    const written = JSON.stringify(result);
    for (const key of keys) write.run(key, digest, at, note, written);
    forget(at);
  };

  return {
    known: (keys, at) => find(keys, at) !== null,
    run: (idempotency, entries, append) => {
      const known = find(idempotency.keys, idempotency.at);
      if (known !== null) return { known };
      const appended = entries.map(append);
      const result = resultOf(appended);
      remember(idempotency, result);
      return { appended, ...result };
    },
    remember,
    resultOf,
  };
}

/** The call number in a stored result. Such a result is short and begins with the number. */
const callIn = (result: string): number | null => {
  const found = /^\{"call":(\d+),/.exec(result)?.[1];
  return found === undefined ? null : Number(found);
};

/** More chunks than the largest body can have. */
const mostChunks = 10_000_000;

/** Row numbers of a call in chunks: the number of the call, then of the chunk. */
export const chunkNumber = (call: number, index: number): number => call * mostChunks + index;
export const firstOf = (call: number): number => chunkNumber(call, 0);
export const lastOf = (call: number): number => chunkNumber(call, mostChunks - 1);
export const callOf = (chunk: number): number => Math.floor(chunk / mostChunks);
