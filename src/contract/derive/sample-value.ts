import { choicesOf, isNullable, isRequired, type Shape, typesOf } from "./component-registry.ts";

export type Fullness =
  /** Required members only. */
  | "minimal"
  /** Every member. */
  | "full"
  /** Every member, null wherever null is allowed. */
  | "nulls"
  /** Every member, and an unknown one at every level. */
  | "unknown";

/** A value that fits the schema. The same schema and fullness always give the same value. */
export function sampleValue(shape: Shape, fullness: Fullness, name = ""): unknown {
  const type = typesOf(shape)[0] ?? "string";
  if (type === "array") return [sampleValue(shape.items ?? { type: "string" }, fullness, name)];
  if (type === "object")
    return shape.properties === undefined ? sampleMap(shape, fullness, name) : sampleObject(shape, fullness);
  if (Object.hasOwn(exampleValues, name)) return exampleValues[name];
  const plainName = name.slice(name.indexOf(".") + 1);
  if (Object.hasOwn(exampleValues, plainName)) return exampleValues[plainName];
  if (shape.enum !== undefined) return shape.enum[0];
  if (type === "string") return shape.format === "date-time" ? "2026-03-02T16:00:00Z" : plainName || "text";
  return type === "boolean" ? true : Math.max(1, shape.minimum ?? 1);
}

function sampleObject(shape: Shape, fullness: Fullness): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  // One choice must be filled even if everything else is left out or null.
  const choice = choicesOf(shape)[0];
  for (const [member, memberShape] of Object.entries(shape.properties ?? {})) {
    const needed = isRequired(shape, member) || member === choice;
    if (fullness === "minimal" && !needed) continue;
    object[member] =
      fullness === "nulls" && !needed && isNullable(memberShape)
        ? null
        : sampleValue(memberShape, fullness, `${shape.title ?? ""}.${member}`);
  }
  if (fullness === "unknown") object["x_member_of_tomorrow"] = { kept: [true, null, "as it came"] };
  return object;
}

function sampleMap(shape: Shape, fullness: Fullness, name: string): Record<string, unknown> {
  if (shape.additionalProperties === undefined) return {};
  const plainName = name.slice(name.indexOf(".") + 1);
  return { [exampleKeys[plainName] ?? "key"]: sampleValue(shape.additionalProperties, fullness, plainName) };
}

/**
 * Realistic values of members, so that examples can be read and pushed as they are. By member
 * name, or by `Title.member` if one name has two meanings. Other members get a plain value of their type.
 */
const exampleValues: Readonly<Record<string, unknown>> = {
  "WorkOrder.number": "WO-1001",
  "PushedWorkOrder.number": "WO-1001",
  "RelocatedWorkOrder.number": "WO-1001",
  "StatusChange.number": "WO-1001",
  "Item.number": "100-204",
  "PushedItem.number": "100-204",
  "ItemNumber.number": "100-204",
  "WorkOrder.description": "Counter sale, collected at noon",
  "PushedWorkOrder.description": "Counter sale, collected at noon",
  "UpdateWorkOrderRequest.description": "Counter sale, collected at noon",
  "WorkOrder.externalIdentifier": "SO-2026-000871",
  "PushedWorkOrder.externalIdentifier": "SO-2026-000871",
  "UpdatedLine.externalIdentifier": "SO-2026-000871/10",
  "LocalizedItemName.name": "Hexagon bolt M8 × 40",
  "PushedCancellation.requestedAmount": 1,
  "PushedCancellation.reason": "The customer ordered twice.",
  "AdapterVersionInfo.title": "Crossdock",
  "ProblemDetails.title": "Bad Request",
  "ProblemDetails.status": 400,
  "ProblemDetails.type": "about:blank",
  Code: "WO-1001",
  StorageName: "Main",
  alternativeStartNumber: "TOTE-17",
  amount: 4,
  amountToConfirmInBaseUnitOfMeasure: 2,
  amountToConfirmPlacingInBaseUnitOfMeasure: 2,
  asOf: "2026-03-02T06:00:00Z",
  buildDateTime: "2026-03-01T09:30:00Z",
  code: "TOTE-17",
  completedAmount: 2,
  completedAmountInBaseUnitOfMeasure: 1,
  confirmedLocationName: "PW-01-03",
  containerCode: "BOX-0042",
  customerRequiredDeliveryDate: "2026-03-03T12:00:00+01:00",
  deliveryAddressExternalData: '{"country":"CH"}',
  deliveryNoteExternalData: '{"carrier":"Post"}',
  deliveryNumber: "DN-5501",
  description: "Zinc-plated, full thread",
  designatedLocationId: 311,
  designatedLocationName: "A-01-03",
  designatedStorageName: "Main",
  destinationLocationName: "DOCK-2",
  detail: "Correct the fields named in errors and send everything again.",
  dueDate: "2026-03-02T16:00:00+01:00",
  ids: "evt_01JNB6Z0Q4T1X8M3R5V7Y9A2C4",
  errorCount: 1,
  errors: "requests[0].itemNumber: is missing",
  externalData: '{"priority":"high"}',
  externalIdentifier: "MAT-100204",
  fileType: 0,
  header: "Priority",
  height: 13,
  id: 7001,
  image: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  isAbandonedOrCancelled: false,
  isCancelled: false,
  isDefault: true,
  itemDescription: "Zinc-plated, full thread",
  itemExternalIdentifier: "MAT-100204",
  itemName: "Hexagon bolt M8 × 40",
  itemNumber: "100-204",
  itemUnitOfMeasure: 0,
  key: "priority",
  label: "Customer reference",
  languageIsoCode: "en",
  length: 40,
  locationName: "A-01-03",
  lotNumber: "L-2026-08",
  manufacturer: "Bolt & Sons",
  minimumStockQuantity: 50,
  missingQuantities: 2,
  name: "Hexagon bolt M8 × 40",
  order: 1,
  remainingRequests: 2,
  requestAmountInBaseUnitOfMeasure: 4,
  requestExternalData: '{"position":10}',
  requestExternalIdentifier: "SO-2026-000871/10",
  requestId: 88001,
  requestRemainingAmountInBaseUnitOfMeasure: 4,
  requestType: 1,
  requestedAmount: 4,
  requestedAmountInBaseUnitOfMeasure: 4,
  status: 3,
  storageId: "Main",
  storageName: "Main",
  traceId: "7f3a9c21",
  type: 1,
  unitOfMeasure: 0,
  userEmail: "operator@example.com",
  values: "high",
  version: "0.1.0",
  volume: 6.8,
  weight: 0.021,
  width: 13,
  workOrderDescription: "Counter sale, collected at noon",
  workOrderExternalData: '{"priority":"high"}',
  workOrderExternalIdentifier: "SO-2026-000871",
  workOrderNumber: "WO-1001",
  workOrderTypeName: "Sale",
  workOrdersNumbers: "WO-1001",
};

/** Keys of maps, by the map's member name. */
const exampleKeys: Readonly<Record<string, string>> = {
  remainingRequests: "100-204",
  missingQuantities: "100-204",
  values: "priority",
  errors: "requests[0].itemNumber",
};
