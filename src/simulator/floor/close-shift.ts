import type { Books } from "../books/books.ts";
import { compareReport, expectedReport } from "../books/compare-report.ts";
import type { Caller } from "../calls/open-caller.ts";
import type { Tally } from "../calls/tally.ts";
import type { RunningOrder } from "../orders/running-order.ts";
import { pieces } from "./open-shift.ts";

interface Closing {
  readonly office: Caller;
  readonly books: Books;
  readonly tally: Tally;
  readonly storage: string;
  readonly worked: readonly RunningOrder[];
}

/** Asked together; where they differ, each order is asked for alone to find the one. */
const ordersPerReport = 100;

/** The export of the day and the reports on everything that was told. Returns how many orders were compared. */
export async function closeShift({ office, books, tally, storage, worked }: Closing): Promise<number> {
  const rows = worked.map(({ order }) => ({
    workOrderNumber: order.number,
    externalData: order.externalData ?? null,
    deliveryNoteExternalData: null,
    deliveryAddressExternalData: null,
  }));
  await office.call("getExportValues", rows, { orders: [], what: `${rows.length} orders` });

  const report = async (numbers: readonly string[]) => {
    const input = { workOrdersNumbers: [...numbers], storageId: storage, remainingRequests: {} };
    const answer = await office.call("getReport", input, { orders: numbers, what: `of ${numbers.length}` });
    const placements = answer.data?.placements ?? [];
    return answer.result === "AdapterNotDefined"
      ? null
      : compareReport(expectedReport(books, numbers), { placements }, { books, numbers });
  };

  const told = [...books.orders.values()]
    .filter((book) => book.told.size > 0)
    .map(({ number }) => number)
    .toSorted();
  for (const numbers of pieces(told, ordersPerReport)) {
    const differences = await report(numbers);
    if (differences === null) return 0;
    if (differences.length === 0) continue;
    for (const number of numbers) for (const finding of (await report([number])) ?? []) tally.note(finding);
  }
  return told.length;
}
