import type { WorkOrder } from "../../src/contract/schemas/work-order.ts";
import { type Mutant, members, without } from "./mutant.ts";
import type { Change } from "./right-adapter.ts";
import { dot, type Said } from "./right-floor.ts";

/** Exchanges what one operation says. */
const says =
  (operation: string, change: (said: Said, input: Readonly<Record<string, unknown>>) => Said): Change =>
  ({ operate }) => ({
    operate: async (id, input, request) => {
      const said = await operate(id, input, request);
      return id === operation ? change(said, Object(input)) : said;
    },
  });

/** Exchanges every order that is listed. */
const lists = (change: (order: WorkOrder) => unknown): Change =>
  says("listWorkOrders", (said) => ({ ...said, data: (said.data as WorkOrder[]).map(change) }));
const listsLines = (change: (line: object) => object): Change =>
  lists((order) => ({ ...order, requests: order.requests.map(change) }));

const isUnknown = ({ result }: Said) => result.endsWith("DoesNotExist");

/** Wrong in what is answered. */
export const wrongAnswers: readonly Mutant[] = [
  {
    name: "answers 404 to an unknown order",
    by: "findWorkOrderByCode.http-200",
    change: ({ answer, edge }) => ({
      answer: (id, body, said) => (said?.result === "WorkOrderDoesNotExist" ? edge(404) : answer(id, body)),
    }),
  },
  {
    name: "answers 500 to an unknown order",
    by: "findWorkOrderByCode.http-200",
    change: ({ answer, edge }) => ({
      answer: (id, body, said) => (said?.result === "WorkOrderDoesNotExist" ? edge(500) : answer(id, body)),
    }),
  },
  {
    name: "calls an unknown order a success without data",
    by: "findWorkOrderByCode.unknown",
    change: says("findWorkOrderByCode", (said) => (isUnknown(said) ? { result: "Succeed" } : said)),
  },
  {
    name: "calls an unknown order OperationFailed",
    by: "findWorkOrderByCode.unknown",
    change: says("findWorkOrderByCode", (said) => (isUnknown(said) ? { result: "OperationFailed" } : said)),
  },
  {
    name: "calls an unknown item AdapterApiCallFailed",
    by: "getItem.unknown",
    change: says("getItem", (said) => (isUnknown(said) ? { result: "AdapterApiCallFailed" } : said)),
  },
  {
    name: "calls an unknown put-wall code a failure",
    by: "findPutWallOrders.unknown",
    change: says("findPutWallOrders", (said) =>
      (said.data as unknown[]).length === 0 ? { result: "WorkOrderInvalid" } : said,
    ),
  },
  {
    name: "gives null instead of an empty list",
    by: "findPutWallOrders.data-shape",
    change: says("findPutWallOrders", (said) =>
      (said.data as unknown[]).length === 0 ? { ...said, data: null } : said,
    ),
  },
  {
    name: "gives one object instead of a list",
    by: "listWorkOrders.data-shape",
    change: says("listWorkOrders", (said) => ({ ...said, data: (said.data as unknown[])[0] })),
  },
  {
    name: "writes amounts as texts",
    by: "listWorkOrders.data-shape",
    change: listsLines((line) => members(line, { requestedAmount: "3" })),
  },
  {
    name: "writes amounts with decimals",
    by: "listWorkOrders.data-shape",
    change: listsLines((line) => members(line, { requestedAmount: 1.5 })),
  },
  {
    name: "lists lines of nothing",
    by: "listWorkOrders.orders-usable",
    change: listsLines((line) => members(line, { requestedAmount: 0 })),
  },
  {
    name: "lists orders without lines",
    by: "listWorkOrders.orders-usable",
    change: lists((order) => ({ ...order, requests: [] })),
  },
  {
    name: "lists an order twice with other content",
    by: "listWorkOrders.orders-usable",
    change: says("listWorkOrders", (said) => {
      const orders = said.data as WorkOrder[];
      return { ...said, data: [...orders, ...orders.slice(0, 1).map((order) => ({ ...order, description: "again" }))] };
    }),
  },
  {
    name: "writes units as names",
    by: "listWorkOrders.data-shape",
    change: listsLines((line) => members(line, { unitOfMeasure: "Piece" })),
  },
  {
    name: "writes a unit that is none",
    by: "listWorkOrders.data-shape",
    change: listsLines((line) => members(line, { unitOfMeasure: 14 })),
  },
  {
    name: "leaves requestType out",
    by: "listWorkOrders.lines-complete",
    change: listsLines((line) => without(line, "requestType")),
  },
  {
    name: "writes dates without offset",
    by: "listWorkOrders.dates",
    change: lists((order) => ({ ...order, dueDate: "2030-01-31T08:00:00" })),
  },
  {
    name: "writes dates as people do",
    by: "listWorkOrders.data-shape",
    change: lists((order) => ({ ...order, dueDate: "31.01.2030" })),
  },
  {
    name: "writes due dates as numbers",
    by: "listWorkOrders.data-shape",
    change: lists((order) => ({ ...order, dueDate: 1_900_000_000_000 })),
  },
  {
    name: "leaves due dates out",
    by: "listWorkOrders.data-shape",
    change: lists((order) => without(order, "dueDate")),
  },
  {
    name: "spells members of an order otherwise",
    by: "listWorkOrders.spelling",
    change: lists(({ deliveryNumber, ...order }) => ({ ...order, DeliveryNumber: deliveryNumber ?? null })),
  },
  {
    name: "writes external data as an object",
    by: "listWorkOrders.data-shape",
    change: lists((order) => ({ ...order, externalData: { priority: 1 } })),
  },
  {
    name: "finds another order than the one that was scanned",
    by: "findWorkOrderByCode.listed",
    change: says("findWorkOrderByCode", (said) =>
      said.data ? { ...said, data: { ...Object(said.data), number: "WO-9" } } : said,
    ),
  },
  {
    name: "does not know alternative start numbers",
    by: "findWorkOrderByCode.alternative-number",
    change: says("findWorkOrderByCode", (said, { Code }) =>
      Code === "START-1" ? { result: "WorkOrderDoesNotExist" } : said,
    ),
  },
  {
    name: "gives an item with another number",
    by: "getItem.itself",
    change: says("getItem", (said) =>
      said.data ? { ...said, data: members(said.data, { number: "internal-7" }) } : said,
    ),
  },
  {
    name: "writes weights as texts",
    by: "getItem.data-shape",
    change: says("getItem", (said) => (said.data ? { ...said, data: members(said.data, { weight: "0.2" }) } : said)),
  },
  {
    name: "puts data: before an image",
    by: "getItemImage.image",
    change: says("getItemImage", (said) => (said.data ? { ...said, data: `data:image/png;base64,${dot}` } : said)),
  },
  {
    name: "gives a page instead of an image",
    by: "getItemImage.image",
    change: says("getItemImage", (said) =>
      said.data ? { ...said, data: Buffer.from("<html>").toString("base64") } : said,
    ),
  },
  {
    name: "gives an empty image for an unknown item",
    by: "getItemImage.unknown",
    change: says("getItemImage", (said) => (isUnknown(said) ? { result: "Success", data: "" } : said)),
  },
  {
    name: "gives columns new keys on every call",
    by: "getExportColumns.keys",
    change: ({ operate }) => {
      let made = 0;
      return {
        operate: (id, input, request) =>
          id === "getExportColumns"
            ? { result: "Success", data: [{ key: `column${++made}`, header: "Priority" }] }
            : operate(id, input, request),
      };
    },
  },
  {
    name: "gives values for columns nobody offered",
    by: "getExportValues.known-keys",
    change: says("getExportValues", (said) => ({
      ...said,
      data: (said.data as object[]).map((row) => members(row, { values: { secret: "x" } })),
    })),
  },
  {
    name: "writes export values as numbers",
    by: "getExportValues.data-shape",
    change: says("getExportValues", (said) => ({
      ...said,
      data: (said.data as object[]).map((row) => members(row, { values: { priority: 1 } })),
    })),
  },
  {
    name: "leaves orders without values out of the export",
    by: "getExportValues.rows",
    change: says("getExportValues", (said) => ({
      ...said,
      data: (said.data as { values: object }[]).filter(({ values }) => Object.keys(values).length > 0),
    })),
  },
  {
    name: "fails an export on external data that it cannot read",
    by: "getExportValues.unreadable",
    change: says("getExportValues", (said, input) =>
      JSON.stringify(input).includes('"externalData":"{"') ? { result: "OperationFailed" } : said,
    ),
  },
  {
    name: "gives a label that is no text",
    by: "getIndexableValueLabel.data-shape",
    change: says("getIndexableValueLabel", (said) => ({ ...said, data: { label: null } })),
  },
  {
    name: "imports damaged Base64",
    by: "parseWorkOrderFile.damaged-base64",
    change: says("parseWorkOrderFile", (said) =>
      said.result === "InvalidInput" ? { result: "Succeed", data: [] } : said,
    ),
  },
  {
    name: "imports pictures",
    by: "parseItemFile.other-bytes",
    change: says("parseItemFile", (said) =>
      said.result === "FileNotSupported" ? { result: "Success", data: [] } : said,
    ),
  },
  {
    name: "imports the good half of a file without a word",
    by: "parseWorkOrderFile.bad-rows",
    change: says("parseWorkOrderFile", (said) =>
      said.problems?.[0]?.startsWith("Row") ? { result: "Succeed", data: [] } : said,
    ),
  },
  {
    name: "reads numbers in files as numbers",
    by: "parseItemFile.csv",
    isFull: true,
    change: says("parseItemFile", (said) => ({
      ...said,
      data: Array.isArray(said.data)
        ? said.data.map((item) => members(item, { number: String(Object(item)["number"]).replace(/^0+/, "") }))
        : null,
    })),
  },
  {
    name: "answers a step with data null",
    by: "confirmStep.data-shape",
    isFull: true,
    change: says("confirmStep", (said) => ({ ...said, data: null })),
  },
  {
    name: "answers a step without saying whether there is an update",
    by: "confirmCartStep.update-member",
    isFull: true,
    change: says("confirmCartStep", (said) => ({ ...said, data: {} })),
  },
  {
    name: "returns an update with an id of its own",
    by: "confirmStep.update-id",
    isFull: true,
    change: says("confirmStep", (said, { updateWorkOrderRequest }) => ({
      ...said,
      data: { updateWorkOrderRequest: updateWorkOrderRequest ? members(updateWorkOrderRequest, { id: 1 }) : null },
    })),
  },
  {
    name: "refuses a pick into no container",
    by: "confirmStep.virtual-container",
    isFull: true,
    change: says("confirmStep", (said, input) =>
      JSON.stringify(input).includes('"containerCode":null')
        ? { result: "InvalidInput", problems: ["containerCode: is missing"] }
        : said,
    ),
  },
  {
    name: "fails on a step it has seen before",
    by: "confirmStep.again",
    isFull: true,
    change: ({ operate }) => {
      const seen = new Set<string>();
      return {
        operate: (id, input, request) => {
          const text = JSON.stringify(input);
          if (id === "confirmStep" && seen.has(text)) return { result: "OperationFailed" };
          seen.add(text);
          return operate(id, input, request);
        },
      };
    },
  },
  {
    name: "refuses the same pair of order and container",
    by: "workflow.attach-again",
    isFull: true,
    change: ({ operate, floor }) => ({
      operate: (id, input, request) => {
        const { workOrderNumber, containerCode, isAbandonedOrCancelled } = Object(input);
        const isSame =
          id === "attachWorkOrder" &&
          !isAbandonedOrCancelled &&
          floor.state.containers.get(containerCode) === workOrderNumber;
        return isSame ? { result: "WorkOrderAlreadyAttached" } : operate(id, input, request);
      },
    }),
  },
  {
    name: "serves an order and does not know it when it is attached",
    by: "workflow.served-is-known",
    isFull: true,
    change: says("attachWorkOrder", (said, input) =>
      Object(input).isAbandonedOrCancelled === true ? said : { result: "WorkOrderDoesNotExist" },
    ),
  },
  {
    name: "fails on a second release",
    by: "workflow.attach-elsewhere",
    isFull: true,
    change: ({ operate, floor }) => ({
      operate: (id, input, request) => {
        const { containerCode, isAbandonedOrCancelled } = Object(input);
        const isGone =
          id === "attachWorkOrder" && isAbandonedOrCancelled === true && !floor.state.containers.has(containerCode);
        return isGone ? { result: "ContainerDoesNotExist" } : operate(id, input, request);
      },
    }),
  },
  {
    name: "mixes up order and container that are taken",
    by: "workflow.container-taken",
    isFull: true,
    change: says("attachWorkOrder", (said) =>
      said.result === "ContainerAlreadyAttached" ? { result: "InvalidContainer" } : said,
    ),
  },
  {
    name: "refuses an empty relocation",
    by: "relocateCartContainers.empty",
    isFull: true,
    change: says("relocateCartContainers", (said, input) =>
      Array.isArray(input) && input.length === 0 ? { result: "OperationFailed" } : said,
    ),
  },
  {
    name: "does not say which element of a relocation is bad",
    by: "relocateCartContainers.bad-element",
    isFull: true,
    change: ({ refuse }) => ({
      refuse: (id, problems) => refuse(id, id === "relocateCartContainers" ? ["Something is wrong."] : problems),
    }),
  },
  {
    name: "goes on listing an order that is being picked",
    by: "workflow.begun",
    isFull: true,
    change: ({ floor, operate }) => ({
      operate: (id, input, request) =>
        id === "listWorkOrders" ? { result: "Succeed", data: floor.state.orders } : operate(id, input, request),
    }),
  },
  {
    name: "does not offer a cancellation to a running order",
    by: "workflow.cancelled-line",
    isFull: true,
    change: says("confirmStep", (said) => ({ ...said, data: { updateWorkOrderRequest: null } })),
  },
  {
    name: "cancels a line of which something is picked",
    by: "workflow.never-below-picked",
    isFull: true,
    change: ({ floor, operate }) => ({
      operate: async (id, input, request) => {
        if (id === "confirmStep") floor.state.picked.set = () => floor.state.picked;
        return operate(id, input, request);
      },
    }),
  },
  {
    name: "forgets in the report what is missing",
    by: "workflow.report",
    isFull: true,
    change: says("getReport", (said) =>
      said.data ? { ...said, data: members(said.data, { missingQuantities: {} }) } : said,
    ),
  },
  {
    name: "writes the report's placements as an object",
    by: "getReport.data-shape",
    seenIn: "workflow",
    isFull: true,
    change: says("getReport", (said) => (said.data ? { ...said, data: members(said.data, { placements: {} }) } : said)),
  },
  {
    name: "answers events late",
    by: "cancelPutWallItem.time-budget",
    isFull: true,
    change: ({ operate }) => ({
      operate: async (id, input, request) => {
        // The check is about real time over a real connection; nothing else in these tests waits.
        if (id === "cancelPutWallItem") await new Promise((passed) => setTimeout(passed, 40));
        return operate(id, input, request);
      },
    }),
  },
  {
    name: "mixes up answers of scans at the same time",
    by: "adapter.parallel",
    change: ({ operate }) => {
      let latest: unknown;
      return {
        operate: async (id, input, request) => {
          if (id !== "findWorkOrderByCode") return operate(id, input, request);
          latest = input;
          // As long as a query to an ERP takes; meanwhile the others arrive.
          await new Promise((passed) => setTimeout(passed, 20));
          return operate(id, latest, request);
        },
      };
    },
  },
];
