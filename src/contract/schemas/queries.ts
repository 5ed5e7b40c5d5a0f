import { type Static, Type } from "typebox";
import { FileType } from "../enums.ts";
import { limits } from "../limits.ts";
import {
  amount,
  dateTime,
  filledIdentifier,
  identifier,
  list,
  longText,
  mapOf,
  optional,
  record,
  text,
  wholeNumber,
} from "./parts.ts";

/** Inputs and answers of the platform's queries, except orders and items themselves. */

export const codeQuerySchema = record("CodeQuery", {
  Code: identifier("Scanned code."),
  StorageName: optional(identifier("Storage where the scan happened.")),
});

export const putWallCodeSchema = record("PutWallCode", { code: filledIdentifier("Scanned batch or tote code.") });
export const itemNumberSchema = record("ItemNumber", { number: filledIdentifier("Item number.") });

export const fileUploadSchema = record("FileUpload", {
  fileContent: longText("Base64 of the raw file bytes."),
  // Any whole number is accepted: an unknown kind is an unsupported file, not invalid input.
  fileType: wholeNumber(`Kind of file: ${FileType.Json} JSON, ${FileType.Csv} CSV.`),
});
export type FileUpload = Static<typeof fileUploadSchema>;

export const imageSchema = longText("Image bytes as plain Base64.");

export const reportRequestSchema = record("ReportRequest", {
  workOrdersNumbers: list(identifier("Work order number."), "Work orders to report on.", limits.ordersPerReport),
  storageId: identifier("Storage."),
  remainingRequests: mapOf(
    amount("Remaining amount."),
    "Item number to remaining unfulfilled amount.",
    limits.itemsPerReport,
  ),
});
export type ReportRequest = Static<typeof reportRequestSchema>;

export const reportSchema = record("Report", {
  missingQuantities: mapOf(amount("Missing quantity."), "Item number to missing quantity."),
  placements: list(
    record("Placement", {
      itemNumber: identifier("Item number."),
      locationName: identifier("Location."),
      amount: amount("Amount placed there."),
    }),
    "What was placed where.",
  ),
});
export type Report = Static<typeof reportSchema>;

export const exportColumnSchema = record("ExportColumn", {
  key: identifier("Stable column identifier."),
  header: text("Column heading, used verbatim."),
});
export type ExportColumn = Static<typeof exportColumnSchema>;

const exported = (description: string) => Type.String({ description, maxLength: limits.exportedDataLength });

export const exportRowSchema = record("ExportRow", {
  workOrderNumber: identifier("Work order number."),
  externalData: optional(exported("The work order's externalData as received.")),
  deliveryNoteExternalData: optional(exported("Customer-specific data of the delivery note.")),
  deliveryAddressExternalData: optional(exported("Customer-specific data of the delivery note's address.")),
});
export type ExportRow = Static<typeof exportRowSchema>;

export const exportValuesSchema = record("ExportValues", {
  workOrderNumber: identifier("Work order the values belong to."),
  values: mapOf(longText("Cell value."), "Column key to cell value; a missing key means an empty cell."),
});
export type ExportValues = Static<typeof exportValuesSchema>;

export const indexableValueLabelSchema = record("IndexableValueLabel", {
  label: text("Column heading; empty hides the column."),
});

export const versionInfoSchema = record("AdapterVersionInfo", {
  version: optional(text("Application version, Major.Minor.Patch.")),
  title: optional(text("Application title.")),
  buildDateTime: dateTime("Build timestamp of the deployed adapter."),
});
export type VersionInfo = Static<typeof versionInfoSchema>;
