import type { ExportRow } from "../../src/contract/schemas/queries.ts";
import { orderNumber } from "./orders.ts";

/** The columns of the measured export, one path into each text of a row. */
export const exportColumns = [
  { key: "customer", header: "Customer", value: "externalData.customer.name" },
  { key: "incoterm", header: "Incoterm", value: "deliveryNote.terms.incoterm" },
  { key: "region", header: "Region", value: "deliveryAddress.region" },
] as const;

function exportRow(index: number): ExportRow {
  return {
    workOrderNumber: orderNumber(index),
    externalData: JSON.stringify({ customer: { name: `Customer ${index % 900}`, group: "B2B" }, tour: index % 37 }),
    deliveryNoteExternalData: JSON.stringify({ terms: { incoterm: "DAP", days: 30 }, weight: 12.5 + (index % 7) }),
    deliveryAddressExternalData: JSON.stringify({ region: `Region ${index % 16}`, floor: index % 5, dock: "north" }),
  };
}

export const exportBody = (rows: number): string =>
  JSON.stringify(Array.from({ length: rows }, (_, index) => exportRow(index)));
