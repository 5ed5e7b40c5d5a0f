import type { Static } from "typebox";
import { UnitOfMeasure } from "../enums.ts";
import { amount, enumNumber, flag, identifier, optional, record, text } from "./parts.ts";

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
