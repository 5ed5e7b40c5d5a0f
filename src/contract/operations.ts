import type { Static, TSchema } from "typebox";
import { limits } from "./limits.ts";
import type { Operation } from "./operation.ts";
import * as steps from "./schemas/confirm-step.ts";
import * as events from "./schemas/events.ts";
import { list } from "./schemas/parts.ts";
import * as queries from "./schemas/queries.ts";
import { itemSchema, workOrderSchema } from "./schemas/work-order.ts";

const listResults = [
  "OperationFailed",
  "WorkOrderInvalid",
  "Succeed",
  "AdapterApiClientFailed",
  "AdapterApiCallFailed",
  "AdapterNotDefined",
] as const;

const exportResults = ["AdapterNotDefined", "AdapterApiClientFailed", "Success", "OperationFailed"] as const;

const putWallResults = [
  "OperationFailed",
  "Succeed",
  "AdapterApiClientFailed",
  "AdapterApiCallFailed",
  "AdapterNotDefined",
  "InvalidInput",
] as const;

const stepResults = [
  "InvalidInput",
  "Success",
  "OperationFailed",
  "AdapterApiClientFailed",
  "AdapterNotDefined",
] as const;

/** The contract table: 20 rows. Routes, types, OpenAPI, client, samples, reference and checks are derived from it. */
export const operations = {
  listWorkOrders: {
    method: "GET",
    path: "/WorkOrders",
    kind: "query",
    group: "Work orders",
    summary: "All work orders currently available.",
    data: list(workOrderSchema, "The available work orders."),
    results: listResults,
    success: "Succeed",
    budget: "list",
  },
  findWorkOrderByCode: {
    method: "GET",
    path: "/WorkOrders/Code",
    kind: "query",
    group: "Work orders",
    summary: "One work order by scanned code, within the storage where the scan happened.",
    query: queries.codeQuerySchema,
    data: workOrderSchema,
    results: [
      "OperationFailed",
      "Succeed",
      "WorkOrderDoesNotExist",
      "AdapterApiClientFailed",
      "AdapterApiCallFailed",
      "AdapterNotDefined",
    ],
    success: "Succeed",
    note: "An order that is not found is WorkOrderDoesNotExist with data null; the operator reads externalMessage.",
    budget: "scan",
  },
  findPutWallOrders: {
    method: "GET",
    path: "/WorkOrders/ForPutWall/{code}",
    kind: "query",
    group: "Work orders",
    summary: "The work orders behind a scanned batch or tote code.",
    params: queries.putWallCodeSchema,
    data: list(workOrderSchema, "The work orders of that code."),
    results: listResults,
    success: "Succeed",
    budget: "scan",
  },
  parseWorkOrderFile: {
    method: "POST",
    path: "/WorkOrders/File",
    kind: "query",
    group: "Work orders",
    summary: "Parses an uploaded work order file into work orders (manual import).",
    body: queries.fileUploadSchema,
    data: list(workOrderSchema, "The work orders of the file."),
    results: [
      "OperationFailed",
      "Succeed",
      "InvalidInput",
      "FileNotSupported",
      "AdapterApiClientFailed",
      "AdapterApiCallFailed",
      "AdapterNotDefined",
    ],
    success: "Succeed",
    bulk: true,
    // Even detecting the encoding of a small file would block the event loop for too long.
    bulkAboveBytes: 1024,
    budget: "list",
  },
  getReport: {
    method: "POST",
    path: "/WorkOrders/GetReport",
    kind: "query",
    group: "Work orders",
    summary: "Completion report for a set of work orders in a storage.",
    body: queries.reportRequestSchema,
    data: queries.reportSchema,
    results: [
      "OperationFailed",
      "InvalidInput",
      "AdapterApiClientFailed",
      "AdapterNotDefined",
      "WorkOrderDoesNotExist",
      "Succeed",
    ],
    success: "Succeed",
    bulk: true,
    // A few hundred orders, each of which is looked up separately.
    bulkAboveBytes: 4096,
    budget: "list",
  },
  getExportColumns: {
    method: "GET",
    path: "/WorkOrders/WorkOrderExportColumns",
    kind: "query",
    group: "Work orders",
    summary: "Extra export columns offered by the adapter.",
    data: list(queries.exportColumnSchema, "The extra columns; empty means none."),
    results: exportResults,
    success: "Success",
    note: "AdapterNotDefined and Success both leave the export working with the platform's own columns; AdapterApiClientFailed and OperationFailed make it fail when adapter columns are selected.",
    budget: "list",
  },
  getExportValues: {
    method: "POST",
    path: "/WorkOrders/WorkOrderExportValues",
    kind: "query",
    group: "Work orders",
    summary: "Values of the selected adapter columns, for the whole export range at once.",
    body: list(queries.exportRowSchema, "One element per exported work order.", limits.rowsPerExport),
    data: list(queries.exportValuesSchema, "One row per element."),
    results: exportResults,
    success: "Success",
    bulk: true,
    note: "The platform sends the whole export range in one request.",
    budget: "list",
  },
  getIndexableValueLabel: {
    method: "GET",
    path: "/WorkOrders/WorkOrderExternalIndexableValueLabel",
    kind: "query",
    group: "Work orders",
    summary: "Heading of the column that shows a work order's external indexable value.",
    data: queries.indexableValueLabelSchema,
    results: exportResults,
    success: "Success",
    note: "If the platform can translate the label, it is shown in the user's language, otherwise as it is; an empty label hides the column.",
    budget: "list",
  },
  confirmPutWallPlacement: {
    method: "POST",
    path: "/WorkOrders/ForPutWall",
    kind: "event",
    group: "Work orders",
    summary: "Event: an amount was placed into a Put Wall location.",
    body: events.putWallPlacementSchema,
    results: putWallResults,
    success: "Succeed",
    budget: "event",
  },
  cancelPutWallItem: {
    method: "POST",
    path: "/WorkOrders/CancelPutWallItem",
    kind: "event",
    group: "Work orders",
    summary: "Event: one item of a work order was cancelled during Put Wall processing.",
    body: events.putWallCancellationSchema,
    results: putWallResults,
    success: "Succeed",
    budget: "event",
  },
  cancelWorkOrderRequest: {
    method: "POST",
    path: "/WorkOrders/CancelWorkOrderRequest",
    kind: "event",
    group: "Work orders",
    summary: "Event: one request line of a work order was cancelled.",
    body: events.lineCancellationSchema,
    // Unlike in the export rows, AdapterApiClientFailed comes before AdapterNotDefined.
    results: ["AdapterApiClientFailed", "AdapterNotDefined", "Success", "OperationFailed"],
    success: "Success",
    budget: "event",
  },
  relocateCartContainers: {
    method: "POST",
    path: "/WorkOrders/RelocateCartContainers",
    kind: "event",
    group: "Work orders",
    summary: "Event: cart containers were moved to destination locations.",
    body: list(events.relocationSchema, "One element per container.", limits.containersPerRelocation),
    results: ["InvalidInput", "Success", "OperationFailed", "AdapterApiClientFailed", "AdapterNotDefined"],
    success: "Success",
    note: "If one element is not valid, none is accepted; an empty list is a success.",
    budget: "event",
  },
  attachWorkOrder: {
    method: "POST",
    path: "/WorkOrders/AttachWorkOrder",
    kind: "event",
    group: "Work orders",
    summary: "Event: a work order was attached to a container, or released from it.",
    body: events.attachmentSchema,
    results: [
      "Success",
      "OperationFailed",
      "InvalidInput",
      "WorkOrderDoesNotExist",
      "ContainerDoesNotExist",
      "WorkOrderAlreadyAttached",
      "ContainerAlreadyAttached",
      "AdapterApiClientFailed",
      "AdapterNotDefined",
      "InvalidContainer",
    ],
    success: "Success",
    budget: "event",
  },
  changeStatus: {
    method: "POST",
    path: "/WorkOrders/Status",
    kind: "event",
    group: "Work orders",
    summary: "Event (legacy): a work order's status changed.",
    body: events.statusChangeSchema,
    results: putWallResults,
    success: "Succeed",
    budget: "event",
    assumption:
      "The contract does not show the result values of this legacy endpoint; Crossdock uses those of the Put Wall events.",
  },
  confirmStep: {
    method: "POST",
    path: "/WorkOrderProcessing/ConfirmWorkOrderStep",
    kind: "event",
    group: "Processing",
    summary: "One step of single-order processing (pick or place) was completed.",
    body: steps.confirmStepSchema,
    data: steps.confirmStepAnswerSchema,
    results: stepResults,
    success: "Success",
    note: "An update in the answer is applied to the running work order at once; null means there is none. A placing step (requestType 2) without any amount counts as 0, because some clients omit zeros; a picking step without one is not valid.",
    budget: "step",
  },
  confirmCartStep: {
    method: "POST",
    path: "/CartWorkOrderProcessing/ConfirmWorkOrderStep",
    kind: "event",
    group: "Processing",
    summary: "One step of multi-order picking with a cart was completed.",
    body: steps.confirmCartStepSchema,
    data: steps.confirmStepAnswerSchema,
    results: stepResults,
    success: "Success",
    note: "As for the single-order step, but picking only: the summary has a different name and there is no placing amount.",
    budget: "step",
  },
  getItem: {
    method: "GET",
    path: "/Items/{number}",
    kind: "query",
    group: "Items",
    summary: "One item.",
    params: queries.itemNumberSchema,
    data: itemSchema,
    results: [
      "OperationFailed",
      "Succeed",
      "ItemDoesNotExist",
      "AdapterApiClientFailed",
      "AdapterApiCallFailed",
      "AdapterNotDefined",
    ],
    success: "Succeed",
    budget: "scan",
  },
  parseItemFile: {
    method: "POST",
    path: "/Items/File",
    kind: "query",
    group: "Items",
    summary: "Parses an uploaded item file into items (manual import).",
    body: queries.fileUploadSchema,
    data: list(itemSchema, "The items of the file."),
    results: [
      "OperationFailed",
      "Success",
      "InvalidInput",
      "FileNotSupported",
      "AdapterApiClientFailed",
      "AdapterApiCallFailed",
      "AdapterNotDefined",
    ],
    success: "Success",
    bulk: true,
    // Even detecting the encoding of a small file would block the event loop for too long.
    bulkAboveBytes: 1024,
    budget: "list",
  },
  getItemImage: {
    method: "GET",
    path: "/Items/IntegrateImage/{number}",
    kind: "query",
    group: "Items",
    summary: "The product image of an item, as a Base64 string.",
    params: queries.itemNumberSchema,
    data: queries.imageSchema,
    results: [
      "OperationFailed",
      "InvalidInput",
      "AdapterApiClientFailed",
      "AdapterNotDefined",
      "ImageDoesNotExist",
      "Success",
    ],
    success: "Success",
    budget: "scan",
  },
  getStatus: {
    method: "GET",
    path: "/Status",
    kind: "query",
    group: "Health",
    summary: "Version of the adapter; the only answer without an envelope.",
    data: queries.versionInfoSchema,
    results: [],
    success: "",
    budget: "none",
  },
} as const satisfies Record<string, Operation>;

