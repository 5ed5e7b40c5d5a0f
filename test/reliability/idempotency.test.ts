import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pushes } from "../../src/contract/pushes.ts";
import type { Clock } from "../../src/kit/time/clock.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { spawnAdapter } from "../support/adapter/child-adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const senders = { shop: { auth: { kind: "apiKey", keys: ["shop-key-0123456789"] } } };
const orderOf = (number: string, changes: object = {}) => ({
  ...{ number, dueDate: "2030-01-31T00:00:00Z", requests: [{ itemNumber: "A", requestedAmount: 2 }] },
  ...changes,
});

interface Sent {
  readonly key?: string;
  readonly as?: string;
  readonly path?: string;
}
async function send(url: string, body: unknown, { key, as = apiKey, path = pushes.workOrders.path }: Sent = {}) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: {
      "x-api-key": as,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    text: await response.text(),
    isReplayed: response.headers.get("idempotency-replayed") === "true",
  };
}
async function entriesOf(url: string): Promise<number> {
  const response = await fetch(`${url}/admin/journal?limit=200`, { headers: { "x-api-key": apiKey } });
  return ((await response.json()) as { entries: unknown[] }).entries.length;
}

test("the same key and body get the same answer, word for word, and store nothing", async () => {
  const { url } = await startAdapter();
  const first = await send(url, orderOf("1"), { key: "k-1" });
  expect(first).toMatchObject({ status: 202, isReplayed: false });
  expect(await send(url, orderOf("1"), { key: "k-1" })).toEqual({ ...first, isReplayed: true });
  expect(await entriesOf(url)).toBe(1);
});

test("another body under the same key is refused, also where it is no good", async () => {
  const { url } = await startAdapter();
  await send(url, orderOf("1"), { key: "k-1" });
  expect((await send(url, orderOf("2"), { key: "k-1" })).status).toBe(422);
  expect((await send(url, "{", { key: "k-1" })).status).toBe(422);
  expect(await entriesOf(url)).toBe(1);
});

test("each sender and each route has keys of its own", async () => {
  const { url } = await startAdapter({ config: { senders } });
  const as = "shop-key-0123456789";
  expect((await send(url, orderOf("1"), { key: "k-1" })).status).toBe(202);
  expect(await send(url, orderOf("2"), { key: "k-1", as })).toMatchObject({ status: 202, isReplayed: false });
  const stock = { itemNumber: "A", amount: 1 };
  expect(await send(url, stock, { key: "k-1", as, path: pushes.stock.path })).toMatchObject({
    status: 202,
    isReplayed: false,
  });
});

test("what was refused may be corrected under the same key", async () => {
  const { url } = await startAdapter();
  expect((await send(url, orderOf(""), { key: "k-1" })).status).toBe(400);
  expect(await send(url, orderOf("1"), { key: "k-1" })).toMatchObject({ status: 202, isReplayed: false });
});

test("of pushes with one key at the same time one is stored, and the others are told to wait or get its answer", async () => {
  let toldToWait = 0;
  // Usually in the first round. On a busy machine the first push may be stored before the others arrive.
  for (let round = 0; toldToWait === 0 && round < 20; round++) {
    const { url } = await startAdapter();
    const list = Array.from({ length: 200 }, (_, index) => orderOf(`N-${index}`));
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(url, list, { key: "k-1" })));
    const taken = answers.filter(({ status }) => status === 202);
    toldToWait = answers.filter(({ status }) => status === 409).length;
    expect(taken.length + toldToWait).toBe(20);
    expect(new Set(taken.map(({ text }) => text)).size).toBe(1);
    expect(taken.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(await entriesOf(url)).toBe(200);
  }
  expect(toldToWait).toBeGreaterThan(0);
});

test("an answer is the same again under another configuration, and after a restart", async () => {
  const folder = temporaryFolder();
  const path = "/hooks/orders";
  const routeWith = (body: string) => ({
    inbound: [{ path, topic: "workOrders", badRecords: "quarantine", answer: { body } }],
  });
  const first = await startAdapter({ folder, config: routeWith("{accepted} of {count}") });
  const body = [orderOf("1"), orderOf("")];
  const answer = await send(first.url, body, { key: "k-1", path });
  expect(answer).toMatchObject({ status: 202, text: "1 of 2" });
  await first.reload(routeWith("thanks"));
  expect(await send(first.url, body, { key: "k-1", path })).toMatchObject({ text: "1 of 2", isReplayed: true });
  await first.close();
  const second = await startAdapter({ folder, config: routeWith("thanks") });
  expect(await send(second.url, body, { key: "k-1", path })).toMatchObject({ text: "1 of 2", isReplayed: true });
  expect(await entriesOf(second.url)).toBe(1);
});

