import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Shown {
  readonly attemptLog: readonly {
    readonly status: number | null;
    readonly outcome: string;
    readonly exchanges: readonly {
      readonly to: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: { readonly text: string; readonly bytes: number } | null;
      readonly answer: { readonly status: number | null; readonly body: { readonly text: string } | null } | null;
    }[];
  }[];
}

const placement = { workOrderNumber: "W-1", itemNumber: "A", completedAmount: 1, userEmail: "kim@example.com" };

const inEnvironment = (name: string) => ["$", "{", name, "}"].join("");

/** An adapter that has sent one put-wall amount to this connector, and the entry of it. */
async function told(erp: object, env: Record<string, string> = {}) {
  const adapter = await startAdapter({ config: { connectors: { erp }, events: { to: "erp" } }, env });
  await adapter.client.confirmPutWallPlacement(placement);
  const get = async (path: string) => {
    const answer = await fetch(`${adapter.url}/admin/${path}`, { headers: { "x-api-key": apiKey } });
    return (await answer.json()) as unknown;
  };
  const shown = async () => (await get("journal/1?show=personal")) as Shown;
  await vi.waitFor(async () => expect((await shown()).attemptLog.length).toBeGreaterThan(0), 60_000);
  const { attemptLog } = await shown();
  return { ...adapter, get, attempt: attemptLog[0], exchange: attemptLog[0]?.exchanges[0] };
}

test("an attempt over HTTP shows the request that was really sent and the answer, with every secret masked", async () => {
  const erp = await receiver((response) =>
    response
      .writeHead(422, { "content-type": "application/json", "x-request-id": "r-7", "set-cookie": "s=cookie-1" })
      .end('{"message":"no such bin","hint":"key-from-env"}'),
  );
  const { get, attempt, exchange } = await told(
    {
      ...{
        type: "http",
        baseUrl: new URL(erp.url).origin,
        auth: { kind: "basic", username: "kim", password: inEnvironment("ERP_PASSWORD") },
      },
      headers: { "x-tenant": "tenant-secret" },
      variables: { site: "site-north" },
      operations: {
        confirmPutWallPlacement: { path: "/placed", body: { amount: "{completedAmount}", note: "key-from-env" } },
      },
    },
    { ERP_PASSWORD: "key-from-env" },
  );
  expect(attempt).toMatchObject({ outcome: "dead", status: 422 });
  expect(exchange?.to).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/placed$/);
  expect(exchange?.headers).toMatchObject({ authorization: "***", "idempotency-key": expect.stringContaining("evt_") });
  expect(JSON.parse(exchange?.body?.text ?? "")).toMatchObject({ amount: 1 });
  expect(exchange?.answer).toMatchObject({ status: 422, headers: { "x-request-id": "r-7" } });
  expect(exchange?.answer?.body?.text).toContain("no such bin");
  const whole = JSON.stringify([attempt, await get("orders/W-1/timeline")]);
  for (const secret of [
    "key-from-env",
    "tenant-secret",
    "cookie-1",
    Buffer.from("kim:key-from-env").toString("base64"),
  ]) {
    expect(whole).not.toContain(secret);
  }
  // Lists stay short; the timeline says where it went.
  expect(JSON.stringify(await get("journal"))).not.toContain("/placed");
  expect(whole).toMatch(/attempt 1 to erp: failed, answered 422 after \d+ ms \(POST [^)]*\/placed\)/);
});

