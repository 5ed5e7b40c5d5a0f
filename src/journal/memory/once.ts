import type { NewEntry } from "../entry.ts";
import type { Appended, AppendedOnce } from "../journal.ts";
import { mostOnces, type Once, onceWindowMs } from "../once.ts";
import type { Tables, Write } from "./tables.ts";

export function onces({ tables, write }: { tables: Tables; write: Write }) {
  const { once: records, entries: rows } = tables;
  return (
    { keys, digest, at, note }: Once,
    entries: readonly NewEntry[],
    append: (entry: NewEntry) => Appended,
  ): AppendedOnce => {
    for (const key of keys) {
      const known = records.get(key);
      if (known !== undefined && at - known.at <= onceWindowMs) return { known };
    }
    const appended = entries.map(append);
    const ids = appended.map((one) => ("id" in one ? one.id : (rows.get(one.repeatOf)?.id ?? "")));
    for (const key of keys) {
      // Taken away first: a map keeps the place of what it knows, and the oldest must come first.
      write(records, key, undefined);
      write(records, key, { digest, at, note, ids });
    }
    let tooMany = records.size - mostOnces;
    for (const [key, record] of records) {
      if (at - record.at <= onceWindowMs && tooMany <= 0) break;
      write(records, key, undefined);
      tooMany--;
    }
    return { appended, ids };
  };
}
