import type { Books } from "../books/books.ts";
import { compareJournal, compareReport, expectedReport, readJournal, untilWhole } from "../books/compare-journal.ts";
import type { Tally } from "../calls/call-tally.ts";
import type { Caller } from "../calls/open-caller.ts";
import type { Family } from "../changes/order-family.ts";
import { openReceiptBook } from "../changes/receipt-book.ts";
import type { RunningOrder } from "../orders/running-order.ts";
import { pieces } from "./open-shift.ts";

interface Closing {
  readonly office: Caller;
  readonly books: Books;
  readonly tally: Tally;
  readonly storage: string;
  readonly worked: readonly RunningOrder[];
}

/** Queried together; if they differ, each order is queried alone to find the one. */
const ordersPerReport = 100;

/** The day's export and the reports on all orders. Returns the number of compared orders. */
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
    .filter((book) => book.events.size > 0)
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

/** The clocks of two machines differ; orders of this run are recognised by their numbers. */
const clockMarginMs = 600_000;

/** Compares with the adapter's own journal, and its receipts with the outcome. Null if it has no journal. */
export async function compareInside(needs: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly books: Books;
  readonly tally: Tally;
  readonly since: Date;
  readonly families: ReadonlyMap<string, Family>;
}): Promise<number | null> {
  const { baseUrl, books, tally, since, families } = needs;
  const journal = await untilWhole(baseUrl, async () => {
    const lines = await readJournal(needs, new Date(since.getTime() - clockMarginMs));
    if (lines === null) return null;
    const receipts = openReceiptBook(families);
    const { compared, findings } = await compareJournal(books, lines, receipts.read);
    return { compared, findings: [...findings, ...receipts.findings()] };
  });
  if (journal === null) return null;
  for (const finding of journal.findings) tally.note(finding);
  return journal.compared;
}
