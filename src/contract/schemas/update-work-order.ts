import { type Static, Type } from "typebox";
import { RequestType, UnitOfMeasure } from "../enums.ts";
import { limits } from "../limits.ts";
import {
  amount,
  enumNumber,
  externalText,
  flag,
  identifier,
  list,
  optional,
  platformId,
  record,
  text,
  wholeNumber,
} from "./parts.ts";

export const updatedLineSchema = record("UpdatedLine", {
  requestId: optional(platformId("Platform-internal ID of the request line.")),
  itemNumber: optional(identifier("Item number.")),
  itemName: optional(text("Item name.")),
  itemUnitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure.")),
  requestedAmount: optional(amount("Requested amount in the base unit; a lower one reduces the line.")),
  isCancelled: optional(flag("True cancels the line.")),
  // The contract gives no type; an id is echoed, never read, so both types are accepted.
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
  // Plain texts, not date-times: the model is echoed as received, and the platform's own
  // date format must not stop the floor.
  dueDate: optional(text("Updated due date, a date-time.")),
  customerRequiredDeliveryDate: optional(text("Updated customer delivery date, a date-time.")),
  itemRequests: optional(list(updatedLineSchema, "Updated lines.", limits.linesPerOrder)),
});
export type UpdateWorkOrderRequest = Static<typeof updateWorkOrderRequestSchema>;
