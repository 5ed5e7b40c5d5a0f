import type { Database } from "../../kit/sqlite.ts";
import type { NewEntry } from "../entry.ts";
import type { Appended, AppendedOnce } from "../journal.ts";
import { forgottenPerCall, mostOnces, type Once, type OnceRecord, onceWindowMs } from "../once.ts";

interface OnceRow {
  readonly digest: string;
  readonly at: number;
  readonly note: string;
  readonly ids: string;
}

type Result = Pick<OnceRecord, "ids" | "unchanged">;

/** Finds a call that was made before, in the writer or on a reader's connection. */
export function onceFinder(database: Database): (keys: readonly string[], at: number) => OnceRecord | null {
  const find = database.statement("SELECT digest, at, note, ids FROM once WHERE key = ?");
  return (keys, at) => {
    for (const key of keys) {
      const row = find.get<OnceRow>(key);
      if (row === undefined || at - row.at > onceWindowMs) continue;
      // Written below, and by nobody else.
      return { digest: row.digest, at: row.at, note: row.note, ...(JSON.parse(row.ids) as Result) };
    }
    return null;
  };
}

/** Calls that were made before, in the same transaction as the entries they made: both exist, or neither. */
export function onces(database: Database) {
  const find = onceFinder(database);
  const write = database.statement("INSERT OR REPLACE INTO once (key, digest, at, note, ids) VALUES (?, ?, ?, ?, ?)");
  const oldest = database.statement("SELECT seq, at FROM once ORDER BY seq LIMIT ?");
  const newest = database.statement("SELECT coalesce(max(seq), 0) AS seq FROM once");
  const remove = database.statement("DELETE FROM once WHERE seq = ?");
  const idOf = database.statement("SELECT id FROM entry WHERE seq = ?");

  const forget = (now: number): void => {
    const last = newest.get<{ seq: number }>()?.seq ?? 0;
    for (const { seq, at } of oldest.all<{ seq: number; at: number }>(forgottenPerCall)) {
      if (now - at > onceWindowMs || seq <= last - mostOnces) remove.run(seq);
    }
  };

  const resultOf = (appended: readonly Appended[]): Result => ({
    ids: appended.map((one) => ("id" in one ? one.id : (idOf.get<{ id: string }>(one.repeatOf)?.id ?? ""))),
    unchanged: appended.filter((one) => "repeatOf" in one).length,
  });

  return (
    { keys, digest, at, note }: Once,
    entries: readonly NewEntry[],
    append: (entry: NewEntry) => Appended,
  ): AppendedOnce => {
    const known = find(keys, at);
    if (known !== null) return { known };
    const appended = entries.map(append);
    const result = resultOf(appended);
    const written = JSON.stringify(result);
    for (const key of keys) write.run(key, digest, at, note, written);
    forget(at);
    return { appended, ...result };
  };
}
