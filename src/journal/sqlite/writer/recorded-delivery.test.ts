import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { openDatabase, type Recording } from "../../../kit/sqlite/sqlite.ts";
import { newEntry } from "../../suite/journal-check.ts";
import { migrate } from "../migrations.ts";
import { writer } from "./writer.ts";
import type { Command } from "./writer-command.ts";

function opened() {
  const database = openDatabase(":memory:");
  onTestFinished(database.close);
  migrate(database);
  return database;
}

/** A writer whose commits are applied to a copy as well. */
function replicated() {
  const [database, copy] = [opened(), opened()];
  let recording: Recording | null = null;
  let ids = 0;
  const { write } = writer({
    ...{ isBoot: false, database, projection: null, inherited: [], emissionTarget: null },
    newEntryId: () => `evt_${++ids}`,
    replica: {
      begin: () => {
        recording = database.recordTransaction();
      },
      confirm: () => {
        expect(copy.apply(recording?.changeset() ?? new Uint8Array())).toBe(true);
        recording?.close();
      },
      abandon: () => false,
    },
  });
  const tables = ["entry", "entry_body", "entry_lane", "attempt", "attempt_exchange", "lane", "last_entry"];
  return {
    run: (...commands: Command[]) => {
      const { refusal, results } = write(commands);
      expect(refusal).toBeNull();
      for (const result of results) expect(result).toHaveProperty("done");
    },
    expectSame: () => {
      const contents = (from: typeof copy) => tables.map((name) => from.statement(`SELECT * FROM ${name}`).all());
      expect(contents(copy)).toEqual(contents(database));
    },
  };
}

test("what the usual delivery of an event changes is recorded without SQLite's own recording, which is slow", () => {
  const { run, expectSame } = replicated();
  const sqlites = vi.spyOn(DatabaseSync.prototype, "createSession");
  onTestFinished(() => sqlites.mockRestore());
  const exchanges = [{ sentAt: 10, to: "POST /events" }];
  const attempt = { startedAt: 10, endedAt: 20, status: 503, error: "busy ÄÖ", exchanges };

  run({ name: "append", entries: [newEntry({ handling: "queue" }), newEntry({ handling: "queue" })], leaseToken: "" });
  run({ name: "start", seq: 1, token: "first", at: 10 });
  const later = { state: "retry", nextAt: 30, countsAsAttempt: false, reason: "busy" } as const;
  run({ name: "settle", lease: { seq: 1, token: "first" }, verdict: later, attempt, answer: null });
  run({ name: "start", seq: 1, token: "second", at: 30 }, { name: "start", seq: 2, token: "other", at: 30 });
  run(
    { name: "settle", lease: { seq: 1, token: "second" }, verdict: { state: "delivered" }, attempt, answer: null },
    { name: "settle", lease: { seq: 2, token: "other" }, verdict: { state: "delivered" }, attempt, answer: "{}" },
    { name: "markAnswered", marks: [[1, 40]] },
  );

  expectSame();
  expect(sqlites).not.toHaveBeenCalled();
});
