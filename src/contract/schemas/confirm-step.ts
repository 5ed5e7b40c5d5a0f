import { type Static, Type } from "typebox";
import { RequestType, UnitOfMeasure } from "../enums.ts";
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
  wholeNumber,
} from "./parts.ts";
import { localizedItemNameSchema } from "./work-order.ts";

export const updatedLineSchema = record("UpdatedLine", {
  requestId: optional(platformId("Platform-internal ID of the request line.")),
  itemNumber: optional(identifier("Item number.")),
  itemName: optional(text("Item name.")),
  itemUnitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure.")),
  requestedAmount: optional(amount("Requested amount in the base unit; a lower one reduces the line.")),
  isCancelled: optional(flag("True cancels the line.")),
  // The contract gives no type. The id is echoed and never read, so both types are accepted.
  designatedLocationId: Type.Optional(
    Type.Unsafe<number | string | null>({
      type: ["integer", "string", "null"],
      maxLength: limits.identifierLength,
      description: "Platform-internal ID of the designated location.",
    }),
  ),
  lotNumber: optional(identifier("Lot or batch number.")),
  type: optional(enumNumber(RequestType, "Request type.")),
  order: optional(wholeNumber("Processing sequence of the line.")),
  externalIdentifier: optional(identifier("External ID of the line.")),
  externalData: optional(externalText("Customer-specific data, a JSON string.")),
});
export type UpdatedLine = Static<typeof updatedLineSchema>;

export const updateWorkOrderRequestSchema = record("UpdateWorkOrderRequest", {
  id: optional(platformId("Platform-internal work order ID, taken from the request.")),
  description: optional(text("Updated description.")),
  // Plain texts, not date-times: the model is echoed as received, and a date format of the platform must not stop the
  // floor.
  dueDate: optional(text("Updated due date, a date-time.")),
  customerRequiredDeliveryDate: optional(text("Updated customer delivery date, a date-time.")),
  itemRequests: optional(list(updatedLineSchema, "Updated lines.", limits.linesPerOrder)),
});
export type UpdateWorkOrderRequest = Static<typeof updateWorkOrderRequestSchema>;

const containerShareSchema = record("ContainerShare", {
  containerCode: optional(identifier("Container; null stands for a virtual container.")),
  amountToConfirmInBaseUnitOfMeasure: optional(confirmedAmount("Amount picked into this container, base unit.")),
  itemUnitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure.")),
});

const pickingSummarySchema = record("PickingSummary", {
  locationName: optional(identifier("Location picked from.")),
  containersBreakdown: optional(
    list(containerShareSchema, "One entry per container the pick was distributed into.", limits.containersPerPick),
  ),
});
export type PickingSummary = Static<typeof pickingSummarySchema>;

/** What single and cart steps have in common. Only the identity is required: see docs/behaviour, "identity only". */
const sharedMembers = {
  storageName: optional(identifier("Storage where the step happened.")),
  userEmail: optional(text("Operator who confirmed.")),
  workOrderNumber: filledIdentifier("Work order number."),
  workOrderExternalIdentifier: optional(identifier("External work order ID.")),
  workOrderExternalData: optional(externalText("Customer-specific data, a JSON string.")),
  workOrderDescription: optional(text("Work order description.")),
  alternativeStartNumber: optional(identifier("Alternative start code.")),
  workOrderTypeName: optional(text("Work order type.")),
  requestId: platformId("Platform-internal ID of the request line."),
  requestType: optional(enumNumber(RequestType, "Request type.")),
  requestExternalIdentifier: optional(identifier("External ID of the line.")),
  requestRemainingAmountInBaseUnitOfMeasure: optional(amount("Remaining amount in base unit; fractions are accepted.")),
  requestAmountInBaseUnitOfMeasure: optional(amount("Requested amount in base unit; fractions are accepted.")),
  updateWorkOrderRequest: optional(updateWorkOrderRequestSchema),
  itemNumber: optional(identifier("Item number.")),
  itemNames: optional(list(localizedItemNameSchema, "Localized item names.", limits.namesPerItem)),
  itemUnitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure.")),
};

export const confirmStepSchema = atLeastOne(
  record("ConfirmStep", {
    ...sharedMembers,
    amountToConfirmPickingSummary: optional(pickingSummarySchema),
    amountToConfirmPlacingInBaseUnitOfMeasure: optional(
      confirmedAmount("Amount confirmed for a placing step, base unit; fractions are accepted."),
    ),
  }),
  ["amountToConfirmPickingSummary", "amountToConfirmPlacingInBaseUnitOfMeasure"],
);
export type ConfirmStep = Static<typeof confirmStepSchema>;

export const confirmCartStepSchema = record("ConfirmCartStep", {
  ...sharedMembers,
  amountToConfirmSummary: pickingSummarySchema,
});
export type ConfirmCartStep = Static<typeof confirmCartStepSchema>;

export const confirmStepAnswerSchema = record("ConfirmStepAnswer", {
  updateWorkOrderRequest: optional(updateWorkOrderRequestSchema),
});
export type ConfirmStepAnswer = Static<typeof confirmStepAnswerSchema>;
