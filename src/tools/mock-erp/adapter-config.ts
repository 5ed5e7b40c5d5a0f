import { receiptTopic } from "../../contract/change-receipt.ts";
import { derivedEventIds } from "../../contract/derived-events.ts";
import { operationIds, operationRow } from "../../contract/operations.ts";
import type { FileFormat } from "./faces/file-face.ts";

const events = [...operationIds.filter((id) => operationRow(id).kind === "event"), ...derivedEventIds];

const restOrder = `{ ${[
  "number: number",
  'description: { join: [customer.name, customer.city], with: ", " }',
  "dueDate: due",
  "designatedStorageName: warehouse",
  "deliveryNumber: wave",
  "requests: { each: lines, map: { itemNumber: item, requestedAmount: qty, requestExternalIdentifier: line } }",
].join(", ")} }`;

/** The mock ERP answers every query and gets every event. */
const allFromErp = `serve:
  workOrders: erp
  codeLookup: erp
  putWall: erp
  items: erp
  images: erp
events:
  to: erp
`;

/** The configuration of an adapter that queries the mock ERP's REST interface and sends every event to it. */
export const restConfig = ({ url, hasToken }: { readonly url: string; readonly hasToken: boolean }): string =>
  `# Queries go to the ERP while the platform waits; every event is booked there.
timeZone: Europe/Berlin
timeOfDay: "06:00"
connectors:
  erp:
    type: http
    baseUrl: ${url}/api
${hasToken ? `    auth: { kind: bearer, token: "\${MOCK_ERP_TOKEN}" }\n` : ""}    checkPath: /ping
    # Errors may come with status 200 and a member \`error\`.
    success: { absent: error }
    errorText: error.message
    operations:
      listWorkOrders:
        path: /orders
        query: { state: open }
        records: data.items
        page: { by: page, param: page, size: 200, sizeParam: per_page, total: data.total }
        map: &order ${restOrder}
      findWorkOrderByCode:
        path: /orders/{code}
        records: data
        map: *order
        notFound: { path: error.code, equals: NOT_FOUND }
      findPutWallOrders:
        path: /orders
        query: { wave: "{code}", state: open }
        records: data.items
        map: *order
      getItem:
        path: /items/{number}
        records: data
        map: { number: number, name: name, weight: { from: grams, unit: { factor: 0.001 } } }
        notFound: { path: error.code, equals: NOT_FOUND }
      getItemImage:
        path: /items/{number}/picture
${events.map(restEvent).join("")}    notices:
      path: /events/${receiptTopic}
    poll:
      - topic: cancellations
        everySeconds: 5
        path: /cancellations
        records: data.items
        since: { path: changedAt, param: changed_since, overlapSeconds: 60 }
        map: { workOrderNumber: order, requestExternalIdentifier: line, reason: reason }
${allFromErp}`;

function restEvent(id: string): string {
  const refusals =
    id === "attachWorkOrder"
      ? `        refusals:
          - { code: TOTE_IN_USE, codePath: error.code, result: ContainerAlreadyAttached }
          - { code: NOT_FOUND, codePath: error.code, result: WorkOrderDoesNotExist }
`
      : "";
  return `      ${id}:\n        path: /events/${id}\n${refusals}`;
}

const pollOptions = "everySeconds: 1, settleSeconds: 0";

/** JSON uses the contract's names; the other formats need a mapping. */
const filesIn: Readonly<Record<FileFormat, string>> = {
  json: `      - { topic: items, folder: items, ${pollOptions} }
      - { topic: workOrders, folder: orders, ${pollOptions} }
      - { topic: cancellations, folder: cancellations, ${pollOptions} }
`,
  csv: `      - topic: items
        folder: items
        map: { number: item, name: name, weight: { from: grams, unit: { factor: 0.001 } } }
        everySeconds: 1
        settleSeconds: 0
      - topic: workOrders
        folder: orders
        groupBy: order
        map:
          number: order
          description: { join: [customer, city], with: ", " }
          dueDate: { from: due, date: dd.MM.yyyy }
          designatedStorageName: warehouse
          deliveryNumber: wave
          requests:
            each: rows
            map: { itemNumber: item, requestedAmount: { from: qty, number: { decimal: "," } }, requestExternalIdentifier: line }
        badRecords: quarantine
        everySeconds: 1
        settleSeconds: 0
      - topic: cancellations
        folder: cancellations
        map: { workOrderNumber: order, requestExternalIdentifier: line, reason: reason }
        everySeconds: 1
        settleSeconds: 0
`,
};

/** The configuration of an adapter that exchanges files with the mock ERP. */
export const fileConfig = (folder: string, format: FileFormat): string =>
  `# The ERP drops files; the adapter keeps the orders and writes a file for each event.
timeZone: Europe/Berlin
timeOfDay: "06:00"
connectors:
  erp:
    type: files
    location: ${JSON.stringify(folder)}
    in:
${filesIn[format]}    out:
      all: { folder: events }
${derivedEventIds.map((id) => `      ${id}: { folder: events }\n`).join("")}      notices: { folder: events }
    images: { folder: pictures, pattern: "{itemNumber}.gif" }
serve:
  images: erp
events:
  to: erp
`;

const columns = "o.number, o.customer, o.due, o.warehouse, o.wave, l.line, l.item, l.qty";
const joined = "FROM orders o JOIN order_lines l ON l.order_number = o.number AND l.is_cancelled = 0";
const isOpen = "o.state IN ('released', 'started')";

