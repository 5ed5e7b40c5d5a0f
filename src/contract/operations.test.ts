import { expect, test } from "vitest";
import { type FaultKind, resultForFault } from "./operation.ts";
import { operationIds, operationRow } from "./operations.ts";

/**
 * The only second list of the contract, copied by hand from its text: method, path, and result names in numeric order,
 * with the success in capitals. A mistake in the table shows only here.
 */
const contract = `
GET /WorkOrders | OperationFailed WorkOrderInvalid SUCCEED AdapterApiClientFailed AdapterApiCallFailed AdapterNotDefined
GET /WorkOrders/Code | OperationFailed SUCCEED WorkOrderDoesNotExist AdapterApiClientFailed AdapterApiCallFailed AdapterNotDefined
GET /WorkOrders/ForPutWall/{code} | OperationFailed WorkOrderInvalid SUCCEED AdapterApiClientFailed AdapterApiCallFailed AdapterNotDefined
POST /WorkOrders/File | OperationFailed SUCCEED InvalidInput FileNotSupported AdapterApiClientFailed AdapterApiCallFailed AdapterNotDefined
POST /WorkOrders/GetReport | OperationFailed InvalidInput AdapterApiClientFailed AdapterNotDefined WorkOrderDoesNotExist SUCCEED
GET /WorkOrders/WorkOrderExportColumns | AdapterNotDefined AdapterApiClientFailed SUCCESS OperationFailed
POST /WorkOrders/WorkOrderExportValues | AdapterNotDefined AdapterApiClientFailed SUCCESS OperationFailed
GET /WorkOrders/WorkOrderExternalIndexableValueLabel | AdapterNotDefined AdapterApiClientFailed SUCCESS OperationFailed
POST /WorkOrders/ForPutWall | OperationFailed SUCCEED AdapterApiClientFailed AdapterApiCallFailed AdapterNotDefined InvalidInput
POST /WorkOrders/CancelPutWallItem | OperationFailed SUCCEED AdapterApiClientFailed AdapterApiCallFailed AdapterNotDefined InvalidInput
POST /WorkOrders/CancelWorkOrderRequest | AdapterApiClientFailed AdapterNotDefined SUCCESS OperationFailed
POST /WorkOrders/RelocateCartContainers | InvalidInput SUCCESS OperationFailed AdapterApiClientFailed AdapterNotDefined
POST /WorkOrders/AttachWorkOrder | SUCCESS OperationFailed InvalidInput WorkOrderDoesNotExist ContainerDoesNotExist WorkOrderAlreadyAttached ContainerAlreadyAttached AdapterApiClientFailed AdapterNotDefined InvalidContainer
POST /WorkOrders/Status | OperationFailed SUCCEED AdapterApiClientFailed AdapterApiCallFailed AdapterNotDefined InvalidInput
POST /WorkOrderProcessing/ConfirmWorkOrderStep | InvalidInput SUCCESS OperationFailed AdapterApiClientFailed AdapterNotDefined
POST /CartWorkOrderProcessing/ConfirmWorkOrderStep | InvalidInput SUCCESS OperationFailed AdapterApiClientFailed AdapterNotDefined
GET /Items/{number} | OperationFailed SUCCEED ItemDoesNotExist AdapterApiClientFailed AdapterApiCallFailed AdapterNotDefined
POST /Items/File | OperationFailed SUCCESS InvalidInput FileNotSupported AdapterApiClientFailed AdapterApiCallFailed AdapterNotDefined
GET /Items/IntegrateImage/{number} | OperationFailed InvalidInput AdapterApiClientFailed AdapterNotDefined ImageDoesNotExist SUCCESS
GET /Status |`;

/**
 * Members of inputs and answers, also copied by hand. A star marks what the contract or the rule "identity only"
 * requires.
 */
