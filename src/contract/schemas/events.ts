import type { Static } from "typebox";
import { RequestType, WorkOrderStatus } from "../enums.ts";
import { localizedItemNameSchema } from "./item.ts";
import {
  amount,
  atLeastOne,
  enumNumber,
  filledText,
  flag,
  list,
  optional,
  record,
  text,
  wholeNumber,
} from "./parts.ts";

export const putWallPlacementSchema = record("PutWallPlacement", {
  workOrderNumber: filledText("Work order number."),
  itemNumber: filledText("Item number."),
  itemNames: optional(list(localizedItemNameSchema, "Localized item names.")),
  completedAmount: amount("Amount placed, in the item's unit.", { minimum: 0 }),
  confirmedLocationName: optional(text("Put Wall location.")),
  userEmail: optional(text("Operator.")),
  externalData: optional(text("Customer-specific data, a JSON string.")),
});
export type PutWallPlacement = Static<typeof putWallPlacementSchema>;

export const putWallCancellationSchema = record("PutWallCancellation", {
  workOrderNumber: filledText("Work order number."),
  itemNumber: filledText("Item number."),
});
export type PutWallCancellation = Static<typeof putWallCancellationSchema>;

const cancelledLineSchema = record("CancelledLine", {
  requestId: optional(wholeNumber("Platform-internal ID of the request line.")),
  itemNumber: optional(text("Item number.")),
  requestedAmountInBaseUnitOfMeasure: optional(amount("Requested amount, base unit.")),
  completedAmountInBaseUnitOfMeasure: optional(amount("Completed amount, base unit.")),
  isCancelled: optional(flag("Whether the line is cancelled.")),
  type: optional(enumNumber(RequestType, "Request type.")),
});

export const lineCancellationSchema = atLeastOne(
  record("LineCancellation", {
    workOrderNumber: filledText("Work order number."),
    workOrderTypeName: optional(text("Work order type.")),
    workOrderExternalIdentifier: optional(text("External work order ID.")),
    workOrderExternalData: optional(text("Customer-specific data, a JSON string.")),
    requestExternalIdentifier: optional(text("External ID of the line.")),
    userEmail: optional(text("Operator.")),
    request: optional(cancelledLineSchema),
  }),
  ["request", "requestExternalIdentifier"],
);
export type LineCancellation = Static<typeof lineCancellationSchema>;

const relocatedLineSchema = record("RelocatedLine", {
  itemNumber: optional(text("Item number.")),
  requestedAmount: optional(amount("Requested amount.")),
  completedAmount: optional(amount("Completed amount.")),
});

export const relocationSchema = record("Relocation", {
  containerCode: filledText("Container that was moved."),
  destinationLocationName: filledText("Location it was moved to."),
  workOrder: record("RelocatedWorkOrder", {
    number: filledText("Work order number."),
    requests: optional(list(relocatedLineSchema, "What was picked into the container.")),
  }),
});
export type Relocation = Static<typeof relocationSchema>;

export const attachmentSchema = record("Attachment", {
  workOrderNumber: filledText("Work order number."),
  containerCode: filledText("Container code."),
  isAbandonedOrCancelled: optional(flag("True releases the order from the container.")),
});
export type Attachment = Static<typeof attachmentSchema>;

export const statusChangeSchema = record("StatusChange", {
  number: filledText("Work order number."),
  status: enumNumber(WorkOrderStatus, "New work order status."),
});
export type StatusChange = Static<typeof statusChangeSchema>;
