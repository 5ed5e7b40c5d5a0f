import type { Static } from "typebox";
import { RequestType, UnitOfMeasure } from "../enums.ts";
import { dateTime, enumNumber, list, optional, record, text, wholeNumber } from "./parts.ts";

export const requestLineSchema = record("RequestLine", {
  itemNumber: text("Item to pick or place."),
  itemName: optional(text("Item display name.")),
  itemDescription: optional(text("Item description.")),
  languageIsoCode: optional(text("Language of name and description.")),
  requestedAmount: wholeNumber("Amount in the item's unit of measure."),
  unitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure; 0 (Piece) by default.")),
  lotNumber: optional(text("Lot or batch number.")),
  itemExternalIdentifier: optional(text("External item ID.")),
  requestExternalIdentifier: optional(text("External request-line ID.")),
  requestExternalData: optional(text("Customer-specific data, a JSON string.")),
  requestType: optional(enumNumber(RequestType, "What to do with the item.")),
  order: optional(wholeNumber("Processing sequence of the line.")),
  designatedLocationName: optional(text("Location the line is bound to.")),
});
export type RequestLine = Static<typeof requestLineSchema>;

export const workOrderSchema = record("WorkOrder", {
  number: text("Work order number (business key)."),
  externalIdentifier: optional(text("External system's ID.")),
  description: optional(text("Description.")),
  dueDate: dateTime("When the order is due."),
  customerRequiredDeliveryDate: optional(dateTime("Delivery date requested by the customer.")),
  requests: list(requestLineSchema, "The order's request lines."),
  workOrderTypeName: optional(text("Work order type.")),
  designatedStorageName: optional(text("Storage the order is assigned to.")),
  deliveryNumber: optional(text("Delivery or shipment number.")),
  alternativeStartNumber: optional(text("Alternative scannable code that can start the order.")),
  externalData: optional(text("Customer-specific supplementary data, a JSON string.")),
});
export type WorkOrder = Static<typeof workOrderSchema>;
