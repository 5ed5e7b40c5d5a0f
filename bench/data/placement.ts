import type { PutWallPlacement } from "../../src/contract/schemas/events.ts";
import { itemNumber, lineAmount, orderNumber } from "./orders.ts";

const lines = 5;
const perLine = 2;
export const placementsPerOrder = lines * perLine;

/** One put-wall event of an order. Each line is placed in two halves, and the last event finishes the order. */
export function placement(index: number, turn: number): PutWallPlacement {
  const line = turn % lines;
  return {
    workOrderNumber: orderNumber(index),
    itemNumber: itemNumber(index, line),
    completedAmount: lineAmount(index, line) / perLine,
    confirmedLocationName: `WALL-${index % 40}-${turn}`,
    userEmail: "operator.17@warehouse.example",
    externalData: `{"customer":{"name":"Customer ${index % 900}"},"tour":${index % 37}}`,
  };
}
