import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { onEveryDatabase } from "../../../test/support/connectors/sql-databases.ts";
import { clearErp, createErp, erpOperations, orderMap } from "../../../test/support/connectors/sql-erp.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type { CallContext, OpenConnector } from "../../sdk/connector.ts";
import { sql } from "./connector.ts";
import type { SqlOptions } from "./options.ts";

const context: CallContext = { language: "en", signal: new AbortController().signal };
// The smallest number of bytes that is recognised as a PNG.
const png = "89504e470d0a1a0a0000";

await onEveryDatabase("the queries of the platform", (database) => {
  let opened: OpenConnector | undefined;
  const open = async (given: Partial<SqlOptions> = {}): Promise<OpenConnector> => {
    opened = await sql.open({ ...database.options(), operations: erpOperations, ...given }, openContext());
    return opened;
  };
  const query = async (id: keyof OpenConnector["operations"], input: unknown, given: Partial<SqlOptions> = {}) => {
    const operate = (await open(given)).operations[id] as (input: unknown, context: CallContext) => Promise<AnyOutcome>;
    return await operate(input, context);
  };
  const bytes = (hex: string) => (database.driver === "postgres" ? `'\\x${hex}'` : `X'${hex}'`);

  beforeAll(() => createErp(database));
  beforeEach(async () => {
    await clearErp(database);
    await database.execute(
      "INSERT INTO orders VALUES ('A1', 'Kranz', '2026-03-01 08:30:00', NULL, '2026-02-01 10:00:00', 'open'), ('A2', 'Kranz', '2026-03-02 00:00:00', 'North', '2026-02-02 10:00:00', 'open'), ('A3', NULL, '2026-03-03 00:00:00', NULL, '2026-02-03 10:00:00', 'open')",
    );
    await database.execute(
      "INSERT INTO order_lines VALUES ('A1', 1, '0012', 5), ('A1', 2, 'B-7', 3), ('A2', 1, '0012', 2.5)",
    );
    await database.execute(
      `INSERT INTO items VALUES ('0012', 'Bolt', 12.500000, 9007199254740993, ${bytes(png)}), ('B-7', 'Nut', 0.1, NULL, NULL)`,
    );
  });
  afterEach(() => opened?.close());

  test("header and line rows are folded into orders", async () => {
    const outcome = await query("findWorkOrderByCode", { Code: "A1", StorageName: "South" });
    expect(outcome).toMatchObject({
      ok: true,
      data: {
        number: "A1",
        description: "Kranz",
        dueDate: "2026-03-01T08:30:00Z",
        requests: [
          { itemNumber: "0012", requestedAmount: 5, requestExternalIdentifier: "1" },
          { itemNumber: "B-7", requestedAmount: 3, requestExternalIdentifier: "2" },
        ],
      },
    });
  });

  test("an unknown item is distinguished from an item without an image", async () => {
    expect(await query("getItemImage", { number: "B-7" })).toMatchObject({ message: { key: "items.no-image" } });
    expect(await query("getItemImage", { number: "none" })).toMatchObject({ message: { key: "items.unknown" } });
  });

  test("a scanned code is looked for without blanks around it", async () => {
    expect(await query("findWorkOrderByCode", { Code: " A1 ", StorageName: "South" })).toMatchObject({ ok: true });
    expect(await query("findPutWallOrders", { code: "Kranz\n" })).toMatchObject({
      data: [{ number: "A1" }, { number: "A2" }],
    });
  });

  test("after a check the queries are answered, and the preview shows them", async () => {
    await database.execute("DELETE FROM order_lines WHERE order_no = 'A2'");
    const connector = await open({ createDeliveredTable: true });
    await connector.check();
    const previews = await connector.preview?.(3);
    const shown = previews?.map(({ serves }) => serves);
    expect(shown).toEqual(expect.arrayContaining(["listWorkOrders", "findWorkOrderByCode", "getItem"]));
    expect(await connector.operations.getItem?.({ number: "0012" }, context)).toMatchObject({ data: { name: "Bolt" } });
  });

  test("an order without lines does not get an empty line, and a fractional amount is not rounded", async () => {
    const outcome = await query("listWorkOrders", {});
    expect(outcome).toMatchObject({
      data: [
        { number: "A1" },
        { number: "A2", requests: [{ requestedAmount: { problem: expect.stringContaining("2.5") } }] },
        { number: "A3", requests: [] },
      ],
    });
  });

  test("orders and lines can come from two statements", async () => {
    const outcome = await query(
      "listWorkOrders",
      {},
      {
        operations: {
          listWorkOrders: {
            orders: "SELECT order_no, customer, due FROM orders WHERE order_no <> 'A2' ORDER BY order_no",
            lines: "SELECT order_no, line_no, item, qty FROM order_lines ORDER BY line_no",
            key: "order_no",
            map: orderMap,
          },
        },
      },
    );
    expect(outcome).toMatchObject({
      data: [
        { number: "A1", requests: [{}, {}] },
        { number: "A3", requests: [] },
      ],
    });
  });

  test("a scan finds nothing in another storage, and the operator reads what to do", async () => {
    const outcome = await query("findWorkOrderByCode", { Code: "A2", StorageName: "South" });
    expect(outcome).toMatchObject({
      ok: false,
      result: "WorkOrderDoesNotExist",
      message: { key: "orders.unknown-code" },
    });
  });

  test("a parameter that is absent is NULL", async () => {
    expect(await query("findWorkOrderByCode", { Code: "A2" })).toMatchObject({ result: "WorkOrderDoesNotExist" });
    expect(await query("findWorkOrderByCode", { Code: "A1" })).toMatchObject({ ok: true });
  });

  test("all orders of a put-wall code are found, and no orders is a success with a text", async () => {
    expect(await query("findPutWallOrders", { code: "Kranz" })).toMatchObject({
      data: [{ number: "A1" }, { number: "A2" }],
    });
    expect(await query("findPutWallOrders", { code: "x" })).toMatchObject({ ok: true, data: [], message: {} });
  });

  test("numbers keep every digit: what a JavaScript number cannot hold stays text", async () => {
    const outcome = await query("getItem", { number: "0012" });
    expect(outcome).toMatchObject({
      data: { number: "0012", name: "Bolt", weight: 12.5, externalIdentifier: "9007199254740993" },
    });
    expect(await query("getItem", { number: "B-7" })).toMatchObject({ data: { weight: 0.1 } });
    expect(await query("getItem", { number: "12" })).toMatchObject({ ok: false, result: "ItemDoesNotExist" });
  });

  test("an image is answered as Base64, and an item without one has none", async () => {
    const image = Buffer.from(png, "hex").toString("base64");
    expect(await query("getItemImage", { number: "0012" })).toEqual({ ok: true, data: image });
    expect(await query("getItemImage", { number: "B-7" })).toMatchObject({ result: "ImageDoesNotExist" });
    expect(await query("getItemImage", { number: "none" })).toMatchObject({ result: "ImageDoesNotExist" });
  });

  test("bytes that are no image are not served as one", async () => {
    await database.execute(`UPDATE items SET picture = ${bytes("00112233")} WHERE item_no = 'B-7'`);
    await expect(query("getItemImage", { number: "B-7" })).rejects.toMatchObject({ kind: "rejected" });
  });

  test("a list of order numbers travels as one parameter", async () => {
    const inList = {
      postgres: "order_no = ANY(:workOrdersNumbers)",
      mysql: "JSON_CONTAINS(:workOrdersNumbers, JSON_QUOTE(order_no))",
      sqlite: "order_no IN (SELECT value FROM json_each(:workOrdersNumbers))",
    }[database.driver];
    const outcome = await query(
      "getReport",
      { workOrdersNumbers: ["A1", "x'"], storageId: "1", remainingRequests: {} },
      {
        operations: {
          getReport: {
            sql: `SELECT item, sum(qty) AS qty FROM order_lines WHERE ${inList} GROUP BY item ORDER BY item`,
            map: {
              missingQuantities: "= {}",
              placements: { each: "rows", map: { itemNumber: "item", locationName: { value: "Dock" }, amount: "qty" } },
            },
          },
        },
      },
    );
    expect(outcome).toMatchObject({
      data: {
        placements: [
          { itemNumber: "0012", amount: 5 },
          { itemNumber: "B-7", amount: 3 },
        ],
      },
    });
  });

  test("more rows than allowed are a fault that says what to do, and the next query is answered", async () => {
    const limited = await open({ maxRows: 2 });
    await expect(limited.operations.listWorkOrders?.({}, context)).rejects.toMatchObject({
      kind: "rejected",
      message: expect.stringContaining("more than 2 rows"),
    });
    expect(await limited.operations.getItem?.({ number: "0012" }, context)).toMatchObject({ ok: true });
  });

  test("a query cannot write, not even by mistake", async () => {
    const sneaky =
      database.driver === "postgres"
        ? "WITH gone AS (DELETE FROM orders RETURNING order_no) SELECT order_no FROM gone"
        : "DELETE FROM orders";
    await expect(
      query("listWorkOrders", {}, { operations: { listWorkOrders: { sql: sneaky } } }),
    ).rejects.toMatchObject({
      kind: "broken",
    });
    expect(await database.execute("SELECT order_no FROM orders")).toHaveLength(3);
  });

  test("two columns of one name are refused instead of one hiding the other", async () => {
    const twice = { listWorkOrders: { sql: "SELECT o.order_no, l.order_no FROM orders o, order_lines l" } };
    await expect(query("listWorkOrders", {}, { operations: twice })).rejects.toThrow(/two columns named order_no/);
  });

  test("a fold by a missing column is refused; otherwise all rows would become one order", async () => {
    const operations = { listWorkOrders: { sql: "SELECT order_no FROM orders", fold: { by: "orderno" } } };
    await expect(query("listWorkOrders", {}, { operations })).rejects.toThrow(/no column orderno; it returns order_no/);
  });

  test("letters that are scanned for a column of numbers find nothing, and are not a fault", async () => {
    const operations = {
      getItem: { sql: "SELECT item_no AS number FROM items WHERE ean = :number" },
      findPutWallOrders: { sql: "SELECT order_no AS number FROM order_lines WHERE line_no = :code" },
    };
    for (const number of ["ABC", "1e99", "12345678901234567890123"]) {
      expect(await query("getItem", { number }, { operations })).toMatchObject({ result: "ItemDoesNotExist" });
      expect(await query("findPutWallOrders", { code: number }, { operations })).toMatchObject({ ok: true, data: [] });
    }
  });

  test("without a mapping the columns are the contract's own names", async () => {
    const operations = {
      getItem: { sql: "SELECT item_no AS number, title AS name FROM items WHERE item_no = :number" },
    };
    expect(await query("getItem", { number: "B-7" }, { operations })).toMatchObject({
      data: { number: "B-7", name: "Nut" },
    });
  });

  test("a preview shows records and their mapping, and runs single-record queries for the first one", async () => {
    const previews = await (await open()).preview?.(2);
    expect(previews?.map(({ serves }) => serves)).toEqual([
      "listWorkOrders",
      "listWorkOrders",
      "findWorkOrderByCode",
      "getItem",
    ]);
    expect(previews?.[0]).toMatchObject({ raw: { order_no: "A1" }, mapped: { number: "A1" }, problems: [] });
    expect(previews?.[1]?.problems).toMatchObject([{ field: "requests[0].requestedAmount" }]);
    expect(previews?.[1]?.sourceOf("requests[0].requestedAmount")).toBe("lines.qty");
  });
});
