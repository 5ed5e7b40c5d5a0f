import type { NewEntry } from "../entry.ts";
import type { Appended, AppendedOnce } from "../journal.ts";
import { mostOnces, type Once, type OnceRecord, onceWindowMs } from "../once.ts";
import type { Tables, Write } from "./tables.ts";

export function onceFinder({ once: records }: Tables): (keys: readonly string[], at: number) => OnceRecord | null {
  return (keys, at) => {
    const found = keys.map((key) => records.get(key));
    return found.find((record) => record !== undefined && at - record.at <= onceWindowMs) ?? null;
  };
}

export function onces({ tables, write }: { tables: Tables; write: Write }) {
  const { once: records, entries: rows } = tables;
  const find = onceFinder(tables);
  return (
    { keys, digest, at, note }: Once,
    entries: readonly NewEntry[],
    append: (entry: NewEntry) => Appended,
  ): AppendedOnce => {
    const known = find(keys, at);
    if (known !== null) return { known };
    const appended = entries.map(append);
    const ids = appended.map((one) => ("id" in one ? one.id : (rows.get(one.repeatOf)?.id ?? "")));
    const unchanged = appended.filter((one) => "repeatOf" in one).length;
    for (const key of keys) {
      // Taken away first: a map keeps the place of what it knows, and the oldest must come first.
      write(records, key, undefined);
      write(records, key, { digest, at, note, ids, unchanged });
    }
    let tooMany = records.size - mostOnces;
    for (const [key, record] of records) {
      if (at - record.at <= onceWindowMs && tooMany <= 0) break;
      write(records, key, undefined);
      tooMany--;
    }
    return { appended, ids, unchanged };
  };
}
