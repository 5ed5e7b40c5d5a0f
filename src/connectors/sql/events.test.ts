import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { onEveryDatabase } from "../../../test/support/connectors/sql-databases.ts";
import { clearErp, createErp, erpOperations } from "../../../test/support/connectors/sql-erp.ts";
import type { EventId } from "../../contract/operations.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type { CallContext, OpenConnector } from "../../sdk/connector.ts";
import { sql } from "./connector.ts";
import type { SqlOptions } from "./options.ts";

const placement = { workOrderNumber: "A1", itemNumber: "0012", completedAmount: 2.5, userEmail: "kim@example.com" };
/** The attach event writes no entry id into a column. */
const { attachWorkOrder: _, ...withEntryId } = erpOperations;
const attachment = { workOrderNumber: "A1", containerCode: "C-9" };

await onEveryDatabase("the events of the floor", (database) => {
  const opened: OpenConnector[] = [];
  const open = async (given: Partial<SqlOptions> = {}): Promise<OpenConnector> => {
    const options = { ...database.options(), operations: erpOperations, createDeliveredTable: true, ...given };
    const connector = await sql.open(options, openContext());
    opened.push(connector);
    return connector;
  };
  const event = (connector: OpenConnector, id: EventId, input: unknown, entryId: string): Promise<AnyOutcome> => {
    const operate = connector.operations[id] as (input: unknown, context: CallContext) => Promise<AnyOutcome>;
    return operate(input, deliveryContext({ entryId, topic: id }));
  };
  const rows = (text: string) => database.execute(text);

  beforeAll(() => createErp(database));
  beforeEach(async () => {
    await clearErp(database);
    await rows(
      "INSERT INTO orders VALUES ('A1', 'Kranz', NULL, NULL, NULL, 'open'), ('A2', NULL, NULL, NULL, NULL, 'open')",
    );
  });
  afterEach(async () => {
    for (const connector of opened.splice(0)) await connector.close();
    await rows("DROP TABLE IF EXISTS crossdock_delivered");
  });

  test("an event is written with the entry's id beside it", async () => {
    const connector = await open();
    expect(await event(connector, "confirmPutWallPlacement", placement, "evt_1")).toEqual({ ok: true, data: null });
    const [eventBody] = await rows("SELECT entry_id, order_no, item, amount, who FROM events");
    expect(eventBody).toMatchObject({ entry_id: "evt_1", order_no: "A1", item: "0012", who: "kim@example.com" });
    expect(Number(eventBody?.["amount"])).toBe(2.5);
    expect(await rows("SELECT entry_id FROM crossdock_delivered")).toMatchObject([{ entry_id: "evt_1" }]);
  });

  describe.each(["table", "column"] as const)("with the entry's id in a %s", (idempotency) => {
    test("the same entry again changes nothing and is a success, also at the same time", async () => {
      const connector = await open({ idempotency, operations: withEntryId });
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, () => event(connector, "confirmPutWallPlacement", placement, "evt_1")),
      );
      expect(outcomes.every(({ ok }) => ok)).toBe(true);
      expect(await event(connector, "confirmPutWallPlacement", placement, "evt_2")).toMatchObject({ ok: true });
      expect(await rows("SELECT entry_id FROM events ORDER BY entry_id")).toMatchObject([
        { entry_id: "evt_1" },
        { entry_id: "evt_2" },
      ]);
    });

    test("an event of several rows is known as a whole", async () => {
      const connector = await open({ idempotency, operations: withEntryId });
      const moved = [
        {
          containerCode: "C-1",
          destinationLocationName: "Dock 1",
          workOrder: { number: "A1", requests: [{ itemNumber: "i1", completedAmount: 1 }, { itemNumber: "i2" }] },
        },
        {
          containerCode: "C-2",
          destinationLocationName: "Dock 2",
          workOrder: { number: "A2", requests: [{ itemNumber: "i3", completedAmount: 3 }] },
        },
      ];
      for (let again = 0; again < 2; again++) {
        expect(await event(connector, "relocateCartContainers", moved, "evt_1")).toMatchObject({ ok: true });
      }
      expect(await rows("SELECT line, order_no, item, who FROM events ORDER BY line")).toEqual([
        { line: 0, order_no: "A1", item: "i1", who: "Dock 1" },
        { line: 1, order_no: "A1", item: "i2", who: "Dock 1" },
        { line: 2, order_no: "A2", item: "i3", who: "Dock 2" },
      ]);
    });
  });

  test("all statements of an event happen, or none: a refusal of the last takes back the first", async () => {
    const connector = await open();
    await rows("INSERT INTO containers VALUES ('C-1', 'A1')");
    expect(await event(connector, "attachWorkOrder", attachment, "evt_1")).toMatchObject({
      ok: false,
      result: "WorkOrderAlreadyAttached",
      message: "This order has a container.",
    });
    expect(await rows("SELECT state FROM orders WHERE order_no = 'A1'")).toEqual([{ state: "open" }]);
    expect(await rows("SELECT entry_id FROM crossdock_delivered")).toEqual([]);
  });

  test("a statement that changes another number of rows than expected is a refusal, and nothing is changed", async () => {
    const connector = await open();
    expect(
      await event(connector, "attachWorkOrder", { ...attachment, workOrderNumber: "none" }, "evt_1"),
    ).toMatchObject({
      result: "WorkOrderDoesNotExist",
      message: "The ERP does not know this order.",
    });
    expect(await rows("SELECT code FROM containers")).toEqual([]);
    expect(await event(connector, "attachWorkOrder", attachment, "evt_2")).toMatchObject({ ok: true });
    expect(await rows("SELECT code, order_no FROM containers")).toEqual([{ code: "C-9", order_no: "A1" }]);
  });

  test("a violated constraint that no rule names is a fault of this event, in the database's own words", async () => {
    const connector = await open();
    await rows("INSERT INTO containers VALUES ('C-9', 'A2')");
    await expect(event(connector, "attachWorkOrder", attachment, "evt_1")).rejects.toMatchObject({
      kind: "rejected",
      message: expect.stringContaining("statement 2 of attachWorkOrder was refused"),
    });
  });

  test("a duplicate of another column than the entry's id does not prove that the event was delivered", async () => {
    const operations = {
      attachWorkOrder: {
        statements: [
          { sql: "INSERT INTO containers (code, order_no) VALUES (:containerCode, :workOrderNumber)" },
          { sql: "INSERT INTO events (entry_id, line) VALUES (:entryId, 0)" },
        ],
      },
    };
    const connector = await open({ idempotency: "column", operations });
    await rows("INSERT INTO containers VALUES ('C-9', 'A2')");
    await expect(event(connector, "attachWorkOrder", attachment, "evt_1")).rejects.toMatchObject({ kind: "rejected" });
    expect(await rows("SELECT entry_id FROM events")).toEqual([]);
  });

  describe("where one event writes its id several times into a unique column", () => {
    const containers = ["C-1", "C-2"].map((containerCode) => ({
      containerCode,
      destinationLocationName: "Dock",
      workOrder: { number: "A1" },
    }));
    const insert = "INSERT INTO moves (entry_id, line) VALUES (:entryId, :eachIndex)";
    const ways = {
      "row by row": [{ each: "body", sql: insert }],
      "after a statement that marks nothing": [
        { sql: "UPDATE orders SET customer = :entryId WHERE order_no = 'A1'" },
        { each: "body", sql: insert },
      ],
      "in a single statement": [
        { each: "body", sql: "INSERT INTO events (entry_id, line) VALUES (:entryId, :eachIndex)" },
        { sql: "INSERT INTO moves (entry_id, line) SELECT :entryId, line FROM events" },
      ],
      "by a statement whose table is not to be read from its text": [{ each: "body", sql: `/* moved */ ${insert}` }],
    };
    const operationsOf = (statements: (typeof ways)[keyof typeof ways]) => ({ relocateCartContainers: { statements } });

    beforeEach(async () => {
      await rows(
        "CREATE TABLE moves (entry_id varchar(64) NOT NULL, line int, CONSTRAINT uq_move_entry_id UNIQUE (entry_id))",
      );
    });
    afterEach(async () => {
      await rows("DROP TABLE moves");
    });

    test.each(Object.entries(ways))(
      "%s, its own duplicate is a refusal, however often it is tried",
      async (_, statements) => {
        const connector = await open({ idempotency: "column", operations: operationsOf(statements) });
        for (let again = 0; again < 2; again++) {
          await expect(event(connector, "relocateCartContainers", containers, "evt_1")).rejects.toMatchObject({
            kind: "rejected",
            message: expect.stringMatching(/wrote the entry id twice.*:eachIndex/),
          });
        }
        expect(await rows("SELECT entry_id FROM moves")).toEqual([]);
        expect(await rows("SELECT customer FROM orders WHERE order_no = 'A1'")).toEqual([{ customer: "Kranz" }]);
      },
    );

    test.each(Object.entries(ways))("%s, what was delivered before is known", async (_, statements) => {
      const connector = await open({ idempotency: "column", operations: operationsOf(statements) });
      const [one] = containers;
      for (let again = 0; again < 2; again++) {
        expect(await event(connector, "relocateCartContainers", [one], "evt_1")).toMatchObject({ ok: true });
      }
      expect(await rows("SELECT entry_id FROM moves")).toEqual([{ entry_id: "evt_1" }]);
    });
  });

  test("a value too long for its column is refused and not cut off", async () => {
    if (database.driver === "sqlite") return;
    const connector = await open();
    const long = { ...placement, itemNumber: "x".repeat(401) };
    await expect(event(connector, "confirmPutWallPlacement", long, "evt_1")).rejects.toMatchObject({
      kind: "rejected",
    });
  });

  test("without the adapter's table events wait, and the message says how to create it", async () => {
    const connector = await open({ createDeliveredTable: false });
    await expect(event(connector, "confirmPutWallPlacement", placement, "evt_1")).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("CREATE TABLE"),
    });
    await expect(connector.check()).rejects.toThrow(/crossdock_delivered is missing.*CREATE TABLE/);
  });

  test("a step confirmation is answered without an update", async () => {
    const operations = {
      confirmStep: {
        statements: [{ sql: "INSERT INTO events (entry_id, line, order_no) VALUES (:entryId, 0, :workOrderNumber)" }],
      },
    };
    const connector = await open({ operations });
    expect(await event(connector, "confirmStep", { workOrderNumber: "A1", requestId: 7 }, "evt_1")).toEqual({
      ok: true,
      data: { updateWorkOrderRequest: null },
    });
  });

  test("further parameters are made by a mapping", async () => {
    const operations = {
      cancelPutWallItem: {
        params: {
          what: "= body.workOrderNumber & '/' & body.itemNumber",
          kind: { from: "language", lookup: { en: "E" } },
        },
        statements: [{ sql: "INSERT INTO events (entry_id, line, item, kind) VALUES (:entryId, 0, :what, :kind)" }],
      },
    };
    const connector = await open({ operations });
    await event(connector, "cancelPutWallItem", { workOrderNumber: "A1", itemNumber: "7" }, "evt_1");
    expect(await rows("SELECT item, kind FROM events")).toEqual([{ item: "A1/7", kind: "E" }]);
  });

  test("the adapter's own messages are written too", async () => {
    const notices = {
      statements: [
        {
          sql: "INSERT INTO events (entry_id, line, kind, order_no) VALUES (:entryId, 0, :topic, :body.workOrderNumber)",
        },
      ],
    };
    const connector = await open({ notices });
    const context = deliveryContext({ entryId: "evt_9", topic: "change-receipt" });
    expect(await connector.notices?.("change-receipt", { workOrderNumber: "A1" }, context)).toMatchObject({ ok: true });
    expect(await rows("SELECT kind, order_no FROM events")).toEqual([{ kind: "change-receipt", order_no: "A1" }]);
  });

  test("a receipt knows the order that it is about", async () => {
    const sql =
      "INSERT INTO events (entry_id, line, kind, order_no) VALUES (:entryId, 0, :receipt, :order.externalIdentifier)";
    const connector = await open({ operations: {}, notices: { statements: [{ sql }] } });
    const order = { number: "A1", externalIdentifier: "X-1", dueDate: "2030-01-01T00:00:00Z", requests: [] };
    const context = { ...deliveryContext({ entryId: "evt_11" }), findSubject: async () => ({ order, line: null }) };
    const receipt = { workOrderNumber: "A1", receipt: "removed" };
    expect(await connector.notices?.("changeReceipt", receipt, context)).toMatchObject({ ok: true });
    expect(await rows("SELECT kind, order_no FROM events")).toEqual([{ kind: "removed", order_no: "X-1" }]);
  });

  test("derived events are written too, with the external ids of the order", async () => {
    const sql =
      "INSERT INTO events (entry_id, line, kind, order_no) VALUES (:entryId, 0, :outcome, :order.externalIdentifier)";
    const connector = await open({ operations: { orderFinished: { statements: [{ sql }] } } });
    const order = { number: "A1", externalIdentifier: "X-1", dueDate: "2030-01-01T00:00:00Z", requests: [] };
    const context = {
      ...deliveryContext({ entryId: "evt_10", topic: "orderFinished" }),
      findSubject: async () => ({ order, line: null }),
    };
    // Contains only the members that the statement reads.
    const input = { workOrderNumber: "A1", outcome: "short" } as never;
    expect(await connector.derived?.orderFinished?.(input, context)).toMatchObject({ ok: true });
    expect(await rows("SELECT kind, order_no FROM events")).toEqual([{ kind: "short", order_no: "X-1" }]);
  });

  test("an event without an entry in the journal is not written", async () => {
    const connector = await open();
    const context: CallContext = { language: "en", signal: new AbortController().signal };
    await expect(
      connector.operations.cancelPutWallItem?.({ workOrderNumber: "A1", itemNumber: "1" }, context),
    ).rejects.toThrow("journal");
  });
});
