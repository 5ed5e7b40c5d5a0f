import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type OperationId, operationRow } from "../../src/contract/operations.ts";
import { pushRow } from "../../src/contract/pushes.ts";
import { alarmKinds } from "../../src/engine/alarms/alarm.ts";
import { manualClock } from "../../src/kit/time/clock.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Told {
  readonly change: string;
  readonly alarm: string;
  readonly subject: string;
  readonly text: string;
  readonly entries: readonly {
    readonly orders: readonly string[];
    readonly lastAnswer: string;
    readonly timelines: readonly string[];
  }[];
}

/** Somebody who is told, and a promise for each time they are. */
async function office() {
  const waiting: ((told: Told) => void)[] = [];
  const arrived: Told[] = [];
  const server = await receiver((response, { body }) => {
    response.writeHead(204).end();
    const told = JSON.parse(body.toString()) as Told;
    const next = waiting.shift();
    if (next === undefined) arrived.push(told);
    else next(told);
  });
  const next = () => {
    const told = arrived.shift();
    return told === undefined ? new Promise<Told>((resolve) => waiting.push(resolve)) : Promise.resolve(told);
  };
  return { url: server.url, requests: server.requests, next };
}

const ready = async (url: string, language = "en") => {
  const answer = await fetch(`${url}/health/ready`, { headers: { "accept-language": language } });
  return {
    status: answer.status,
    body: (await answer.json()) as { ready: boolean; alarms?: { alarm: string; text: string }[] },
  };
};
const deadCount = async (url: string): Promise<number> => {
  const answer = await fetch(`${url}/admin/targets`, { headers: { "x-api-key": apiKey } });
  return ((await answer.json()) as { entries: { dead: number } }).entries.dead;
};
const metrics = async (url: string) => (await fetch(`${url}/metrics`)).text();

test("an entry that the ERP refused is told once with order, last answer and timeline, also across restarts", async () => {
  const folder = temporaryFolder();
  const erp = await receiver((response) => response.writeHead(422).end("order is closed"));
  const it = await office();
  const config = {
    connectors: { erp: { type: "webhook", url: erp.url } },
    events: { to: "erp", modes: { changeStatus: "durable" } },
    alarms: { webhook: { url: it.url }, publicUrl: "https://adapter.example/" },
  };
  const first = await startAdapter({ folder, config });
  await first.client.changeStatus({ number: "47/11", status: 3 });
  while ((await deadCount(first.url)) === 0);
  await first.close();

  const second = await startAdapter({ folder, config });
  const told = await it.next();
  expect(told).toMatchObject({ change: "raised", alarm: "refused", subject: "erp" });
  expect(told.entries).toMatchObject([
    {
      orders: ["47/11"],
      lastAnswer: expect.stringContaining("422"),
      timelines: ["https://adapter.example/admin/orders/47%2F11/timeline?format=text"],
    },
  ]);
  const health = await ready(second.url, "de");
  expect(health).toMatchObject({ status: 200, body: { ready: true, alarms: [{ alarm: "refused" }] } });
  expect(health.body.alarms?.[0]?.text).toContain("abgelehnt");
  // Anybody may ask for the health: what is in there says nothing about orders.
  expect(JSON.stringify(health.body)).not.toContain("47/11");
  expect(await metrics(second.url)).toContain('crossdock_alarm_raised{alarm="refused",subject="erp"} 1');
  await second.close();

  const third = await startAdapter({ folder, config });
  expect((await ready(third.url)).body.alarms).toHaveLength(1);
  await third.close();
  expect(it.requests).toHaveLength(1);
});

test("orders that stay away are missed, and when they come again that is told too", async () => {
  const folder = temporaryFolder();
  const clock = manualClock(Date.parse("2026-01-05T08:00Z"));
  const it = await office();
  const config = {
    senders: { shop: { auth: { kind: "apiKey", keys: ["the key of the shop"] } } },
    alarms: {
      silence: [{ expect: "workOrders", of: "shop", minutes: 60 }],
      clearAfterMinutes: 0,
      webhook: { url: it.url },
    },
  };
  const life = async (work: (url: string) => Promise<unknown>) => {
    const adapter = await startAdapter({ folder, config, clock });
    await work(adapter.url);
    await adapter.close();
  };
  const push = async (url: string, key: string) => {
    // Of each its own: what was known already is no order that came.
    const order = { number: `of ${key}`, dueDate: "2026-01-06", requests: [{ itemNumber: "A-1", requestedAmount: 1 }] };
    const answer = await fetch(url + pushRow("workOrders").path, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(order),
    });
    expect(answer.status).toBe(202);
  };
  await life((url) => ready(url));
  clock.advance({ minutes: 61 });
  await life(async (url) => {
    await push(url, apiKey);
    expect(await it.next()).toMatchObject({ change: "raised", alarm: "silence", subject: "workOrders of shop" });
  });
  await life((url) => push(url, "the key of the shop"));
  await life(async () => {
    expect(await it.next()).toMatchObject({ change: "cleared", alarm: "silence" });
  });
});

