import { operationIds, operationRow } from "../../contract/operations.ts";
import { receiptTopic } from "./books/read-event.ts";
import type { FileFormat } from "./faces/dropped-files.ts";

const events = operationIds.filter((id) => operationRow(id).kind === "event");

const restOrder = `{ ${[
  "number: number",
  'description: { join: [customer.name, customer.city], with: ", " }',
  "dueDate: due",
  "designatedStorageName: warehouse",
  "deliveryNumber: wave",
  "requests: { each: lines, map: { itemNumber: item, requestedAmount: qty, requestExternalIdentifier: line } }",
].join(", ")} }`;

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
serve:
  workOrders: erp
  codeLookup: erp
  putWall: erp
  items: erp
  images: erp
events:
  to: erp
`;

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

const looks = "everySeconds: 1, settleSeconds: 0";

/** JSON uses the contract's names; the other formats need a mapping. */
const filesIn: Readonly<Record<FileFormat, string>> = {
  json: `      - { topic: items, folder: items, ${looks} }
      - { topic: workOrders, folder: orders, ${looks} }
      - { topic: cancellations, folder: cancellations, ${looks} }
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
      notices: { folder: events }
    images: { folder: pictures, pattern: "{itemNumber}.gif" }
serve:
  images: erp
events:
  to: erp
`;