const members: Readonly<Record<string, string>> = {
  WorkOrder:
    "number* externalIdentifier description dueDate* customerRequiredDeliveryDate requests* workOrderTypeName designatedStorageName deliveryNumber alternativeStartNumber externalData",
  Item: "number* name description languageIsoCode minimumStockQuantity weight height width length volume manufacturer unitOfMeasure externalIdentifier",
  PutWallPlacement:
    "workOrderNumber* itemNumber* itemNames completedAmount* confirmedLocationName userEmail externalData",
  PutWallCancellation: "workOrderNumber* itemNumber*",
  LineCancellation:
    "workOrderNumber* workOrderTypeName workOrderExternalIdentifier workOrderExternalData requestExternalIdentifier userEmail request",
  Relocation: "containerCode* destinationLocationName* workOrder*",
  Attachment: "workOrderNumber* containerCode* isAbandonedOrCancelled",
  StatusChange: "number* status*",
  ConfirmStep:
    "storageName userEmail workOrderNumber* workOrderExternalIdentifier workOrderExternalData workOrderDescription alternativeStartNumber workOrderTypeName requestId* requestType requestExternalIdentifier requestRemainingAmountInBaseUnitOfMeasure requestAmountInBaseUnitOfMeasure updateWorkOrderRequest itemNumber itemNames itemUnitOfMeasure amountToConfirmPickingSummary amountToConfirmPlacingInBaseUnitOfMeasure",
  ConfirmCartStep:
    "storageName userEmail workOrderNumber* workOrderExternalIdentifier workOrderExternalData workOrderDescription alternativeStartNumber workOrderTypeName requestId* requestType requestExternalIdentifier requestRemainingAmountInBaseUnitOfMeasure requestAmountInBaseUnitOfMeasure updateWorkOrderRequest itemNumber itemNames itemUnitOfMeasure amountToConfirmSummary*",
  ConfirmStepAnswer: "updateWorkOrderRequest",
  FileUpload: "fileContent* fileType*",
  ReportRequest: "workOrdersNumbers* storageId* remainingRequests*",
  Report: "missingQuantities* placements*",
  ExportColumn: "key* header*",
  ExportRow: "workOrderNumber* externalData deliveryNoteExternalData deliveryAddressExternalData",
  ExportValues: "workOrderNumber* values*",
  IndexableValueLabel: "label*",
  AdapterVersionInfo: "version title buildDateTime*",
};

const rows = operationIds.map((id) => ({ id, row: operationRow(id) }));
const rowsWithResults = rows.filter(({ row }) => row.results.length > 0);

test("the table is the contract: 20 endpoints with their result numbers", () => {
  const table = rows.map(({ row }) => {
    const results = row.results.map((name) => (name === row.success ? name.toUpperCase() : name));
    return `${row.method} ${row.path} |${results.map((name) => ` ${name}`).join("")}`;
  });
  expect(table).toEqual(contract.trim().split("\n"));
  expect(table).toHaveLength(20);
});

test("bodies and answers have the members of the contract, and require no more than they must", () => {
  const seen: Record<string, string> = {};
  for (const { row } of rows) {
    for (const schema of [row.body, row.data]) {
      // For a list, the schema of its elements counts.
      const object = Object(schema);
      const {
        title,
        properties,
        required = [],
      } = (object.items ?? object) as {
        title?: string;
        properties?: object;
        required?: string[];
      };
      if (title === undefined || properties === undefined) continue;
      seen[title] = Object.keys(properties)
        .map((name) => (required.includes(name) ? `${name}*` : name))
        .join(" ");
    }
  }
  expect(seen).toEqual(members);
});

test.each(rowsWithResults)(
  "$id can say that it failed, that nobody offers it and that the system is away",
  ({ row }) => {
    expect(row.results).toEqual(
      expect.arrayContaining(["OperationFailed", "AdapterNotDefined", "AdapterApiClientFailed", row.success]),
    );
    expect(new Set(row.results).size).toBe(row.results.length);
  },
);

test.each(rowsWithResults)("$id turns every kind of fault into the first result it knows for it", ({ row }) => {
  const has = (name: string) => row.results.includes(name);
  const expected: Record<FaultKind, string> = {
    "not-offered": "AdapterNotDefined",
    invalid: has("InvalidInput") ? "InvalidInput" : "OperationFailed",
    unreachable: "AdapterApiClientFailed",
    rejected: has("AdapterApiCallFailed") ? "AdapterApiCallFailed" : "OperationFailed",
    broken: "OperationFailed",
  };
  const kinds = Object.keys(expected) as FaultKind[];
  expect(Object.fromEntries(kinds.map((kind) => [kind, resultForFault(row, kind)]))).toEqual(expected);
});

test("every event is a POST, and no GET has a body", () => {
  for (const { row } of rows) {
    if (row.kind === "event") expect(row.method).toBe("POST");
    if (row.method === "GET") expect(row.body).toBeUndefined();
  }
});

test("rows whose results are not in the contract say so", () => {
  const assumed = rows.filter(({ row }) => row.assumption !== undefined).map(({ row }) => row.path);
  expect(assumed).toEqual(["/WorkOrders/Status"]);
});
