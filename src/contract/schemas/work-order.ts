import type { Static } from "typebox";
import { RequestType, UnitOfMeasure } from "../enums.ts";
import { limits } from "../limits.ts";
import {
  amount,
  dateTime,
  enumNumber,
  externalText,
  flag,
  identifier,
  list,
  optional,
  record,
  text,
  wholeNumber,
} from "./parts.ts";

export const itemSchema = record("Item", {
  number: identifier("Item number (business key)."),
  name: optional(text("Item name.")),
  description: optional(text("Item description.")),
  languageIsoCode: optional(identifier("Language of name and description.")),
  minimumStockQuantity: optional(amount("Minimum stock level.")),
  weight: optional(amount("Weight.")),
  height: optional(amount("Height.")),
  width: optional(amount("Width.")),
  length: optional(amount("Length.")),
  volume: optional(amount("Volume.")),
  manufacturer: optional(text("Manufacturer name.")),
  unitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure; 0 (Piece) by default.")),
  externalIdentifier: optional(identifier("External system's item ID.")),
});
export type Item = Static<typeof itemSchema>;

export const localizedItemNameSchema = record("LocalizedItemName", {
  languageIsoCode: optional(identifier("Language of the name.")),
  name: optional(text("Name in that language.")),
  isDefault: optional(flag("Whether this is the default name.")),
});
export type LocalizedItemName = Static<typeof localizedItemNameSchema>;

export const requestLineSchema = record("RequestLine", {
  itemNumber: identifier("Item to pick or place."),
  itemName: optional(text("Item display name.")),
  itemDescription: optional(text("Item description.")),
  languageIsoCode: optional(identifier("Language of name and description.")),
  requestedAmount: wholeNumber("Amount in the item's unit of measure."),
  unitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure; 0 (Piece) by default.")),
  lotNumber: optional(identifier("Lot or batch number.")),
  itemExternalIdentifier: optional(identifier("External item ID.")),
  requestExternalIdentifier: optional(identifier("External request-line ID.")),
  requestExternalData: optional(externalText("Customer-specific data, a JSON string.")),
  requestType: optional(enumNumber(RequestType, "What to do with the item.")),
  order: optional(wholeNumber("Processing sequence of the line.")),
  designatedLocationName: optional(identifier("Location the line is bound to.")),
});
export type RequestLine = Static<typeof requestLineSchema>;

export const workOrderSchema = record("WorkOrder", {
  number: identifier("Work order number (business key)."),
  externalIdentifier: optional(identifier("External system's ID.")),
  description: optional(text("Description.")),
  dueDate: dateTime("When the order is due."),
  customerRequiredDeliveryDate: optional(dateTime("Delivery date requested by the customer.")),
  requests: list(requestLineSchema, "The order's request lines.", limits.linesPerOrder),
  workOrderTypeName: optional(text("Work order type.")),
  designatedStorageName: optional(identifier("Storage the order is assigned to.")),
  deliveryNumber: optional(identifier("Delivery or shipment number.")),
  alternativeStartNumber: optional(identifier("Alternative scannable code that can start the order.")),
  externalData: optional(externalText("Customer-specific supplementary data, a JSON string.")),
});
export type WorkOrder = Static<typeof workOrderSchema>;
