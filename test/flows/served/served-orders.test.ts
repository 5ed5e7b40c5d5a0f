import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runConformance } from "../../../src/tools/conformance/run-conformance.ts";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** An ERP that serves one order by list and another by scan only, and can be switched off by a file. */
const connector = `
import { existsSync } from "node:fs";
import { defineConnector, Fault, ok, refuse, Type } from "crossdock/sdk";
const order = (number) => ({ number, dueDate: "2030-01-31", requests: [{ itemNumber: "A-1", requestedAmount: 2 }] });
export default defineConnector({
  type: "shop", summary: "The shop's ERP.", options: Type.Object({ off: Type.String() }),
  open: ({ off }) => {
    const up = () => { if (existsSync(off)) throw new Fault("unreachable", "off"); };
    return {
      operations: {
        listWorkOrders: async () => { up(); return ok([order("LISTED")]); },
        findWorkOrderByCode: async ({ Code }) => {
          up();
          return ["LISTED", "SCANNED"].includes(Code) ? ok(order(Code)) : refuse("WorkOrderDoesNotExist");
        },
      },
      check: async () => {}, close: async () => {},
    };
  },
});`;

function shop(serve: object) {
  const folder = temporaryFolder();
  const off = join(folder, "off");
  writeFileSync(join(folder, "shop.ts"), connector);
  const config = { connectors: { erp: { type: "module", path: "shop.ts", options: { off } } }, serve };
  return { folder, config, switchOff: () => writeFileSync(off, "") };
}

const report = (...workOrdersNumbers: string[]) => ({ workOrdersNumbers, storageId: "Main", remainingRequests: {} });
const attach = (workOrderNumber: string) => ({ workOrderNumber, containerCode: `BOX ${workOrderNumber}` });

test("an order that a connector serves can be attached and reported, also with its system down and after a restart", async () => {
  const { folder, config, switchOff } = shop({ workOrders: "erp", codeLookup: "erp" });
  const before = await startAdapter({ folder, config });
  await before.client.listWorkOrders();
  await before.client.findWorkOrderByCode({ Code: "SCANNED", StorageName: "Main" });
  expect(await before.client.getReport(report("LISTED"))).toMatchObject({ isResultSuccess: true });
  expect(await before.client.getReport(report("SCANNED"))).toMatchObject({ isResultSuccess: true });
  await before.close();

  switchOff();
  const after = await startAdapter({ folder, config });
  expect(await after.client.getReport(report("LISTED", "SCANNED"))).toMatchObject({
    isResultSuccess: true,
    externalMessage: null,
  });
  for (const number of ["LISTED", "SCANNED", "NEVER SEEN HERE"]) {
    expect(await after.client.attachWorkOrder(attach(number))).toMatchObject({ isResultSuccess: true });
  }
  expect(await after.client.getReport(report("UNKNOWN"))).toMatchObject({ isResultSuccess: false, result: 4 });
});

test("what is added to a running order is listed and found by scan also where a connector serves the orders", async () => {
  const { folder, config, switchOff } = shop({ workOrders: "erp", codeLookup: "erp" });
  const { client, url } = await startAdapter({ folder, config });
  const numbers = async () => (await client.listWorkOrders()).data?.map(({ number }) => number);
  const order = (requestedAmount: number) => ({
    ...{ number: "LISTED", dueDate: "2030-01-31", requests: [{ itemNumber: "A-1", requestedAmount }] },
  });
  await client.push.workOrders(order(2));
  await client.confirmStep({
    ...{ workOrderNumber: "LISTED", requestId: 7, itemNumber: "A-1" },
    ...{ requestAmountInBaseUnitOfMeasure: 2, requestRemainingAmountInBaseUnitOfMeasure: 2 },
    amountToConfirmPickingSummary: { containersBreakdown: [{ amountToConfirmInBaseUnitOfMeasure: 1 }] },
  });
  await client.push.workOrders(order(5));
  await vi.waitFor(async () => expect(await numbers()).toContain("LISTED-F1"), 60_000);
  const scan = () => client.findWorkOrderByCode({ Code: " listed-f1 ", StorageName: "Main" });
  expect((await scan()).data).toMatchObject({ number: "LISTED-F1", requests: [{ requestedAmount: 3 }] });
  switchOff();
  expect(await numbers()).toContain("LISTED-F1");
  expect((await scan()).data).toMatchObject({ number: "LISTED-F1" });
  await client.attachWorkOrder(attach("LISTED-F1"));
  const timelineOf = async (number: string) => {
    const answer = await fetch(`${url}/admin/orders/${number}/timeline?format=text`, {
      headers: { "x-api-key": apiKey },
    });
    return answer.text();
  };
  expect(await timelineOf("LISTED-F1")).toContain("BOX LISTED-F1");
  expect(await timelineOf("LISTED")).toMatch(/LISTED-F1: .*BOX LISTED-F1/);
});

test("where the embedded system serves the orders, a number it does not know cannot be attached", async () => {
  const { folder, config } = shop({});
  const { client } = await startAdapter({ folder, config });
  expect(await client.attachWorkOrder(attach("LISTED"))).toMatchObject({ isResultSuccess: false, result: 3 });
});

test("the kit finds nothing in an adapter whose orders come from a connector", async () => {
  const { folder, config } = shop({ workOrders: "erp", codeLookup: "erp" });
  const { url } = await startAdapter({ folder, config });
  const found = await runConformance({ url, level: "full", only: ["workflow"], budgetFactor: 200 });
  expect(found.checks.filter(({ state }) => state === "failed").map(({ id }) => id)).toEqual([]);
  expect(found.checks.find(({ id }) => id === "workflow.served-is-known")).toMatchObject({ state: "passed" });
});