const query = (id: string, where: string, map: string): string => `      ${id}:
        sql: SELECT ${columns} ${joined} WHERE ${where} ORDER BY o.number, l.line
        fold: { by: number, lineKey: line }
        map: ${map}
`;

const event = (id: string, what: string, values: Readonly<Record<string, string>>, each?: string): string => {
  const names = ["entry_id", "what", ...Object.keys(values)].join(", ");
  const given = [":entryId", what, ...Object.values(values)].join(", ");
  const loop = each === undefined ? "" : `each: ${each}\n            `;
  return `      ${id}:
        statements:
          - ${loop}sql: INSERT INTO events (${names}) VALUES (${given})
`;
};

const pick = (summary: string) => ({
  order_number: ":workOrderNumber",
  line: ":requestExternalIdentifier",
  item: ":itemNumber",
  qty: ":each.amountToConfirmInBaseUnitOfMeasure",
  amount: ":line.confirmedAmount",
  tote: ":each.containerCode",
  place: `:body.${summary}.locationName`,
});
const breakdown = (summary: string) => `body.${summary}.containersBreakdown`;
const [single, cart] = ["amountToConfirmPickingSummary", "amountToConfirmSummary"];
const inUse = "result: ContainerAlreadyAttached, text: This container is used by another order. Take another one.";

/** The database decides whether a tote is free, while the operator waits. */
const attach = `      attachWorkOrder:
        params:
          what: { from: body.isAbandonedOrCancelled, text: true, lookup: { "true": release }, else: attach }
        statements:
          - sql: DELETE FROM totes WHERE code = :containerCode AND order_number = :workOrderNumber
          - sql: INSERT INTO totes (code, order_number) SELECT :containerCode, number FROM orders WHERE number = :workOrderNumber AND :what = 'attach'
          - sql: INSERT INTO events (entry_id, what, order_number, tote) VALUES (:entryId, :what, :workOrderNumber, :containerCode)
        refusals:
          - { constraint: tote_in_use, ${inUse} }
          # As SQLite calls it.
          - { constraint: totes.code, ${inUse} }
`;

/** The configuration of an adapter that reads the mock ERP's tables and writes its events into them. */
export const sqlConfig = (connection: string): string =>
  `# Queries become SELECT; each event becomes rows of the table events, which the ERP books a moment later.
# Of a pick, qty is in the platform's base unit and amount, for the whole step, in the unit of the order's line.
timeZone: Europe/Berlin
timeOfDay: "06:00"
connectors:
  erp:
    type: sql
${connection}
    operations:
${[
  query(
    "listWorkOrders",
    isOpen,
    "&order { number: number, description: customer, dueDate: due, designatedStorageName: warehouse, deliveryNumber: wave, requests: { each: lines, map: { itemNumber: item, requestedAmount: qty, requestExternalIdentifier: line } } }",
  ),
  query("findWorkOrderByCode", "o.number = :Code", "*order"),
  query("findPutWallOrders", `o.wave = :code AND ${isOpen}`, "*order"),
  "      getItem:\n        sql: SELECT number, name, grams / 1000.0 AS weight FROM items WHERE number = :number\n",
  "      getItemImage:\n        sql: SELECT picture FROM items WHERE number = :number AND picture IS NOT NULL\n",
  event("confirmStep", "'pick'", pick(single), breakdown(single)),
  event("confirmCartStep", "'pick'", pick(cart), breakdown(cart)),
  event("confirmPutWallPlacement", "'pick'", {
    order_number: ":workOrderNumber",
    item: ":itemNumber",
    qty: ":completedAmount",
    place: ":confirmedLocationName",
  }),
  event("cancelPutWallItem", "'cancel'", { order_number: ":workOrderNumber", item: ":itemNumber" }),
  event("cancelWorkOrderRequest", "'cancel'", {
    order_number: ":workOrderNumber",
    line: ":requestExternalIdentifier",
    item: ":request.itemNumber",
  }),
  event(
    "relocateCartContainers",
    "'move'",
    { order_number: ":each.workOrder.number", tote: ":each.containerCode", place: ":each.destinationLocationName" },
    "body",
  ),
  event("orderFinished", "'note'", { order_number: ":workOrderNumber", note: ":outcome" }),
  event("containerFinished", "'note'", { order_number: ":workOrderNumber", tote: ":containerCode" }),
  event("changeStatus", "'status'", { order_number: ":number", note: ":status" }),
].join("")}${attach}    notices:
      statements:
        - sql: INSERT INTO events (entry_id, what, order_number, line, note) VALUES (:entryId, 'note', :body.workOrderNumber, :body.requestExternalIdentifier, :body.receipt)
    poll:
      - topic: cancellations
        everySeconds: 5
        sql: SELECT id, order_number, line, reason FROM cancellations WHERE id > :since
        since: { column: id, start: 0, overlapSeconds: 0 }
        map: { workOrderNumber: order_number, requestExternalIdentifier: line, reason: reason }
${allFromErp}`;

/** The connector's connection settings for the given address; a password is left to the environment. */
export function sqlConnection(address: string): string {
  if (!address.includes("://")) return `    driver: sqlite\n    file: ${JSON.stringify(address)}`;
  const driver = address.startsWith("postgres") ? "postgres" : "mysql";
  return `    driver: ${driver}\n    url: "\${ERP_URL}"`;
}
