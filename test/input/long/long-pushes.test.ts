import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { pushes } from "../../../src/contract/pushes.ts";
import { integer, row, text } from "../../../src/kit/sqlite/row.ts";
import { openDatabase } from "../../../src/kit/sqlite/sqlite.ts";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";
import { spawnAdapter } from "../../support/adapter/child-adapter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Two starts of the program, on a machine that is busy with other tests. */
const killMs = 180_000;

const levels = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ itemNumber: `A-${index}`, amount: index % 9 }));

const push = (url: string, value: unknown, headers: Record<string, string> = {}) =>
  fetch(url + pushes.stock.path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey, ...headers },
    body: JSON.stringify(value),
  });

function countsIn(folder: string) {
  const database = openDatabase(`${folder}/data/crossdock.db`, { readOnly: true });
  const count = (sql: string) => database.query(sql, row({ n: integer })).get()?.n ?? 0;
  return {
    entries: () => count("SELECT count(*) AS n FROM entry"),
    chunks: () => count("SELECT count(*) AS n FROM staged_chunk"),
    counting: () => count("SELECT count(*) AS n FROM staged_call"),
    items: () => count("SELECT count(DISTINCT lane) AS n FROM entry_lane"),
    ids: () => database.query("SELECT id FROM entry ORDER BY seq", row({ id: text })).all(),
    close: () => database.close(),
  };
}

test("a long push is answered with its ids in order when all of it is there", async () => {
  const { url, folder } = await startAdapter();
  const answer = await push(url, levels(3_000));
  expect(answer.status).toBe(202);
  const { ids } = (await answer.json()) as { ids: string[] };
  const counts = countsIn(folder);
  expect(counts.ids().map(({ id }) => id)).toEqual(ids);
  expect(ids).toHaveLength(3_000);
  expect(counts.chunks() + counts.counting()).toBe(0);
  counts.close();
});

test("a long push with a mistake in its last element leaves nothing, and the next one is taken", async () => {
  const { url, folder } = await startAdapter();
  const answer = await push(url, [...levels(3_000), { amount: 1 }]);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ errors: { "[3000].itemNumber": [expect.any(String)] } });
  const counts = countsIn(folder);
  expect(counts.entries()).toBe(0);
  expect((await push(url, levels(1_000))).status).toBe(202);
  expect(counts.entries()).toBe(1_000);
  while (counts.chunks() > 0) await pause(1);
  counts.close();
});

test.each([
  ["a member given twice", '{"itemNumber":"A","amount":1,"Amount":2}', "[3000].Amount"],
  ["half a character", '{"itemNumber":"A","amount":1,"lotNumber":"\\ud800"}', "[3000].lotNumber"],
  [
    "more than 1,000 members",
    JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`a${n}`, n]))),
    "[3000]",
  ],
  ["a name that is too long", JSON.stringify({ x: { ["n".repeat(5_000)]: 1 } }), `[3000].x.${"n".repeat(60)}…`],
  ["a reserved name", '{"itemNumber":"A","amount":1,"x":[{"__proto__":1}]}', "[3000].x[0].__proto__"],
])("a long push that cannot be read names the element with the mistake: %s", async (_what, bad, field) => {
  const { url } = await startAdapter();
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  const body = `${JSON.stringify(levels(3_000)).slice(0, -1)},${bad}]`;
  const answer = await fetch(url + pushes.stock.path, { method: "POST", headers, body });
  const { errors } = (await answer.json()) as { errors: object };
  expect([answer.status, Object.keys(errors)]).toEqual([400, [field]]);
});

test.each([
  ["a short one", 1],
  ["one that is read in another thread", 2_000],
  ["one that is read in pieces", 30_000],
])("a push that is no JSON is answered with the place of the mistake: %s", async (_how, count) => {
  const { url } = await startAdapter();
  const good = JSON.stringify(levels(count));
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  for (const bad of ["{'itemNumber':1}", '{"itemNumber":x}', '{"itemNumber":"ä",}']) {
    const body = `${good.slice(0, -1)},\n${bad}]`;
    const position = good.length + 1 + (bad.startsWith("{'") ? 1 : bad.endsWith(",}") ? 18 : 14);
    const answer = await fetch(url + pushes.stock.path, { method: "POST", headers, body });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(`see position ${position}.`)]);
  }
});

test("a long push with a key takes effect once, and gets the same answer again, also after a restart", async () => {
  const folder = temporaryFolder();
  const key = { "idempotency-key": "night-1" };
  const first = await startAdapter({ folder });
  const said = await (await push(first.url, levels(1_200), key)).text();
  const again = await push(first.url, levels(1_200), key);
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([202, "true"]);
  expect(await again.text()).toBe(said);
  expect((await push(first.url, levels(1_201), key)).status).toBe(422);
  await first.close();
  const second = await startAdapter({ folder });
  expect(await (await push(second.url, levels(1_200), key)).text()).toBe(said);
  const counts = countsIn(folder);
  expect(counts.entries()).toBe(1_200);
  counts.close();
});

test(
  "a long push that a kill -9 cuts off before it counts leaves nothing",
  async () => {
    const folder = temporaryFolder();
    const adapter = await spawnAdapter(folder);
    const pushing = push(adapter.url, levels(20_000)).catch(() => null);
    const counts = countsIn(folder);
    while (counts.chunks() === 0) await pause(1);
    await adapter.end("SIGKILL");
    expect(await pushing).toBeNull();
    const isCounting = counts.counting() > 0;
    counts.close();
    const next = await spawnAdapter(folder);
    const after = countsIn(folder);
    while (after.chunks() > 0) await pause(1);
    expect(after.entries()).toBe(isCounting ? 20_000 : 0);
    expect((await push(next.url, levels(500))).status).toBe(202);
    after.close();
    await next.end("SIGTERM");
  },
  killMs,
);

test(
  "a long push that counts comes in to its end after a kill -9, each element once; newer pushes wait for it",
  async () => {
    const folder = temporaryFolder();
    const adapter = await spawnAdapter(folder);
    const pushing = push(adapter.url, levels(8_000)).catch(() => null);
    const counts = countsIn(folder);
    while (counts.entries() === 0) await pause(1);
    await adapter.end("SIGKILL");
    expect(await pushing).toBeNull();
    expect(counts.entries()).toBeLessThan(8_000);
    counts.close();
    const next = await spawnAdapter(folder);
    const after = countsIn(folder);
    const statuses = new Set<number>();
    for (let answer = await push(next.url, [{ itemNumber: "A-0", amount: 77 }]); ; ) {
      statuses.add(answer.status);
      if (answer.status === 202) break;
      expect(answer.headers.get("retry-after")).toBe("5");
      answer = await push(next.url, [{ itemNumber: "A-0", amount: 77 }]);
    }
    expect([...statuses].every((status) => status === 202 || status === 503)).toBe(true);
    expect([after.entries(), after.items(), after.chunks()]).toEqual([8_001, 8_000, 0]);
    after.close();
    await next.end("SIGTERM");
  },
  killMs,
);