type Table = typeof operations;
/** The name of a row. */
export type OperationId = keyof Table;
/** Operations a connector can offer: all except the adapter's own health. */
export type OfferedId = Exclude<OperationId, "getStatus">;
/** The name of a row that is an event. */
export type EventId = { [Id in OperationId]: Table[Id]["kind"] extends "event" ? Id : never }[OperationId];
/** The name of a row that is a query, and that a connector can offer. */
export type QueryId = Exclude<OfferedId, EventId>;

type StaticOf<S> = S extends TSchema ? Static<S> : unknown;
type Member<Row, Name extends string> = Row extends Readonly<Record<Name, infer Schema>> ? StaticOf<Schema> : unknown;
// Computed once for every row and then looked up. For a generic row, the compiler would compare the schema library's
// own types with each other for half a minute.
interface Inputs
  extends Readonly<{
    [Id in OperationId]: Member<Table[Id], "body"> & Member<Table[Id], "params"> & Member<Table[Id], "query">;
  }> {}
interface Datas
  extends Readonly<{
    [Id in OperationId]: Table[Id] extends { readonly data: infer Schema } ? StaticOf<Schema> : null;
  }> {}
/** The platform's input of an operation, parsed and checked. */
export type InputOf<Id extends OperationId> = Inputs[Id];
/** The `data` of an operation's answer. */
export type DataOf<Id extends OperationId> = Datas[Id];
/** All result names of an operation. */
export type ResultOf<Id extends OperationId> = Table[Id]["results"][number];
/** The result names of an operation that are refusals. */
export type RefusalOf<Id extends OperationId> = Exclude<ResultOf<Id>, Table[Id]["success"]>;

// The table has only these members; Object.keys loses their type.
export const operationIds = Object.keys(operations) as OperationId[];

/** The row as plain data, for code that walks the table. */
export const operationRow = (id: OperationId): Operation => operations[id];