test("an attempt by webhook shows what was sent, delivered or not answered, and masks its proof", async () => {
  const erp = await receiver((response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  const { attempt, exchange, get } = await told({
    type: "webhook",
    url: erp.url,
    secrets: ["whsec_c2VjcmV0LXNlY3JldA=="],
  });
  expect(attempt).toMatchObject({ outcome: "delivered", status: 200 });
  expect(exchange).toMatchObject({ to: `POST ${erp.url}`, answer: { status: 200, body: { text: "{}" } } });
  expect(exchange?.headers["webhook-signature"]).toBe("***");
  expect(exchange?.body?.text).toContain("kim@example.com");
  expect(JSON.stringify(await get("journal/1"))).not.toContain("kim@example.com");
});

test("an attempt that was never answered shows what was sent", async () => {
  const erp = await receiver(() => {});
  const { attempt, exchange } = await told({ type: "webhook", url: erp.url, timeouts: { headersMs: 50 } });
  expect(attempt).toMatchObject({ outcome: "retry", status: null });
  expect(exchange).toMatchObject({ to: `POST ${erp.url}`, answer: null });
});

test("an attempt on a database shows the statement with its values, and one on a folder the file", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "erp.db");
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE placed (id TEXT UNIQUE, item TEXT, amount REAL)");
  database.close();
  const statements = [
    { sql: "INSERT INTO placed (id, item, amount) VALUES (:entryId, :itemNumber, :completedAmount)" },
  ];
  const sql = await told({
    ...{ type: "sql", driver: "sqlite", file, createDeliveredTable: true },
    operations: { confirmPutWallPlacement: { statements } },
  });
  const written = sql.attempt?.exchanges.find(({ to }) => to.startsWith("INSERT INTO placed"));
  expect(JSON.parse(written?.body?.text ?? "")).toEqual([expect.stringContaining("evt_"), "A", 1]);
  expect(written?.answer?.body?.text).toBe("1 row changed");

  mkdirSync(join(folder, "out"));
  const files = await told({
    type: "files",
    location: folder,
    out: { all: { folder: "out", name: "{entryId}.json" } },
  });
  expect(files.exchange?.to).toMatch(/^file out\/evt_.*\.json$/);
  expect(files.exchange?.body?.text).toContain('"completedAmount":1');
  expect(files.exchange?.answer).not.toBeNull();
});

test("a connector of one's own reports what it sends", async () => {
  const path = join(temporaryFolder(), "mine.ts");
  writeFileSync(
    path,
    `import { defineConnector, ok, Type } from "crossdock/sdk";
     export default defineConnector({
       type: "mine", summary: "Mine.", options: Type.Object({ password: Type.String() }),
       open: ({ password }) => ({
         operations: {
           confirmPutWallPlacement: async (input, { record }) => {
             const answered = record?.({ to: "queue placements", body: "1x " + password });
             answered?.({ body: "queued" });
             return ok(null);
           },
         },
         check: async () => {}, close: async () => {},
       }),
     });`,
  );
  const { exchange } = await told({ type: "module", path, options: { password: "plain-in-the-file" } });
  expect(exchange).toMatchObject({
    to: "queue placements",
    body: { text: "1x ***" },
    answer: { body: { text: "queued" } },
  });
});

test("an event that was taken while the platform waited keeps the status, and one that was not all of it", async () => {
  let status = 200;
  const erp = await receiver((response) =>
    response.writeHead(status, { "content-type": "application/json" }).end('{"message":"full"}'),
  );
  const { client, get } = await startAdapter({
    config: {
      connectors: {
        erp: {
          type: "http",
          baseUrl: new URL(erp.url).origin,
          operations: { listWorkOrders: { path: "/o" }, attachWorkOrder: { path: "/a" } },
        },
      },
      events: { to: "erp" },
      serve: { workOrders: "erp" },
    },
  }).then((adapter) => ({
    ...adapter,
    get: async (entry: number) =>
      (await (
        await fetch(`${adapter.url}/admin/journal/${entry}`, { headers: { "x-api-key": apiKey } })
      ).json()) as Shown,
  }));
  await client.attachWorkOrder({ workOrderNumber: "W-1", containerCode: "C-1", isAbandonedOrCancelled: false });
  status = 422;
  await client.attachWorkOrder({ workOrderNumber: "W-2", containerCode: "C-2", isAbandonedOrCancelled: false });
  expect((await get(1)).attemptLog).toMatchObject([{ outcome: "delivered", status: 200, exchanges: [] }]);
  expect((await get(2)).attemptLog).toMatchObject([{ status: 422, exchanges: [{ answer: { status: 422 } }] }]);
});
