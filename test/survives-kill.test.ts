import { expect, test } from "vitest";
import { createClient } from "../src/contract/derive/client.ts";
import { openDatabase } from "../src/kit/sqlite.ts";
import { apiKey } from "./support/adapter.ts";
import { spawnAdapter } from "./support/child-adapter.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const placement = (order: number) => ({
  workOrderNumber: `K-${order}`,
  itemNumber: "A-1",
  completedAmount: 1,
  confirmedLocationName: "Wall 1",
});

test("what was answered before a kill -9 is in the journal and in the books, each once", async () => {
  const folder = temporaryFolder();
  const answered: number[] = [];
  let next = 0;
  for (let life = 0; life < 4; life++) {
    const adapter = await spawnAdapter(folder);
    const client = createClient({ baseUrl: adapter.url, apiKey });
    let killed = false;
    const floor = Array.from({ length: 16 }, async () => {
      while (!killed) {
        const order = next++;
        const envelope = await client.confirmPutWallPlacement(placement(order)).catch(() => null);
        if (envelope?.isResultSuccess) answered.push(order);
        if (answered.length >= (life + 1) * 300 && !killed) {
          killed = true;
          await adapter.end("SIGKILL");
        }
      }
    });
    await Promise.all(floor);
  }

  const database = openDatabase(`${folder}/data/crossdock.db`);
  const journaled = database.statement("SELECT lane, count(*) AS times FROM entry_lane GROUP BY lane");
  const times = new Map(journaled.all<{ lane: string; times: number }>().map((row) => [row.lane, row.times]));
  for (const order of answered) expect(times.get(`wo:K-${order}`)).toBe(1);
  // An entry without its effect, or an effect without its entry, would show as a difference here.
  const booked = database.statement("SELECT count(*) AS orders, sum(picked) AS amount FROM quantity").get();
  expect(booked).toEqual({ orders: times.size, amount: times.size });
  expect(database.statement("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  database.close();
  expect(answered.length).toBeGreaterThanOrEqual(1200);
});

test("SIGTERM finishes what was begun and ends with code 0 within five seconds", async () => {
  const adapter = await spawnAdapter(temporaryFolder());
  const client = createClient({ baseUrl: adapter.url, apiKey });
  const begun = Array.from({ length: 50 }, (_, order) => client.confirmPutWallPlacement(placement(order)));
  await Promise.race(begun);
  const before = performance.now();
  expect(await adapter.end("SIGTERM")).toBe(0);
  expect(performance.now() - before).toBeLessThan(5000);
  const answers = await Promise.allSettled(begun);
  for (const answer of answers) if (answer.status === "fulfilled") expect(answer.value.isResultSuccess).toBe(true);
});

test("a piece that comes after a kill -9, equal to one that was answered right before it, is a second piece", async () => {
  const folder = temporaryFolder();
  const orders = Array.from({ length: 24 }, (_, order) => order);
  const place = async (url: string) => {
    const client = createClient({ baseUrl: url, apiKey });
    const envelopes = await Promise.all(orders.map((order) => client.confirmPutWallPlacement(placement(order))));
    for (const { isResultSuccess } of envelopes) expect(isResultSuccess).toBe(true);
  };
  const first = await spawnAdapter(folder);
  await place(first.url);
  await first.end("SIGKILL");
  const second = await spawnAdapter(folder);
  await place(second.url);
  await second.end("SIGTERM");

  const database = openDatabase(`${folder}/data/crossdock.db`);
  const booked = database.statement("SELECT picked FROM quantity").all<{ picked: number }>();
  database.close();
  expect(Math.max(...booked.map(({ picked }) => picked))).toBe(2);
  // The kill may hit the few answers that are being noted in that moment.
  expect(booked.filter(({ picked }) => picked === 2).length).toBeGreaterThanOrEqual(orders.length - 4);
});
