import type { Database } from "../../kit/sqlite.ts";
import type { NewEntry } from "../entry.ts";
import type { Appended, AppendedOnce } from "../journal.ts";
import { forgottenPerCall, mostOnces, type Once, type OnceRecord, onceWindowMs } from "../once.ts";

interface OnceRow {
  readonly seq: number;
  readonly digest: string;
  readonly at: number;
  readonly note: string;
  readonly ids: string;
}

/** Calls that were made before, in the same transaction as the entries they made: both exist, or neither. */
export function onces(database: Database) {
  const find = database.statement("SELECT seq, digest, at, note, ids FROM once WHERE key = ?");
  const write = database.statement("INSERT INTO once (key, digest, at, note, ids) VALUES (?, ?, ?, ?, ?)");
  const oldest = database.statement("SELECT seq, at FROM once ORDER BY seq LIMIT ?");
  const newest = database.statement("SELECT coalesce(max(seq), 0) AS seq FROM once");
  const remove = database.statement("DELETE FROM once WHERE seq = ?");
  const idOf = database.statement("SELECT id FROM entry WHERE seq = ?");

  const recall = (key: string, at: number): OnceRecord | null => {
    const row = find.get<OnceRow>(key);
    if (row === undefined) return null;
    if (at - row.at > onceWindowMs) {
      remove.run(row.seq);
      return null;
    }
    const { digest, note } = row;
    // Written below, and by nobody else.
    return { digest, at: row.at, note, ids: JSON.parse(row.ids) as string[] };
  };

  const forget = (now: number): void => {
    const last = newest.get<{ seq: number }>()?.seq ?? 0;
    for (const { seq, at } of oldest.all<{ seq: number; at: number }>(forgottenPerCall)) {
      if (now - at > onceWindowMs || seq <= last - mostOnces) remove.run(seq);
    }
  };

  const idsOf = (appended: readonly Appended[]): string[] =>
    appended.map((one) => ("id" in one ? one.id : (idOf.get<{ id: string }>(one.repeatOf)?.id ?? "")));

  return (
    { keys, digest, at, note }: Once,
    entries: readonly NewEntry[],
    append: (entry: NewEntry) => Appended,
  ): AppendedOnce => {
    for (const key of keys) {
      const known = recall(key, at);
      if (known !== null) return { known };
    }
    const appended = entries.map(append);
    const ids = idsOf(appended);
    const written = JSON.stringify(ids);
    for (const key of keys) write.run(key, digest, at, note, written);
    forget(at);
    return { appended, ids };
  };
}