test("a key is forgotten after a week, by the clock if the adapter was started again", async () => {
  const folder = temporaryFolder();
  let now = Date.UTC(2030, 0, 1);
  const clock: Clock = { now: () => now };
  const sentTo = async (body: unknown) => {
    const adapter = await startAdapter({ folder, clock });
    const answer = await send(adapter.url, body, { key: "k-1" });
    await adapter.close();
    return answer;
  };
  await sentTo(orderOf("1"));
  now += 7 * 86_400_000;
  expect((await sentTo(orderOf("1"))).isReplayed).toBe(true);
  now += 1;
  expect(await sentTo(orderOf("2"))).toMatchObject({ status: 202, isReplayed: false });
});

test.each([" ", "x".repeat(256), "ä"])("a key that is none is refused: %j", async (key) => {
  const { url } = await startAdapter();
  const headers = {
    "x-api-key": apiKey,
    "content-type": "application/json",
    "idempotency-key": Buffer.from(key).toString("latin1"),
  };
  const response = await fetch(url + pushes.workOrders.path, {
    method: "POST",
    headers,
    body: JSON.stringify(orderOf("1")),
  });
  expect(response.status).toBe(400);
  expect(await entriesOf(url)).toBe(0);
});

test("across kill -9 at any moment no push with a key is stored twice, and none that was answered is lost", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "crossdock.yaml"), "{}");
  const lists = Array.from({ length: 40 }, (_, push) =>
    Array.from({ length: 5 }, (_, one) => orderOf(`K-${push}-${one}`)),
  );
  const answered = new Map<number, string>();
  for (let life = 0; life < 4; life++) {
    const adapter = await spawnAdapter(folder);
    const sending = lists.map(async (list, index) => {
      const { status, text } = await send(adapter.url, list, { key: `k-${index}` });
      if (status !== 202) return;
      // Whoever was answered before gets that very answer again.
      expect(text).toBe(answered.get(index) ?? text);
      answered.set(index, text);
    });
    const all = Promise.allSettled(sending);
    if (life === 3) await all;
    else await Promise.race([Promise.any(sending.slice(life * 10)), all]);
    await adapter.end("SIGKILL");
    const failures = (await all).filter((one) => one.status === "rejected" && !(one.reason instanceof TypeError));
    expect(failures).toEqual([]);
  }
  expect(answered.size).toBe(lists.length);
  const adapter = await spawnAdapter(folder);
  expect(await entriesOf(adapter.url)).toBe(200);
  await adapter.end("SIGKILL");
});

test("an equal order without a key is unchanged: no second entry, and the id of before", async () => {
  const { url } = await startAdapter();
  const first = JSON.parse((await send(url, orderOf("1"))).text);
  expect(JSON.parse((await send(url, orderOf("1"))).text)).toEqual({ ids: first.ids, unchanged: 1 });
  expect(JSON.parse((await send(url, [orderOf("2"), orderOf("1")])).text)).toEqual({
    ids: [expect.any(String), first.ids[0]],
    unchanged: 1,
  });
  expect(await entriesOf(url)).toBe(2);
});

test("an equal order is new after anything has happened to it, so that it is offered again", async () => {
  const { url, client } = await startAdapter();
  await send(url, orderOf("1"));
  await send(url, { workOrderNumber: "1" }, { path: pushes.cancellations.path });
  expect((await client.listWorkOrders()).data).toEqual([]);
  expect(JSON.parse((await send(url, orderOf("1"))).text)).not.toHaveProperty("unchanged");
  expect((await client.listWorkOrders()).data).toMatchObject([{ number: "1" }]);
  await client.changeStatus({ number: "1", status: 6 });
  expect(JSON.parse((await send(url, orderOf("1"))).text)).not.toHaveProperty("unchanged");
});
