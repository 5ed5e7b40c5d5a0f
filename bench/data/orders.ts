import { RequestType, UnitOfMeasure } from "../../src/contract/enums.ts";
import type { WorkOrder } from "../../src/contract/schemas/work-order.ts";

export const orderNumber = (index: number): string => `WO-${1_000_000 + index}`;
export const lineIdentifier = (index: number, line: number): string => `${1_000_000 + index}-${(line + 1) * 10}`;
export const itemNumber = (index: number, line: number): string => `ART-${10_000 + ((index * 7 + line * 131) % 5000)}`;
export const lineAmount = (index: number, line: number): number => 1 + ((index + line * 3) % 12);

/** An order of typical size, always the same for the same number. */
export function order(index: number, lines: number): WorkOrder {
  return {
    number: orderNumber(index),
    externalIdentifier: `ERP-${7_000_000 + index}`,
    description: `Customer ${index % 900}, tour ${index % 37}`,
    dueDate: new Date(Date.UTC(2027, 0, 1 + (index % 28), 6 + (index % 12))).toISOString(),
    requests: Array.from({ length: lines }, (_, line) => ({
      itemNumber: itemNumber(index, line),
      itemName: `Hexagon bolt M${4 + (line % 9)} × ${20 + line * 5}, zinc`,
      requestedAmount: lineAmount(index, line),
      unitOfMeasure: UnitOfMeasure.Piece,
      lotNumber: `L${2600 + (index % 90)}`,
      requestExternalIdentifier: lineIdentifier(index, line),
      requestType: RequestType.PickItem,
      order: line + 1,
    })),
    workOrderTypeName: "Picking",
    designatedStorageName: index % 2 === 0 ? "Main" : "North",
    deliveryNumber: `DN-${300_000 + Math.floor(index / 4)}`,
    alternativeStartNumber: `TOTE-${1_000_000 + index}`,
    externalData: `{"customer":{"name":"Customer ${index % 900}"},"tour":${index % 37}}`,
  };
}
