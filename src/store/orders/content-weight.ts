import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { oncePer } from "../../kit/recent-values.ts";

/** So many characters take about as much memory as a parsed line without long texts. */
const charactersPerLine = 1_000;

/** The lengths of JSON texts of orders that were written as text anyway: adding up all members takes as long as that. */
const writtenLengths = new WeakMap<WorkOrder, number>();

/** Writes an order as JSON, and notes how long it is. */
export function orderText(workOrder: WorkOrder): string {
  const text = JSON.stringify(workOrder);
  writtenLengths.set(workOrder, text.length);
  return text;
}

/**
 * Estimates the memory of a parsed order, in lines. Its texts count too: an order of one line may bring hundreds of
 * kilobytes of external data, and thousands of such orders would fill the memory.
 */
export const contentWeight = oncePer(
  (workOrder: WorkOrder): number =>
    1 +
    workOrder.requests.length +
    Math.floor((writtenLengths.get(workOrder) ?? textLength(workOrder)) / charactersPerLine),
);

function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  // The members of parsed JSON.
  const members = value as Readonly<Record<string, unknown>>;
  let length = 0;
  // A list of the members for each of ten thousand lines would take as long as parsing them.
  for (const name in members) length += textLength(members[name]);
  return length;
}
