import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { row, text } from "../../../kit/sqlite/row.ts";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";
import type { NewEntry } from "../../entry.ts";
import { packEntries } from "../../packed-entry.ts";
import { migrate } from "../migrations.ts";
import { makeDurable } from "../writer/durability.ts";
import type { StagedWritten } from "../writer/writer.ts";
import { writer } from "../writer/writer.ts";
import { type BulkNews, bulkTurns, longestWaitMs, restMs } from "./bulk-turns.ts";

const entry = (id: string, body: object = {}): NewEntry => ({
  ...{ id, direction: "in", topic: "stock", lanes: [`item:${id}`], body: JSON.stringify(body), payload: null },
  ...{ acceptLanguage: null, receivedAt: 1000 },
});

/** Turns on a real writer. The test decides when the disk fails and when time passes. */
function bench() {
  const database = openDatabase(join(temporaryFolder(), "a.db"));
  onTestFinished(() => database.close());
  makeDurable(database);
  migrate(database);
  const booked: string[] = [];
  let failure: StagedWritten<never> | null = null;
  const { staged } = writer({
    ...{ isBoot: true, database, inherited: [], emissionTarget: null, newEntryId: () => "" },
    projection: {
      apply: ({ id, payload }) => {
        if ((payload as { act?: string }).act === "fail") throw new Error("the projection failed");
        booked.push(id);
        return { outcome: { ok: true }, touched: true };
      },
    },
  });
  const news: BulkNews[] = [];
  let wake = () => {};
  const turns = bulkTurns({
    work: (work, sync) => failure ?? staged(work, sync),
    send: (told) => news.push(told),
    // The clock makes each turn end after its first piece of work.
    now: (() => {
      let ms = 0;
      return () => (ms += 10);
    })(),
    after: (_ms, then) => {
      wake = then;
    },
  });
  const states = () => database.query("SELECT id, state FROM entry ORDER BY seq", row({ id: text, state: text })).all();
  const all = () => {
    for (let count = 0; turns.isWaiting() && count < 1000; count++) turns.turn();
  };
  const fail = (made: StagedWritten<never> | null) => {
    failure = made;
  };
  return { turns, news, states, all, fail, wake: () => wake() };
}
const stored = (call: number, entries: readonly NewEntry[]) => ({
  ...{ call, firstIndex: 0 },
  chunks: entries.map((one) => packEntries([one])),
});

test("an entry whose effect fails is stored as refused, and those beside it are stored as ever", () => {
  const { turns, news, states, all } = bench();
  const chunk = packEntries([entry("a"), entry("b", { act: "fail" }), entry("c")]);
  turns.add({ call: 1, firstIndex: 0, chunks: [chunk, packEntries([entry("d")])] });
  turns.add({ call: 1, idempotency: null });
  all();
  expect(states().map(({ id, state }) => `${id} ${state}`)).toEqual([
    ...["a delivered", "b rejected", "c delivered", "d delivered"],
  ]);
  expect(news.at(-1)).toEqual({ call: 1, isOver: true });
});

test("what counts waits for a disk that is full, and no entry is refused for it", () => {
  const { turns, news, states, all, fail, wake } = bench();
  turns.add(stored(1, [entry("a"), entry("b")]));
  turns.add({ call: 1, idempotency: null });
  turns.turn();
  turns.turn();
  turns.turn();
  expect(states()).toHaveLength(1);
  fail({ error: "database or disk is full", isBroken: false, isOfEntry: false, refusal: null });
  all();
  expect(turns.isWaiting()).toBe(false);
  fail(null);
  wake();
  all();
  expect(states().map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  expect(news.at(-1)).toEqual({ call: 1, isOver: true });
});

test("chunks that could not be stored are told, and what is dropped is erased", () => {
  const { turns, news, all, fail } = bench();
  fail({ error: "disk I/O error", isBroken: true, isOfEntry: false, refusal: null });
  turns.add(stored(1, [entry("a")]));
  turns.turn();
  expect(news).toEqual([{ call: 1, failed: "disk I/O error" }]);
  fail(null);
  turns.add(stored(2, [entry("b")]));
  turns.add({ call: 2, isDropped: true });
  all();
  expect(turns.isWaiting()).toBe(false);
});

test("a push that is being stored does not wait for one that is becoming entries", () => {
  const { turns, news } = bench();
  turns.add(stored(1, [entry("a"), entry("b"), entry("c")]));
  turns.add({ call: 1, idempotency: null });
  for (let count = 0; count < 3; count++) turns.turn();
  turns.add(stored(2, [entry("d")]));
  turns.turn();
  expect(news.at(-1)).toEqual({ call: 2, isStored: true });
});

test("of a chunk only so many entries are moved in a turn as there is time for", () => {
  const { turns, states, all } = bench();
  const entries = ["a", "b", "c"].map((id) => entry(id));
  turns.add({ call: 1, firstIndex: 0, chunks: [packEntries(entries)] });
  turns.add({ call: 1, idempotency: null });
  for (let count = 0; count < 3; count++) turns.turn();
  expect(states()).toMatchObject([{ id: "a" }]);
  all();
  expect(states()).toMatchObject([{ id: "a" }, { id: "b" }, { id: "c" }]);
});

test("while events come, a push gets at most half of the writer's time, however slow the machine is", () => {
  for (const lastTurnMs of [0, 0.4, 2, 7.3, 40]) {
    expect(restMs({ lastTurnMs, sinceFloorMs: 5 })).toBeGreaterThanOrEqual(lastTurnMs);
  }
  expect(restMs({ lastTurnMs: 0, sinceFloorMs: 5 })).toBe(1);
  expect(restMs({ lastTurnMs: 900, sinceFloorMs: 5 })).toBe(longestWaitMs);
});

test("a push does not rest while no events come", () => {
  expect(restMs({ lastTurnMs: 40, sinceFloorMs: 10_000 })).toBe(0);
});
