import { derivedEventIds } from "../contract/derived-events.ts";
import { operationIds, operationRow } from "../contract/operations.ts";
import type { Preset } from "./preset.ts";

const notFound = { path: "error.code", equals: "NOT_FOUND" };

const map = {
  number: "number",
  description: { join: ["customer.name", "customer.city"], with: ", " },
  dueDate: "due",
  designatedStorageName: "warehouse",
  deliveryNumber: "wave",
  requests: { each: "lines", map: { itemNumber: "item", requestedAmount: "qty", requestExternalIdentifier: "line" } },
};

const refusals = [
  { code: "TOTE_IN_USE", codePath: "error.code", result: "ContainerAlreadyAttached" },
  { code: "NOT_FOUND", codePath: "error.code", result: "WorkOrderDoesNotExist" },
];

const events = Object.fromEntries(
  [...operationIds.filter((id) => operationRow(id).kind === "event"), ...derivedEventIds].map((id) => [
    id,
    { path: `/events/${id}`, ...(id === "attachWorkOrder" ? { refusals } : {}) },
  ]),
);

/** The ERP that comes with Crossdock, for trying everything without a real one. */
export const mockErp: Preset = {
  name: "mock-erp",
  title: "Mock ERP (crossdock mock-erp)",
  summary:
    "The simulated ERP of the command `crossdock mock-erp`: its open orders become work orders; it books every event.",
  type: "http",
  requiredOptions: [
    {
      option: "baseUrl",
      description: "The address that `crossdock mock-erp` prints as ERP.",
      example: "http://127.0.0.1:8090/api",
    },
  ],
  options: {
    checkPath: "/ping",
    // Errors may come with status 200 and a member `error`.
    success: { absent: "error" },
    errorText: "error.message",
    operations: {
      listWorkOrders: {
        path: "/orders",
        query: { state: "open" },
        records: "data.items",
        page: { by: "page", param: "page", size: 200, sizeParam: "per_page", total: "data.total" },
        map,
      },
      findWorkOrderByCode: { path: "/orders/{code}", records: "data", map, notFound },
      findPutWallOrders: { path: "/orders", query: { wave: "{code}", state: "open" }, records: "data.items", map },
      getItem: {
        path: "/items/{number}",
        records: "data",
        map: { number: "number", name: "name", weight: { from: "grams", unit: { factor: 0.001 } } },
        notFound,
      },
      getItemImage: { path: "/items/{number}/picture" },
      ...events,
    },
    notices: { path: "/events/changeReceipt" },
    poll: [
      {
        topic: "cancellations",
        everySeconds: 5,
        path: "/cancellations",
        records: "data.items",
        since: { path: "changedAt", param: "changed_since", overlapSeconds: 60 },
        map: { workOrderNumber: "order", requestExternalIdentifier: "line", reason: "reason" },
      },
    ],
  },
};
