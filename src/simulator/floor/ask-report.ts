import { compareReport, expectedReport } from "../books/compare-report.ts";
import { openAmount, type RunningOrder } from "../orders/running-order.ts";
import type { Desk } from "./desk.ts";

/** The completion report, as the platform asks for it when orders are done; held against the books at once. */
export async function askReport(desk: Desk, orders: readonly RunningOrder[]): Promise<void> {
  if (desk.tally.notOffered.has("getReport")) return;
  const numbers = orders.map(({ order }) => order.number);
  const remainingRequests: Record<string, number> = {};
  for (const line of orders.flatMap(({ lines }) => lines)) {
    remainingRequests[line.itemNumber] = (remainingRequests[line.itemNumber] ?? 0) + openAmount(line);
  }
  const input = { workOrdersNumbers: numbers, storageId: desk.storage, remainingRequests };
  const answer = await desk.call("getReport", input, { orders: numbers, what: `of ${numbers.length}` });
  if (!answer.ok || answer.data === null) return;
  for (const finding of compareReport(expectedReport(desk.books, numbers), answer.data, {
    books: desk.books,
    numbers,
  })) {
    desk.tally.note(finding);
  }
}
