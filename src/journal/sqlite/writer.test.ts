import { expect, onTestFinished, test } from "vitest";
import { type Database, openDatabase } from "../../kit/sqlite.ts";
import type { Appended } from "../journal.ts";
import type { Resident } from "../resident.ts";
import type { Command, Result } from "./command.ts";
import { migrate } from "./migrations.ts";
import { writer } from "./writer.ts";

/** A guest that cannot take one kind of event, and counts how often a transaction is given up. */
function openWriter() {
  const real = openDatabase(":memory:");
  onTestFinished(real.close);
  migrate(real);
  const said: string[] = [];
  const database: Database = {
    ...real,
    exec: (sql) => {
      said.push(sql);
      real.exec(sql);
    },
  };
  const resident: Resident = {
    apply: ({ topic }) => {
      if (topic === "bad") throw new Error("it cannot be applied");
      return { outcome: { ok: true }, touched: false };
    },
  };
  const { write } = writer({ isBoot: true, database, resident, emissionTarget: null, newEntryId: () => "evt_none" });
  return { write, commits: () => said.filter((sql) => sql === "COMMIT").length };
}

let made = 0;
const event = (topic = "good"): Command => {
  const told = { body: "{}", payload: null, acceptLanguage: null, receivedAt: 1000 };
  return {
    name: "append",
    entries: [{ id: `evt_${++made}`, direction: "out", topic, lanes: [`wo:${made}`], ...told }],
    leaseToken: "",
  };
};

const seqOf = (result: Result | undefined): number | string => {
  if (result === undefined || "error" in result) return result?.error ?? "none";
  const [appended] = result.done as readonly Appended[];
  return appended !== undefined && "seq" in appended ? appended.seq : "repeat";
};

test("what arrives while a batch is worked on joins it: one commit, results in the order they came", () => {
  const { write, commits } = openWriter();
  const later = [[event(), event()], [event()]];
  const results = write([event(), event()], () => later.shift() ?? []);
  expect(results.map(seqOf)).toEqual([1, 2, 3, 4, 5]);
  expect(commits()).toBe(1);
});

test("a bad one that joined fails alone, and the others are stored in their order", () => {
  const { write } = openWriter();
  const later = [[event("bad"), event()]];
  const results = write([event()], () => later.shift() ?? []);
  expect(results.map(seqOf)).toEqual([1, "it cannot be applied", 2]);
});

test("a batch does not grow for ever: whoever came first waits for its commit", () => {
  const { write } = openWriter();
  const results = write([event()], () => Array.from({ length: 50 }, () => event()));
  expect(results.length).toBeGreaterThan(100);
  expect(results.length).toBeLessThan(200);
});
