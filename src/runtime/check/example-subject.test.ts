import { expect, test } from "vitest";
import { receiver } from "../../../test/support/receivers/receiver.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../../config/load-config.ts";
import { checkOneConnector } from "./check-deployment.ts";

const order = { key: 812, no: "SO-7", due: "2030-01-31", lines: [{ row: 3, item: "A-1", qty: 5 }] };

/** A connection to an ERP whose ids are numbers, tried as the console does it. */
async function tried(orders: readonly object[]) {
  const { url } = await receiver((response, { path }) => {
    const answer = path.startsWith("/orders/") ? orders[0] : { items: orders };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const lines = { requestExternalIdentifier: "row", itemNumber: "item", requestedAmount: "qty" };
  const map = { externalIdentifier: "key", number: "no", dueDate: "due", requests: { each: "lines", map: lines } };
  const booked = {
    order: { from: "order.externalIdentifier", number: true, required: true },
    row: "requestExternalIdentifier",
  };
  const config = {
    connectors: {
      erp: {
        ...{ type: "http", baseUrl: new URL("/", url).origin },
        operations: {
          listWorkOrders: { path: "/orders", records: "items", map },
          findWorkOrderByCode: { path: "/orders/{code}", map },
          confirmStep: { path: "/picks/{order.number}", map: booked, body: "{mapped}" },
        },
      },
    },
    events: { to: "erp" },
  };
  const env = { CROSSDOCK_DATA_DIR: temporaryFolder(), PORT: "0" };
  const loaded = await loadConfig({ env, cwd: env.CROSSDOCK_DATA_DIR, text: JSON.stringify(config) });
  return await checkOneConnector(loaded, { name: "erp", records: 1 });
}

test("an example event is about an order of the system, so that its ids are those that the system knows", async () => {
  const { events = [], errors } = (await tried([order])) ?? {};
  expect(errors).toEqual([]);
  const [step] = events;
  expect(step).toMatchObject({ event: "confirmStep", requests: [{ body: { order: 812, row: "3" } }] });
  expect(step?.requests[0]?.to).toContain("/picks/SO-7");
});

test("a record that was found by its code is shown as the system sent it", async () => {
  const { records = [] } = (await tried([order])) ?? {};
  expect(records.map(({ serves, raw }) => [serves, raw])).toEqual([
    ["listWorkOrders", order],
    ["findWorkOrderByCode", order],
  ]);
});

test("while the system has no order, the example of the contract stands in", async () => {
  const { events = [] } = (await tried([])) ?? {};
  expect(events[0]?.error).toContain("is not a number");
});
