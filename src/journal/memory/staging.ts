import type { NewEntry } from "../entry.ts";
import type { Appended, AppendedOnce } from "../journal.ts";
import type { Once } from "../once.ts";
import { unpackEntries } from "../packed-entry.ts";
import { hasNews, idPiece, type Moved, type StagedOutcome, type Staging } from "../staging.ts";
import type { Tables } from "./tables.ts";

/** A call in chunks: they are kept aside, and become entries in one go. */
export function memoryStaging(needs: {
  readonly commit: <T>(work: () => T) => Promise<T>;
  readonly append: (entry: NewEntry) => Appended;
  readonly once: (once: Once, entries: readonly NewEntry[], append: (entry: NewEntry) => Appended) => AppendedOnce;
  readonly tables: Tables;
  readonly tell: (moved: Moved) => void;
}): () => Staging {
  const { commit, append, once: runOnce, tables, tell } = needs;
  const stored = (entries: readonly NewEntry[]) => {
    const appended = entries.map(append);
    const ids = appended.map((one) => ("id" in one ? one.id : (tables.entries.get(one.repeatOf)?.id ?? "")));
    return { appended, ids, unchanged: appended.filter((one) => "repeatOf" in one).length };
  };
  return () => {
    let staged: NewEntry[] = [];
    return {
      add: async ({ chunks }) => {
        staged = [...staged, ...chunks.flatMap(unpackEntries)];
      },
      commit: async (once): Promise<StagedOutcome> => {
        const done = await commit(() => (once === null ? stored(staged) : runOnce(once, staged, append)));
        if ("known" in done) return { isKnown: true };
        const { appended, ids, unchanged } = done;
        tell({ appended: appended.filter(hasNews), touched: appended.some(({ touched }) => touched) });
        return { idPieces: [idPiece(ids)], count: ids.length, unchanged };
      },
      drop: () => {
        staged = [];
      },
    };
  };
}
