import { join } from "node:path";
import { describe, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { row, text } from "../kit/sqlite/row.ts";
import { openDatabase } from "../kit/sqlite/sqlite.ts";
import type { InlineProjection } from "./inline-projection.ts";
import { journalSuite } from "./journal-suite.ts";
import { emptyTables, type Tables, type Write } from "./memory/memory-tables.ts";
import { openMemoryJournal } from "./memory/open-memory-journal.ts";
import { openSqliteJournal } from "./sqlite/open-sqlite-journal.ts";
import type { JournalUnderTest, OpenForTest } from "./suite/journal-check.ts";

const projectionModule = new URL("../../test/fixtures/counting-projection.ts", import.meta.url);

/** The counting projection, here in a map. */
const countingProjection =
  (booked: Map<string, true>) =>
  (write: Write): InlineProjection => ({
    apply: ({ id, payload }) => {
      write(booked, id, true);
      const { act, emit } = payload as { act?: "fail" | "refuse"; emit?: string[] };
      if (act === "fail") throw new Error("the projection failed");
      const emits = emit === undefined ? [] : [{ topic: "notice", lanes: emit, payload: { because: id } }];
      return { outcome: { ok: act !== "refuse" }, touched: true, emits };
    },
  });

const openMemory: OpenForTest = async (options = {}) => {
  const tables = emptyTables();
  const booked = new Map<string, true>();
  const copies = new Map<string, Tables>();
  const folder = temporaryFolder();
  const openOne = (): JournalUnderTest => {
    const journal = openMemoryJournal({
      ...options,
      tables,
      openProjection: countingProjection(booked),
      onBackup: (copy, file) => copies.set(file, copy),
    });
    return {
      journal,
      folder,
      booked: () => [...booked.keys()],
      openCopy: async (file) => openMemoryJournal({ tables: copies.get(file) ?? emptyTables() }),
      reopen: async () => {
        await journal.close();
        return openOne();
      },
    };
  };
  return openOne();
};

const openSqlite: OpenForTest = async (options = {}) => {
  const folder = temporaryFolder();
  const databaseFile = join(folder, "crossdock.db");
  const openOne = async (): Promise<JournalUnderTest> => {
    const journal = await openSqliteJournal({ databaseFile, projectionModule, ...options });
    let isOpen = true;
    const close = async () => {
      if (isOpen) await journal.close();
      isOpen = false;
    };
    onTestFinished(close);
    return {
      journal,
      folder,
      booked: () => {
        const reader = openDatabase(databaseFile, { readOnly: true });
        const rows = reader.query("SELECT id FROM counted ORDER BY rowid", row({ id: text })).all();
        reader.close();
        return rows.map(({ id }) => id);
      },
      openCopy: async (file) => {
        const copy = await openSqliteJournal({ databaseFile: file });
        onTestFinished(() => copy.close());
        return copy;
      },
      reopen: async () => {
        await close();
        return openOne();
      },
    };
  };
  return openOne();
};

describe.each([
  ["memory", openMemory],
  ["SQLite", openSqlite],
])("the journal in %s", (_, open) => {
  for (const { name, run } of journalSuite({ open })) test(name, run);
});
