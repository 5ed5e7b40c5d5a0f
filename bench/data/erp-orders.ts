import { itemNumber, lineAmount, orderNumber } from "./orders.ts";

/** An order in the form of an ERP's interface: other names, other nesting, amounts and units as texts. */
export interface ErpOrder {
  readonly DocNum: string;
  readonly DocEntry: number;
  readonly Remarks: string | null;
  readonly DueDate: string;
  readonly Customer: { readonly Name: string; readonly Code: string };
  readonly Kind: string;
  readonly Delivery: { readonly Number: string };
  readonly Lines: readonly ErpLine[];
}

export interface ErpLine {
  readonly LineNum: number;
  readonly ItemCode: string;
  readonly Dscription: string;
  readonly Quantity: string;
  readonly UomCode: string;
  readonly Batch: { readonly Number: string } | null;
}

export const erpDates = { timeZone: "Europe/Berlin", timeOfDay: "08:00" };
export const kinds = { A: "Picking", B: "Replenishment" };
export const factors = { ST: 1, KAR: 12 };

export function erpOrder(index: number, lines: number): ErpOrder {
  return {
    DocNum: orderNumber(index),
    DocEntry: 7_000_000 + index,
    Remarks: index % 3 === 0 ? null : `Customer ${index % 900}, tour ${index % 37}`,
    DueDate: `2027-01-${String(1 + (index % 28)).padStart(2, "0")}T06:30:00`,
    Customer: { Name: `Customer ${index % 900}`, Code: `C${index % 900}` },
    Kind: index % 5 === 0 ? "B" : "A",
    Delivery: { Number: `DN-${300_000 + Math.floor(index / 4)}` },
    Lines: Array.from({ length: lines }, (_, line) => ({
      LineNum: line,
      ItemCode: itemNumber(index, line),
      Dscription: `Hexagon bolt M${4 + (line % 9)} × ${20 + line * 5}, zinc`,
      Quantity: `${lineAmount(index, line)}.000`,
      UomCode: line % 4 === 0 ? "KAR" : "ST",
      Batch: line % 2 === 0 ? { Number: `L${2600 + (index % 90)}` } : null,
    })),
  };
}

/** The mapping rules for these orders. */
export const erpMapping = {
  number: "DocNum",
  externalIdentifier: "DocEntry",
  description: { from: ["Remarks", "Customer.Name"] },
  dueDate: { from: "DueDate", date: true },
  workOrderTypeName: { from: "Kind", lookup: kinds },
  deliveryNumber: "Delivery.Number",
  externalData: { customer: "Customer.Code" },
  requests: {
    each: "Lines",
    map: {
      itemNumber: "ItemCode",
      itemName: "Dscription",
      requestedAmount: { from: "Quantity", unit: { from: "UomCode", factors } },
      unitOfMeasure: "Piece",
      lotNumber: "Batch.Number",
      requestExternalIdentifier: { join: ["^.DocEntry", "LineNum"], with: "-" },
      requestType: "PickItem",
      order: "LineNum",
    },
  },
};
