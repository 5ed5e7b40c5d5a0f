import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { createClient } from "../../src/contract/derive/client.ts";
import { integer, real, row, text } from "../../src/kit/sqlite/row.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { apiKey } from "../support/adapter/adapter.ts";
import { spawnAdapter } from "../support/adapter/child-adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const placement = (order: number) => ({
  workOrderNumber: `K-${order}`,
  itemNumber: "A-1",
  completedAmount: 1,
  confirmedLocationName: "Wall 1",
});

const lives = 3;
const perLife = 200;

test("what was answered before a kill -9 is in the journal and in the books, each once", async () => {
  const folder = temporaryFolder();
  const answered: number[] = [];
  let next = 0;
  for (let life = 0; life < lives; life++) {
    const adapter = await spawnAdapter(folder);
    const client = createClient({ baseUrl: adapter.url, apiKey });
    let killed = false;
    const floor = Array.from({ length: 16 }, async () => {
      while (!killed) {
        const order = next++;
        const envelope = await client.confirmPutWallPlacement(placement(order)).catch(() => null);
        if (envelope?.isResultSuccess) answered.push(order);
        if (answered.length >= (life + 1) * perLife && !killed) {
          killed = true;
          await adapter.end("SIGKILL");
        }
      }
    });
    await Promise.all(floor);
  }

  const database = openDatabase(`${folder}/data/crossdock.db`);
  const journaled = database.query(
    "SELECT lane, count(*) AS times FROM entry_lane GROUP BY lane",
    row({ lane: text, times: integer }),
  );
  const times = new Map(journaled.all().map((row) => [row.lane, row.times]));
  for (const order of answered) expect(times.get(`wo:K-${order}`)).toBe(1);
  // An entry without its effect, or an effect without its entry, would show as a difference here.
  const booked = database.statement("SELECT count(*) AS orders, sum(picked) AS amount FROM quantity").get();
  expect(booked).toEqual({ orders: times.size, amount: times.size });
  expect(database.statement("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  database.close();
  expect(answered.length).toBeGreaterThanOrEqual(lives * perLife);
});

test("SIGTERM finishes what was begun and ends with code 0, in less time than a few starts take", async () => {
  let starts = Number.POSITIVE_INFINITY;
  // Where something else on the machine held up the stop, it is tried again.
  for (let run = 0; run < 3 && starts >= 5; run++) {
    const spawnedAt = performance.now();
    const adapter = await spawnAdapter(temporaryFolder());
    const startMs = performance.now() - spawnedAt;
    const client = createClient({ baseUrl: adapter.url, apiKey });
    const begun = Array.from({ length: 50 }, (_, order) => client.confirmPutWallPlacement(placement(order)));
    await Promise.race(begun);
    const before = performance.now();
    expect(await adapter.end("SIGTERM")).toBe(0);
    starts = (performance.now() - before) / startMs;
    const answers = await Promise.allSettled(begun);
    for (const answer of answers) if (answer.status === "fulfilled") expect(answer.value.isResultSuccess).toBe(true);
  }
  expect(starts).toBeLessThan(5);
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
  const booked = database.query("SELECT picked FROM quantity", row({ picked: real })).all();
  database.close();
  expect(Math.max(...booked.map(({ picked }) => picked))).toBe(2);
  // The kill may hit the few answers that are being noted in that moment.
  expect(booked.filter(({ picked }) => picked === 2).length).toBeGreaterThanOrEqual(orders.length - 4);
});

test("a put-wall event whose answer was written before a kill and never read counts as answered: sent again, it is stored a second time and marked", async () => {
  const folder = temporaryFolder();
  const first = await spawnAdapter(folder);
  const { hostname, port } = new URL(first.url);
  const body = JSON.stringify(placement(1));
  const lines = ["POST /WorkOrders/ForPutWall HTTP/1.1", `host: ${hostname}:${port}`, "content-type: application/json"];
  // A sender that is busy with something else: it sends, and does not look for the answer before it has lost its line.
  const sender = connect({ port: Number(port), host: hostname });
  sender.on("error", () => {});
  sender.pause();
  sender.write(`${lines.join("\r\n")}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  const notes = `${folder}/data/crossdock.db.answers`;
  await vi.waitFor(() => expect(readFileSync(notes).some((byte) => byte !== 0)).toBe(true), { timeout: 60_000 });
  await first.end("SIGKILL");
  sender.destroy();
  const second = await spawnAdapter(folder);
  await createClient({ baseUrl: second.url, apiKey }).confirmPutWallPlacement(placement(1));
  await second.end("SIGTERM");

  const database = openDatabase(`${folder}/data/crossdock.db`, { readOnly: true });
  const entries = database.statement("SELECT seq, suspect_of FROM entry ORDER BY seq").all();
  database.close();
  // Whether it was read only the sender knows. A piece too many can be seen and taken back; one too few is gone.
  expect(entries).toEqual([
    { seq: 1, suspect_of: null },
    { seq: 2, suspect_of: 1 },
  ]);
});
