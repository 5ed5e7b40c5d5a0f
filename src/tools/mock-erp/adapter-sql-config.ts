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
serve:
  workOrders: erp
  codeLookup: erp
  putWall: erp
  items: erp
  images: erp
events:
  to: erp
`;

/** The connector's connection settings for the given address; a password is left to the environment. */
export function sqlConnection(address: string): string {
  if (!address.includes("://")) return `    driver: sqlite\n    file: ${JSON.stringify(address)}`;
  const driver = address.startsWith("postgres") ? "postgres" : "mysql";
  return `    driver: ${driver}\n    url: "\${ERP_URL}"`;
}
