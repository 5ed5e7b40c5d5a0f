import { RequestType, UnitOfMeasure } from "../../src/contract/enums.ts";
import type { ConfirmStep } from "../../src/contract/schemas/confirm-step.ts";
import { itemNumber, lineAmount, lineIdentifier, orderNumber } from "./orders.ts";

export const stepLines = 5;

const requestId = (index: number, line: number) => 50_000_000 + index * stepLines + line;

/** A confirmation that picks a whole line, as the platform sends it: with the order's current update model. */
export function confirmStep(index: number, line: number): ConfirmStep {
  return {
    storageName: "Main",
    userEmail: "operator.17@warehouse.example",
    workOrderNumber: orderNumber(index),
    workOrderExternalIdentifier: `ERP-${7_000_000 + index}`,
    workOrderTypeName: "Picking",
    requestId: requestId(index, line),
    requestType: RequestType.PickItem,
    requestExternalIdentifier: lineIdentifier(index, line),
    requestRemainingAmountInBaseUnitOfMeasure: lineAmount(index, line),
    requestAmountInBaseUnitOfMeasure: lineAmount(index, line),
    updateWorkOrderRequest: {
      id: 9_000_000 + index,
      itemRequests: Array.from({ length: stepLines }, (_, other) => ({
        requestId: requestId(index, other),
        itemNumber: itemNumber(index, other),
        requestedAmount: lineAmount(index, other),
        isCancelled: false,
        type: RequestType.PickItem,
        externalIdentifier: lineIdentifier(index, other),
      })),
    },
    itemNumber: itemNumber(index, line),
    itemUnitOfMeasure: UnitOfMeasure.Piece,
    amountToConfirmPickingSummary: {
      locationName: `A-${index % 40}-${line}`,
      containersBreakdown: [
        { containerCode: `CART-${index % 64}`, amountToConfirmInBaseUnitOfMeasure: lineAmount(index, line) },
      ],
    },
  };
}
