import { FileType } from "../../src/contract/enums.ts";
import { type OperationId, operationIds, operationRow } from "../../src/contract/operations.ts";
import { byForm } from "../support/long-form.ts";
import type { Change } from "./right-adapter.ts";
import type { Said } from "./right-floor.ts";
import { type RightWay, saying } from "./right-way.ts";

/** The same answer to everything, also to what is no JSON: an endpoint that is not needed looks at nothing. */
const always =
  (meant: (id: OperationId) => boolean, said: Said): Change =>
  ({ operate, refuse, answer, envelope }) => ({
    operate: (id, input, request) => (meant(id) ? said : operate(id, input, request)),
    refuse: (id, problems) => (meant(id) ? answer(id, envelope(id, said)) : refuse(id, problems)),
  });

const isStep = (id: OperationId) => id === "confirmStep" || id === "confirmCartStep";
const isFile = (id: OperationId) => id === "parseWorkOrderFile" || id === "parseItemFile";
const emptyReport = { missingQuantities: {}, placements: [] };

/** In the gate only these groups look, together with whole workflows: the other endpoints answer as in the right adapter. */
const noticedBy = (...ids: readonly OperationId[]): Pick<RightWay, "only"> =>
  byForm({ gate: { only: [...ids, "workflow", "adapter"] }, long: {} });

const wholeAdapters: readonly RightWay[] = [
  { name: "offers nothing at all", change: always(() => true, { result: "AdapterNotDefined" }) },
  {
    name: "keeps no containers",
    change: saying((id, said) => (id === "attachWorkOrder" ? { result: "Success" } : said)),
  },
  {
    name: "has no images",
    ...noticedBy("getItemImage", "getItem"),
    change: saying((id, said) => (id === "getItemImage" ? { result: "ImageDoesNotExist" } : said)),
  },
  {
    name: "knows no items",
    ...noticedBy("getItem", "getItemImage", "parseItemFile"),
    change: saying((id, said) => (id === "getItem" ? { result: "ItemDoesNotExist" } : said)),
  },
  { name: "lists nothing", change: saying((id, said) => (id === "listWorkOrders" ? { ...said, data: [] } : said)) },
  {
    name: "finds nothing at the put wall",
    ...noticedBy("findPutWallOrders"),
    change: saying((id, said) => (id === "findPutWallOrders" ? { ...said, data: [] } : said)),
  },
  {
    name: "has no columns and a label",
    ...noticedBy("getExportColumns", "getExportValues", "getIndexableValueLabel"),
    change: saying((id, said) => {
      if (id === "getIndexableValueLabel") return { ...said, data: { label: "Kommission" } };
      if (id === "getExportColumns") return { ...said, data: [] };
      if (id !== "getExportValues" || !Array.isArray(said.data)) return said;
      return { ...said, data: said.data.map((row: object) => ({ ...row, values: {} })) };
    }),
  },
  {
    name: "returns the received model with every step",
    ...noticedBy("confirmStep", "confirmCartStep"),
    change: ({ operate }) => ({
      operate: async (id, input, request) => {
        const said = await operate(id, input, request);
        if (!isStep(id)) return said;
        const { updateWorkOrderRequest: made } = Object(said.data ?? {});
        return { ...said, data: { updateWorkOrderRequest: made ?? Object(input).updateWorkOrderRequest ?? null } };
      },
    }),
  },
  {
    name: "fails on events about orders nobody knows",
    change: ({ operate, floor }) => ({
      operate: (id, input, request) => {
        const number = Object(input).workOrderNumber ?? Object(input).number;
        const isKnown = floor.state.orders.some((order) => order.number === number);
        const isRefused = operationRow(id).kind === "event" && typeof number === "string" && !isKnown;
        return isRefused && id !== "attachWorkOrder"
          ? { result: "OperationFailed", message: "No such order." }
          : operate(id, input, request);
      },
    }),
  },
  {
    name: "reads no files but CSV",
    ...noticedBy("parseWorkOrderFile", "parseItemFile"),
    change: ({ operate }) => ({
      operate: (id, input, request) =>
        isFile(id) && Object(input).fileType === FileType.Json
          ? { result: "FileNotSupported" }
          : operate(id, input, request),
    }),
  },
  {
    name: "supports no files, whatever they are",
    ...noticedBy("parseWorkOrderFile", "parseItemFile"),
    change: always(isFile, { result: "FileNotSupported" }),
  },
  {
    name: "has no report on any order",
    ...noticedBy("getReport"),
    change: always((id) => id === "getReport", { result: "WorkOrderDoesNotExist" }),
  },
  {
    name: "has an empty report on any order",
    ...noticedBy("getReport"),
    isContractOnly: true,
    change: saying((id, said) => (id === "getReport" ? { result: "Succeed", data: emptyReport } : said)),
  },
  {
    name: "fails on an unknown put-wall code",
    ...noticedBy("findPutWallOrders"),
    isContractOnly: true,
    change: saying((id, said) =>
      id === "findPutWallOrders" && Array.isArray(said.data) && said.data.length === 0
        ? { result: "OperationFailed" }
        : said,
    ),
  },
  {
    name: "reads routes and names as they are written only",
    isContractOnly: true,
    change: ({ query }) => ({
      fold: (path) => path,
      spell: (_, body) => body,
      query: (search) => (/\bCode=/.test(search) ? query(search) : { Code: "", StorageName: "" }),
    }),
  },
  {
    name: "answers all that is strange to it with 404",
    isContractOnly: true,
    change: ({ edge }) => ({ edge: () => edge(404) }),
  },
];

const ofOneEndpoint = (id: OperationId): readonly RightWay[] => {
  const meant = (one: OperationId) => one === id;
  const only = [id, "workflow"] as const;
  return [
    { name: `does not offer ${id}`, only, change: always(meant, { result: "AdapterNotDefined" }) },
    { name: `declines ${id}`, only, change: always(meant, { result: "OperationFailed" }) },
    {
      name: `does not reach the system behind ${id}`,
      only,
      change: saying((one, said) => (one === id ? { result: "AdapterApiClientFailed" } : said)),
    },
  ];
};

/** Right, and offering less, or deciding otherwise, than ours. */
export const rightChoices: readonly RightWay[] = [
  ...wholeAdapters,
  ...operationIds.filter((id) => id !== "getStatus").flatMap(ofOneEndpoint),
];
