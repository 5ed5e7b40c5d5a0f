import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import { isLeftOut } from "../model/left-out.ts";
import type { Stage } from "../sequences/run-sequence.ts";
import type { LineSpec } from "./commands.ts";

export const indexIn = (count: number, index: number): number => index % Math.max(1, count);

export const orderNumber = (stage: Stage, order: number): string =>
  `${stage.prefix}${indexIn(stage.orders.length, order) + 1}`;

/** The content that the external system pushes. An amount of 0 leaves the line out; one line has to stay. */
export function pushedOrder(stage: Stage, order: number, amounts: readonly number[]): WorkOrder {
  const lines = stage.orders[indexIn(stage.orders.length, order)] ?? [];
  const isNothing = lines.every((_, index) => (amounts[index] ?? 0) === 0);
  const requests = lines.flatMap((line, index) => {
    const amount = isNothing && index === 0 ? 1 : (amounts[index] ?? 0);
    return amount === 0 ? [] : [requestLine(stage, line, index, amount)];
  });
  return { number: orderNumber(stage, order), dueDate: "2026-03-01T08:00:00Z", requests };
}

const requestLine = (stage: Stage, line: LineSpec, index: number, requestedAmount: number) => ({
  itemNumber: stage.itemName(line.item),
  requestedAmount,
  unitOfMeasure: line.item === 2 ? (1 as const) : (0 as const),
  requestType: 1 as const,
  order: index + 1,
  ...(line.hasExternalId || isLeftOut("mixed-lines") ? { requestExternalIdentifier: `L${index + 1}` } : {}),
  ...(line.lot > 0 ? { lotNumber: `lot${line.lot}` } : {}),
});
