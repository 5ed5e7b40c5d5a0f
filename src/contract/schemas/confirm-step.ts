import type { Static } from "typebox";
import { RequestType, UnitOfMeasure } from "../enums.ts";
import { limits } from "../limits.ts";
import {
  amount,
  atLeastOne,
  confirmedAmount,
  enumNumber,
  externalText,
  filledIdentifier,
  identifier,
  list,
  optional,
  platformId,
  record,
  text,
} from "./parts.ts";
import { updateWorkOrderRequestSchema } from "./update-work-order.ts";
import { localizedItemNameSchema } from "./work-order.ts";

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
