import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { startAdapter } from "../support/adapter/adapter.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const map = {
  number: "no",
  dueDate: { value: "2030-01-31" },
  requests: { value: [{ itemNumber: "A-1", requestedAmount: 2 }] },
};
type Adapter = Awaited<ReturnType<typeof startAdapter>>;

/** Until the platform is offered these orders. */
const offered = ({ client }: Adapter, numbers: readonly string[]) =>
  vi.waitFor(async () => {
    const { data } = await client.listWorkOrders();
    expect((data ?? []).map(({ number }) => number).sort()).toEqual(numbers);
  }, 60_000);

test("an order that the ERP pushes, cancels and pushes again as it was is offered again", async () => {
  const adapter = await startAdapter();
  const order = { number: "W-1", dueDate: "2030-01-31", requests: [{ itemNumber: "A-1", requestedAmount: 2 }] };
  for (let round = 1; round <= 2; round++) {
    await adapter.client.push.workOrders(order);
    await offered(adapter, ["W-1"]);
    await adapter.client.push.cancellations({ workOrderNumber: "W-1" });
    await offered(adapter, []);
  }
});

test("an order that a poll of a web interface finds cancelled and later open again is offered again", async () => {
  let orders: object[] = [{ no: "W-1" }, { no: "W-2" }];
  let cancelled: object[] = [];
  const erp = await receiver((response, { path }) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(path.startsWith("/cancelled") ? cancelled : orders)),
  );
  const poll = [
    { topic: "workOrders", path: "/orders", everySeconds: 1, map },
    { topic: "cancellations", path: "/cancelled", everySeconds: 1, map: { workOrderNumber: "no" } },
  ];
  const adapter = await startAdapter({
    config: { connectors: { erp: { type: "http", baseUrl: new URL(erp.url).origin, poll } } },
  });
  await offered(adapter, ["W-1", "W-2"]);
  orders = [{ no: "W-2" }];
  cancelled = [{ no: "W-1" }];
  await offered(adapter, ["W-2"]);
  const asked = () => erp.requests.filter(({ path }) => path.startsWith("/orders")).length;
  const before = asked();
  await vi.waitFor(() => expect(asked()).toBeGreaterThan(before + 2), 60_000);
  orders = [{ no: "W-1" }, { no: "W-2" }];
  cancelled = [];
  await offered(adapter, ["W-1", "W-2"]);
});

test("an order that a poll of a database finds cancelled and later open again is offered again", async () => {
  const file = join(temporaryFolder(), "erp.db");
  const database = new DatabaseSync(file, { timeout: 0 });
  database.exec(
    "CREATE TABLE orders (no TEXT, state TEXT, changed TEXT); INSERT INTO orders VALUES ('W-1', 'open', '2026-01-01 08:00:00')",
  );
  // While the adapter reads the file, nobody can write. SQLite's own waiting would block this thread, which must end the
  // adapter's transaction.
  const changed = (state: string, at: string) =>
    vi.waitFor(() => database.exec(`UPDATE orders SET state = '${state}', changed = '2026-01-01 ${at}'`), 60_000);
  const pollOf = (state: string) => ({
    sql: `SELECT no, changed FROM orders WHERE state = '${state}' AND changed >= :since`,
    ...{ since: { column: "changed" }, everySeconds: 1 },
  });
  const poll = [
    { topic: "workOrders", ...pollOf("open"), map },
    { topic: "cancellations", ...pollOf("cancelled"), map: { workOrderNumber: "no" } },
  ];
  const adapter = await startAdapter({
    config: { connectors: { erp: { type: "sql", driver: "sqlite", file, poll } } },
  });
  await offered(adapter, ["W-1"]);
  await changed("cancelled", "09:00:00");
  await offered(adapter, []);
  await changed("open", "10:00:00");
  await offered(adapter, ["W-1"]);
  await changed("cancelled", "11:00:00");
  await offered(adapter, []);
  await changed("open", "12:00:00");
  await offered(adapter, ["W-1"]);
  // The same where somebody pushes the cancellation.
  await adapter.client.push.cancellations({ workOrderNumber: "W-1" });
  await offered(adapter, []);
  await changed("open", "13:00:00");
  await offered(adapter, ["W-1"]);
  // The same if the cancellation is one of many, which are stored in chunks.
  await adapter.client.push.cancellations(
    ["W-1", "U-1", "U-2", "U-3", "U-4", "U-5"].map((workOrderNumber) => ({ workOrderNumber })),
  );
  await offered(adapter, []);
  await changed("open", "14:00:00");
  await offered(adapter, ["W-1"]);
  await adapter.close();
  database.close();
});
