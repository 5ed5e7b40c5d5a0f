import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { pushRow } from "../../../src/contract/pushes.ts";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";
import { envelopeOf } from "../../support/adapter/envelope-of.ts";
import { wideOrder, wideStep } from "../../support/adapter/hostile-bodies.ts";
import { longestStall, workedMs } from "../../support/longest-stall.ts";
import { receiver } from "../../support/receivers/receiver.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

// Letters beyond Latin-1 take longest to encode: eight megabytes at once about thirty milliseconds.

interface Sent {
  readonly path: string;
  readonly text: (run: number) => string;
}

const step: Sent = {
  path: operations.confirmStep.path,
  text: (run) => wideStep.replace('"workOrderNumber":"N"', `"workOrderNumber":"N${run}"`),
};
const order: Sent = {
  path: pushRow("workOrders").path,
  text: (run) => wideOrder.replace('"number":"N"', `"number":"N${run}"`),
};
const asked = { operator: "kim", reason: "amount" };
const headers = { "content-type": "application/json", "x-api-key": apiKey };

/** Another program can lengthen the stall of a run, but not those of all. */
const mostRuns = 8;

/**
 * Expects that in one of a few runs the longest stall is shorter than encoding the text twice. Reading, mapping and writing
 * it at once would take several times as long.
 */
async function expectShortStall(text: (run: number) => string, work: (body: Buffer, run: number) => Promise<void>) {
  let last = { stallMs: 0, limitMs: 0 };
  for (let run = 0; run < mostRuns; run++) {
    const whole = text(run);
    const startedMs = workedMs();
    const body = Buffer.from(whole);
    const limitMs = 2 * (workedMs() - startedMs);
    const { stallMs } = await longestStall(() => work(body, run));
    if (stallMs < limitMs) return;
    last = { stallMs, limitMs };
  }
  expect(last.stallMs).toBeLessThan(last.limitMs);
}

const expectSentOn = ({ path, text }: Sent, url: string, arrived: () => number) =>
  expectShortStall(text, async (body, run) => {
    expect((await fetch(url + path, { method: "POST", body, headers })).ok).toBe(true);
    await vi.waitFor(() => expect(arrived()).toBe(run + 1), { timeout: 180_000, interval: 200 });
  });

test.each([
  ["a JSON file", () => files({ format: "json" })],
  ["a CSV file", () => files({ format: "csv" })],
  ["a request", () => http({})],
  ["a request with a mapping", () => http({ map: { no: "workOrderNumber", model: "updateWorkOrderRequest" } })],
  ["a webhook", webhook],
])(
  "a step of 8 MB beyond Latin-1 goes on as %s, and holds up others for less than twice as long as encoding it takes",
  { timeout: 600_000 },
  async (_how, open) => {
    const { erp, arrived } = await open();
    const config = { connectors: { erp }, events: { to: "erp", modes: { confirmStep: "durable" } } };
    const { url } = await startAdapter({ config });
    await expectSentOn(step, url, arrived);
  },
);

test.each([
  ["as it is", {}],
  ["with a mapping", { body: { no: "number", lines: { each: "requests", map: { sku: "itemNumber" } } } }],
])(
  "a pushed order of 8 MB beyond Latin-1 is forwarded %s, and holds up others for less than twice as long as encoding it takes",
  { timeout: 600_000 },
  async (_how, more) => {
    const to = await receiver((response) => response.writeHead(204).end());
    const request = { url: to.url, ...more };
    const config = { platform: { forward: { workOrders: { mode: "both", request } } } };
    const { url } = await startAdapter({ config });
    await expectSentOn(order, url, () => to.requests.length);
  },
);

describe("a request of an administrator about a step of 8 MB beyond Latin-1", () => {
  let url = "";
  beforeAll(async () => {
    const config = {
      connectors: { erp: { type: "webhook", url: "http://127.0.0.1:1/", allowPrivate: true } },
      events: { to: "erp", modes: { confirmStep: "durable" } },
    };
    const started = await startAdapter({ config, onFinished: () => {} });
    url = started.url;
    const taken = fetch(url + step.path, { method: "POST", body: wideStep, headers });
    expect(await envelopeOf(taken)).toMatchObject({ isResultSuccess: true });
    return started.close;
  });

  test.each([
    ["journal?limit=100"],
    ["journal?item=ITEM-1"],
    ["journal?text=ITEM-9999"],
    ["journal/1"],
    ["journal/export"],
    ["orders/N/timeline"],
    ["orders/N/timeline?format=text"],
    ["deliveries"],
    ["orders/N/bundle", asked],
    ["journal/1/check", { body: wideStep }],
    ["journal/bulk", { ...asked, action: "retry", filter: { order: "N" } }],
  ])("(%s) holds up others for less than twice as long as encoding it takes", (path, given?: object) => {
    // Made before: it is the work of the sender.
    const sent = given === undefined ? {} : { method: "POST", body: Buffer.from(JSON.stringify(given)) };
    return expectShortStall(step.text, async () => {
      const answer = await fetch(`${url}/admin/${path}`, { headers, ...sent });
      for await (const _piece of answer.body ?? []);
      expect(answer.status).toBe(200);
    });
  });
});

function files(all: object) {
  const folder = temporaryFolder();
  const arrived = () => readdirSync(folder).filter((name) => !name.startsWith(".")).length;
  return { erp: { type: "files", location: folder, out: { all } }, arrived };
}

async function http(more: object) {
  const to = await receiver((response) => response.writeHead(204).end());
  const operation = { path: "/steps", ...more };
  const erp = { type: "http", baseUrl: new URL(to.url).origin, operations: { confirmStep: operation } };
  return { erp, arrived: () => to.requests.length };
}

async function webhook() {
  const to = await receiver((response) => response.writeHead(204).end());
  const secrets = [`whsec_${Buffer.alloc(32, 7).toString("base64")}`];
  return { erp: { type: "webhook", url: to.url, allowPrivate: true, secrets }, arrived: () => to.requests.length };
}
