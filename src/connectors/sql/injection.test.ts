import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { onEveryDatabase } from "../../../test/support/connectors/sql-databases.ts";
import { createErp, erpOperations } from "../../../test/support/connectors/sql-erp.ts";
import type { OpenConnector } from "../../sdk/connector.ts";
import { sql } from "./connector.ts";

const nasty = [
  "'; DROP TABLE orders; --",
  "' OR '1'='1",
  "\\'; DROP TABLE orders; -- ",
  '"; DROP TABLE orders; --',
  "`; DROP TABLE orders; --",
  "A1'/*",
  "*/; DELETE FROM orders; /*",
  "$$; DROP TABLE orders; $$",
  "$1",
  "?",
  ":Code",
  "@p1",
  "%",
  "_",
  "A1\n--",
  "\u2019; DROP TABLE orders",
  "\uff07 OR 1=1",
  "x'; SELECT pg_sleep(10); --",
  "1; SHUTDOWN",
  "{{}}",
  "\\",
  "\\\\'",
  "𝒜1",
  "__proto__",
  "constructor",
];

/** Any text that a database can store: no NUL, no half character. */
const text = fc
  .string({ unit: "binary", maxLength: 40 })
  .map((value) => value.replaceAll("\0", ""))
  .filter((value) => value.isWellFormed());
const hostile = fc.oneof(fc.constantFrom(...nasty), text);

await onEveryDatabase("whatever is scanned or typed", (database) => {
  let connector: OpenConnector | undefined;
  const open = async () => {
    connector ??= await sql.open(
      { ...database.options(), operations: erpOperations, createDeliveredTable: true },
      openContext(),
    );
    return connector.operations;
  };
  const plain = { language: "en", signal: new AbortController().signal } as const;
  let count = 0;
  const entry = () => deliveryContext({ entryId: `evt_${++count}` });

  beforeAll(async () => {
    await createErp(database);
    await database.execute("INSERT INTO orders VALUES ('A1', 'Kranz', NULL, NULL, NULL, 'open')");
  });
  afterAll(() => connector?.close());

  test("in a query it is only compared", async () => {
    const { findWorkOrderByCode, findPutWallOrders, getItem, getItemImage } = await open();
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (one, other) => {
        fc.pre(one !== "A1" && one !== "Kranz");
        expect(await findWorkOrderByCode?.({ Code: one, StorageName: other }, plain)).toMatchObject({ ok: false });
        expect(await findPutWallOrders?.({ code: one }, plain)).toMatchObject({ ok: true, data: [] });
        expect(await getItem?.({ number: one }, plain)).toMatchObject({ result: "ItemDoesNotExist" });
        expect(await getItemImage?.({ number: one }, plain)).toMatchObject({ result: "ImageDoesNotExist" });
      }),
      { numRuns: 60 },
    );
    expect(await database.execute("SELECT order_no FROM orders")).toEqual([{ order_no: "A1" }]);
  });

  test("in an event it is stored letter by letter", async () => {
    const { confirmPutWallPlacement, cancelPutWallItem, relocateCartContainers, attachWorkOrder } = await open();
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (one, other) => {
        fc.pre(one !== "" && other !== "" && one !== "A1");
        await database.execute("DELETE FROM events");
        const order = { workOrderNumber: one, itemNumber: other };
        await confirmPutWallPlacement?.({ ...order, completedAmount: 1, userEmail: other }, entry());
        await cancelPutWallItem?.(order, entry());
        const requests = [{ itemNumber: other }];
        const moved = { containerCode: one, destinationLocationName: other, workOrder: { number: one, requests } };
        await relocateCartContainers?.([moved], entry());
        const outcome = await attachWorkOrder?.({ workOrderNumber: one, containerCode: other }, entry());
        expect(outcome).toMatchObject({ ok: false, result: "WorkOrderDoesNotExist" });
        expect(await database.execute("SELECT kind, order_no, item, who FROM events ORDER BY kind")).toEqual([
          { kind: "cancel", order_no: one, item: other, who: null },
          { kind: "moved", order_no: one, item: other, who: other },
          { kind: "put", order_no: one, item: other, who: other },
        ]);
      }),
      { numRuns: 60 },
    );
    expect(await database.execute("SELECT order_no, state FROM orders")).toEqual([{ order_no: "A1", state: "open" }]);
  });

  test("a NUL or half a character is simply not found", async () => {
    const { getItem } = await open();
    for (const number of ["a\0b", "\ud800"]) {
      expect(await getItem?.({ number }, plain)).toMatchObject({ result: "ItemDoesNotExist" });
    }
  });
});
