import type { SqlOptions } from "../../../src/connectors/sql/options.ts";
import type { SqlDatabase } from "./sql-databases.ts";

/** The tables of a small ERP; the same on every database. */
export async function createErp({ execute, types }: SqlDatabase): Promise<void> {
  const tables = [
    `orders (order_no varchar(40) PRIMARY KEY, customer varchar(80), due ${types.dateTime}, storage varchar(40), changed ${types.dateTime}, state varchar(20))`,
    "order_lines (order_no varchar(40), line_no int, item varchar(40), qty decimal(12, 3), PRIMARY KEY (order_no, line_no))",
    `items (item_no varchar(40) PRIMARY KEY, title varchar(200), weight decimal(20, 6), ean bigint, picture ${types.bytes})`,
    "events (entry_id varchar(64), line int, kind varchar(40), order_no varchar(400), item varchar(400), amount decimal(12, 3), who varchar(400), CONSTRAINT uq_entry UNIQUE (entry_id, line))",
    "containers (code varchar(200) PRIMARY KEY, order_no varchar(40), CONSTRAINT uq_order UNIQUE (order_no))",
  ];
  for (const table of tables) await execute(`CREATE TABLE ${table}`);
}

export async function clearErp({ execute }: SqlDatabase): Promise<void> {
  for (const table of ["orders", "order_lines", "items", "events", "containers"]) await execute(`DELETE FROM ${table}`);
}

const select =
  "SELECT o.order_no, o.customer, o.due, o.storage, l.line_no, l.item, l.qty " +
  "FROM orders o LEFT JOIN order_lines l ON l.order_no = o.order_no";

export const orderMap = {
  number: "order_no",
  description: "customer",
  dueDate: "due",
  requests: {
    each: "lines",
    map: { itemNumber: "item", requestedAmount: "qty", requestExternalIdentifier: { from: "line_no", text: true } },
  },
};

const fold = { by: "order_no", lineKey: "line_no" };

/** Queries and events as somebody would configure them for these tables. */
export const erpOperations: NonNullable<SqlOptions["operations"]> = {
  listWorkOrders: { sql: `${select} WHERE o.state = 'open' ORDER BY o.order_no, l.line_no`, fold, map: orderMap },
  findWorkOrderByCode: {
    sql: `${select} WHERE o.order_no = :Code AND (o.storage IS NULL OR o.storage = :StorageName) ORDER BY l.line_no`,
    fold,
    map: orderMap,
  },
  findPutWallOrders: { sql: `${select} WHERE o.customer = :code ORDER BY o.order_no, l.line_no`, fold, map: orderMap },
  getItem: {
    sql: "SELECT item_no, title, weight, ean FROM items WHERE item_no = :number",
    map: { number: "item_no", name: "title", weight: "weight", externalIdentifier: "ean" },
  },
  getItemImage: { sql: "SELECT picture FROM items WHERE item_no = :number" },
  attachWorkOrder: {
    statements: [
      {
        sql: "UPDATE orders SET state = 'attached' WHERE order_no = :workOrderNumber",
        expectRows: 1,
        otherwise: "WorkOrderDoesNotExist",
        otherwiseText: "The ERP does not know this order.",
      },
      { sql: "INSERT INTO containers (code, order_no) VALUES (:containerCode, :workOrderNumber)" },
    ],
    refusals: [
      { constraint: "uq_order", result: "WorkOrderAlreadyAttached", text: "This order has a container." },
      { constraint: "containers.order_no", result: "WorkOrderAlreadyAttached", text: "This order has a container." },
    ],
  },
  confirmPutWallPlacement: {
    statements: [
      {
        sql: "INSERT INTO events (entry_id, line, kind, order_no, item, amount, who) VALUES (:entryId, 0, 'put', :workOrderNumber, :itemNumber, :completedAmount, :userEmail)",
      },
    ],
  },
  cancelPutWallItem: {
    statements: [
      {
        sql: "INSERT INTO events (entry_id, line, kind, order_no, item) VALUES (:entryId, 0, 'cancel', :workOrderNumber, :itemNumber)",
      },
    ],
  },
  relocateCartContainers: {
    statements: [
      {
        each: "body.workOrder.requests",
        sql: "INSERT INTO events (entry_id, line, kind, order_no, item, amount, who) VALUES (:entryId, :eachIndex, 'moved', :parent.workOrder.number, :each.itemNumber, :each.completedAmount, :parent.destinationLocationName)",
      },
    ],
  },
};
