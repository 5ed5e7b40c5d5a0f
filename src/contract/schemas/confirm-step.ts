import type { Static } from "typebox";
import { RequestType, UnitOfMeasure } from "../enums.ts";
import { localizedItemNameSchema } from "./item.ts";
import { amount, atLeastOne, enumNumber, filledText, list, optional, record, text, wholeNumber } from "./parts.ts";
import { updateWorkOrderRequestSchema } from "./update-work-order.ts";

const containerShareSchema = record("ContainerShare", {
  containerCode: optional(text("Container; null stands for a virtual container.")),
  amountToConfirmInBaseUnitOfMeasure: optional(amount("Amount picked into this container, base unit.", { minimum: 0 })),
  itemUnitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure.")),
});

const pickingSummarySchema = record("PickingSummary", {
  locationName: optional(text("Location picked from.")),
  containersBreakdown: optional(list(containerShareSchema, "One entry per container the pick was distributed into.")),
});
export type PickingSummary = Static<typeof pickingSummarySchema>;

/** What single and cart steps have in common. Only identity is required: see docs/behaviour, "identity only". */
const sharedMembers = {
  storageName: optional(text("Storage where the step happened.")),
  userEmail: optional(text("Operator who confirmed.")),
  workOrderNumber: filledText("Work order number."),
  workOrderExternalIdentifier: optional(text("External work order ID.")),
  workOrderExternalData: optional(text("Customer-specific data, a JSON string.")),
  workOrderDescription: optional(text("Work order description.")),
  alternativeStartNumber: optional(text("Alternative start code.")),
  workOrderTypeName: optional(text("Work order type.")),
  requestId: wholeNumber("Platform-internal ID of the request line."),
  requestType: optional(enumNumber(RequestType, "Request type.")),
  requestExternalIdentifier: optional(text("External ID of the line.")),
  requestRemainingAmountInBaseUnitOfMeasure: optional(wholeNumber("Remaining amount in base unit.")),
  requestAmountInBaseUnitOfMeasure: optional(wholeNumber("Requested amount in base unit.")),
  updateWorkOrderRequest: optional(updateWorkOrderRequestSchema),
  itemNumber: optional(text("Item number.")),
  itemNames: optional(list(localizedItemNameSchema, "Localized item names.")),
  itemUnitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure.")),
};

export const confirmStepSchema = atLeastOne(
  record("ConfirmStep", {
    ...sharedMembers,
    amountToConfirmPickingSummary: optional(pickingSummarySchema),
    amountToConfirmPlacingInBaseUnitOfMeasure: optional(
      wholeNumber("Amount confirmed for a placing step, base unit.", { minimum: 0 }),
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