test("the figures say what was answered, delivered and committed, and hold no order", async () => {
  const erp = await receiver((response) => response.writeHead(204).end());
  const { url, client } = await startAdapter({
    config: {
      connectors: { erp: { type: "webhook", url: erp.url } },
      events: { to: "erp", modes: { changeStatus: "direct" } },
      basePath: "/wms",
    },
  });
  const startedMs = performance.now();
  await client.changeStatus({ number: "W-secret", status: 3 });
  await client.getItem({ number: "unknown" });
  const tookMs = performance.now() - startedMs;
  const answer = await fetch(`${url}/metrics`);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await answer.text();
  const success = operationRow("changeStatus").success;
  expect(text).toContain(`crossdock_answers_total{operation="changeStatus",result="${success}"} 1`);
  expect(text).toContain('crossdock_answers_total{operation="getItem",result="ItemDoesNotExist"} 1');
  const answerMs = (id: OperationId) =>
    1000 * Number(new RegExp(`^crossdock_answer_seconds_sum\\{operation="${id}"\\} (.+)$`, "m").exec(text)?.[1]);
  expect(answerMs("changeStatus")).toBeGreaterThan(0);
  expect(answerMs("getItem")).toBeGreaterThan(0);
  expect(answerMs("changeStatus") + answerMs("getItem")).toBeLessThan(tookMs);
  expect(text).toContain('crossdock_delivery_attempts_total{target="erp",outcome="answered"} 1');
  expect(text).toContain('crossdock_breaker_state{target="erp"} 0');
  expect(text).toContain('crossdock_oldest_waiting_seconds{target="erp"} 0');
  expect(text).toMatch(/^crossdock_commit_seconds_count [1-9]/m);
  expect(text).toMatch(/^crossdock_commit_wait_seconds_count [1-9]/m);
  expect(text).toMatch(/^crossdock_commit_batch_bucket\{le="\+Inf"\} [1-9]/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d{7,}/m);
  expect(text).toMatch(/^crossdock_disk_free_bytes \d+/m);
  expect(text).toMatch(/^crossdock_event_loop_delay_seconds\{percentile="99"\} [\d.e-]+$/m);
  expect(text).not.toContain("W-secret");
  // Every line is one that Prometheus reads.
  const line = /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [-+]?[\dInfNae.+-]+)$/;
  expect(
    text
      .trimEnd()
      .split("\n")
      .filter((one) => !line.test(one)),
  ).toEqual([]);
});

test("a platform that must prove who it is closes the figures with the health, where that was asked for", async () => {
  const platform = { auth: { kind: "apiKey", keys: ["the key of the platform"] } };
  const open = await startAdapter({ config: { platform } });
  expect((await fetch(`${open.url}/metrics`)).status).toBe(200);
  const closed = await startAdapter({ config: { platform: { ...platform, openRoutes: ["status"] } } });
  expect((await fetch(`${closed.url}/metrics`)).status).toBe(401);
});

test("the documentation has every alarm, and no other", () => {
  const text = readFileSync(new URL("../../docs/how-to/alarms.md", import.meta.url), "utf8");
  const [, table = ""] = text.split("## What is watched");
  const [rows = ""] = table.split("\n## ");
  expect([...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, kind]) => kind)).toEqual([...alarmKinds]);
});

test("the documentation has every figure, and no other", async () => {
  const { url } = await startAdapter();
  const given = [...(await metrics(url)).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
  const text = readFileSync(new URL("../../docs/how-to/alarms.md", import.meta.url), "utf8");
  // Those that come only with a part that is off here are named as such.
  const told = [...text.matchAll(/^\| `(crossdock_\w+|process_\w+)(?:\{[^}]*\})?` \|(?! only with)/gm)].map(
    ([, name]) => name,
  );
  expect(told.sort()).toEqual(given.sort());
});

test("no figure uses a label that is reserved for summaries and histograms", async () => {
  const { url } = await startAdapter();
  const text = await metrics(url);
  const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]));
  const labelled = [...text.matchAll(/^(\w+)\{([^}]*)\}/gm)];
  expect(labelled.length).toBeGreaterThan(0);
  for (const [, name = "", labels = ""] of labelled) {
    if (/\bquantile=/.test(labels)) expect(types.get(name), name).toBe("summary");
    if (/\ble=/.test(labels)) expect(types.get(name.replace(/_bucket$/, "")), name).toBe("histogram");
  }
});
