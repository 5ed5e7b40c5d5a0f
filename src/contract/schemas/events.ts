import type { Static } from "typebox";
import { RequestType, WorkOrderStatus } from "../enums.ts";
import { limits } from "../limits.ts";
import {
  amount,
  atLeastOne,
  confirmedAmount,
  enumNumber,
  externalText,
  filledIdentifier,
  flag,
  identifier,
  list,
  optional,
  platformId,
  record,
  text,
} from "./parts.ts";
import { localizedItemNameSchema } from "./work-order.ts";

export const putWallPlacementSchema = record("PutWallPlacement", {
  workOrderNumber: filledIdentifier("Work order number."),
  itemNumber: filledIdentifier("Item number."),
  itemNames: optional(list(localizedItemNameSchema, "Localized item names.", limits.namesPerItem)),
  completedAmount: confirmedAmount("Amount placed, in the item's unit."),
  confirmedLocationName: optional(identifier("Put Wall location.")),
  userEmail: optional(text("Operator.")),
  externalData: optional(externalText("Customer-specific data, a JSON string.")),
});
export type PutWallPlacement = Static<typeof putWallPlacementSchema>;

export const putWallCancellationSchema = record("PutWallCancellation", {
  workOrderNumber: filledIdentifier("Work order number."),
  itemNumber: filledIdentifier("Item number."),
});
export type PutWallCancellation = Static<typeof putWallCancellationSchema>;

const cancelledLineSchema = record("CancelledLine", {
  requestId: optional(platformId("Platform-internal ID of the request line.")),
  itemNumber: optional(identifier("Item number.")),
  requestedAmountInBaseUnitOfMeasure: optional(amount("Requested amount, base unit.")),
  completedAmountInBaseUnitOfMeasure: optional(amount("Completed amount, base unit.")),
  isCancelled: optional(flag("Whether the line is cancelled.")),
  type: optional(enumNumber(RequestType, "Request type.")),
});

export const lineCancellationSchema = atLeastOne(
  record("LineCancellation", {
    workOrderNumber: filledIdentifier("Work order number."),
    workOrderTypeName: optional(text("Work order type.")),
    workOrderExternalIdentifier: optional(identifier("External work order ID.")),
    workOrderExternalData: optional(externalText("Customer-specific data, a JSON string.")),
    requestExternalIdentifier: optional(identifier("External ID of the line.")),
    userEmail: optional(text("Operator.")),
    request: optional(cancelledLineSchema),
  }),
  ["request", "requestExternalIdentifier"],
);
export type LineCancellation = Static<typeof lineCancellationSchema>;

const relocatedLineSchema = record("RelocatedLine", {
  itemNumber: optional(identifier("Item number.")),
  requestedAmount: optional(amount("Requested amount.")),
  completedAmount: optional(amount("Completed amount.")),
});

export const relocationSchema = record("Relocation", {
  containerCode: filledIdentifier("Container that was moved."),
  destinationLocationName: filledIdentifier("Location it was moved to."),
  workOrder: record("RelocatedWorkOrder", {
    number: filledIdentifier("Work order number."),
    requests: optional(list(relocatedLineSchema, "What was picked into the container.", limits.linesPerOrder)),
  }),
});
export type Relocation = Static<typeof relocationSchema>;

export const attachmentSchema = record("Attachment", {
  workOrderNumber: filledIdentifier("Work order number."),
  containerCode: filledIdentifier("Container code."),
  isAbandonedOrCancelled: optional(flag("True releases the order from the container.")),
});
export type Attachment = Static<typeof attachmentSchema>;

export const statusChangeSchema = record("StatusChange", {
  number: filledIdentifier("Work order number."),
  status: enumNumber(WorkOrderStatus, "New work order status."),
});
export type StatusChange = Static<typeof statusChangeSchema>;
