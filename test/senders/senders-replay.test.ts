import { createHmac, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { pushProgressPath, pushRow } from "../../src/contract/pushes.ts";
import { manualClock } from "../../src/kit/time/clock.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Signed requests that somebody recorded, or that their sender repeats. */

const standardSecret = `whsec_${randomBytes(24).toString("base64")}`;
const shopSecret = "shop-secret-0123456789";
const config = {
  senders: {
    hooks: { auth: { kind: "hmac", preset: "standard-webhooks", secrets: [standardSecret] } },
    shop: { auth: { kind: "hmac", preset: "shopify", secrets: [shopSecret] } },
  },
};

interface Recorded {
  readonly body: string;
  readonly headers: Record<string, string>;
}

let made = 0;
function standard(nowMs: number, body = itemOf(++made), id = `msg_${made}`): Recorded {
  const at = new Date(nowMs);
  const signature = new Webhook(standardSecret).sign(id, at, body);
  const timestamp = String(Math.floor(nowMs / 1000));
  return { body, headers: { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature } };
}
function shopify(body = itemOf(++made)): Recorded {
  return { body, headers: { "x-shopify-hmac-sha256": createHmac("sha256", shopSecret).update(body).digest("base64") } };
}
const itemOf = (number: number) => JSON.stringify({ number: `I-${number}`, name: `Item ${number}` });

async function send(url: string, { body, headers }: Recorded, topic: "items" | "stock" = "items") {
  const all = { "content-type": "application/json", ...headers };
  const answer = await fetch(url + pushRow(topic).path, { method: "POST", body, headers: all });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
async function entriesAt(url: string): Promise<number> {
  const answer = await fetch(`${url}/admin/journal?limit=500`, { headers: { "x-api-key": apiKey } });
  return ((await answer.json()) as { entries: unknown[] }).entries.length;
}

test("of 1,000 repeated signed requests none is accepted twice, at once, one by one or after a restart", async () => {
  const folder = temporaryFolder();
  const clock = manualClock(Date.now());
  let replays = 0;
  const recorded: Recorded[] = [];
  for (let life = 0; life < 4; life++) {
    const { url, close } = await startAdapter({ folder, config, clock });
    const fresh = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? standard(clock.now()) : shopify()));
    // Three of each at the same moment: one of them is the first.
    const answers = await Promise.all(fresh.flatMap((one) => [send(url, one), send(url, one), send(url, one)]));
    replays += answers.length - fresh.length;
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(fresh.length);
    recorded.push(...fresh);
    for (let round = 0; round < 10; round++) {
      const again = await Promise.all(
        recorded.map((one, index) => send(url, one, index % 3 === 0 ? "stock" : "items")),
      );
      replays += again.length;
      expect(again.filter(({ status }) => status !== 200)).toEqual([]);
    }
    expect(await entriesAt(url)).toBe(recorded.length);
    await close();
    clock.advance({ seconds: 60 });
  }
  expect(replays).toBeGreaterThanOrEqual(1000);
});

test("a sender that got no answer and repeats itself is told that all is well", async () => {
  const clock = manualClock(Date.now());
  const { url } = await startAdapter({ config, clock });
  const first = standard(clock.now(), itemOf(1), "msg_retry");
  expect((await send(url, first)).status).toBe(202);
  clock.advance({ minutes: 90 });
  // Signed anew, as the specification wants retries, under the id it had.
  const retry = await send(url, standard(clock.now(), itemOf(1), "msg_retry"));
  expect(retry).toMatchObject({ status: 200, body: { repeated: true } });
  expect(await entriesAt(url)).toBe(1);
});

test("what was refused for its content can be sent again under the same id", async () => {
  const clock = manualClock(Date.now());
  const { url } = await startAdapter({ config, clock });
  const bad = standard(clock.now(), '{"name":"without a number"}', "msg_fixed");
  expect((await send(url, bad)).status).toBe(400);
  expect((await send(url, bad)).status).toBe(400);
  expect((await send(url, standard(clock.now(), itemOf(7), "msg_fixed"))).status).toBe(202);
});

test("a recorded request is worth nothing after its time, also where the id was forgotten", async () => {
  const clock = manualClock(Date.now());
  const { url } = await startAdapter({ config, clock });
  const old = standard(clock.now());
  expect((await send(url, old)).status).toBe(202);
  clock.advance({ days: 8 });
  expect((await send(url, old)).status).toBe(401);
});

test("a new configuration keeps in mind what was taken under the old one", async () => {
  const clock = manualClock(Date.now());
  const { url, reload } = await startAdapter({ config, clock });
  await reload({
    ...config,
    senders: { ...config.senders, more: { auth: { kind: "apiKey", keys: ["more-key-0123456789"] } } },
  });
  const one = standard(clock.now());
  expect((await send(url, one)).status).toBe(202);
  expect((await send(url, one)).status).toBe(200);
});

test("the result of a push may be queried repeatedly with the same signature, and a query is not a delivery", async () => {
  const { url } = await startAdapter({ config });
  const { ids } = (await send(url, shopify())).body as { ids: string[] };
  const { headers } = shopify("");
  const query = async () =>
    (await fetch(`${url}${pushProgressPath.replace("{id}", ids[0] ?? "")}`, { headers })).json();
  expect([await query(), await query()]).toMatchObject([{ state: "stored" }, { state: "stored" }]);
  const wrong = { "x-shopify-hmac-sha256": createHmac("sha256", "guess").update("").digest("base64") };
  const refused = await fetch(`${url}${pushProgressPath.replace("{id}", ids[0] ?? "")}`, { headers: wrong });
  expect(refused.status).toBe(401);
});
