import { type OperationId, operationIds, operationRow, type TellId } from "../../contract/operations.ts";
import type { PickingSummary } from "../../contract/schemas/confirm-step.ts";
import { add, placeKey } from "./books.ts";

/** A line of the adapter's journal export; what is not named here is not looked at. */
export interface JournalLine {
  readonly seq: number;
  readonly direction: string;
  readonly topic: string;
  readonly orders: readonly string[];
  readonly answer: { readonly isSuccess: boolean } | null;
  readonly body: string;
  readonly state: string;
}

/** What the adapter's journal has about one order. */
export interface JournalBook {
  readonly told: Map<TellId, number>;
  readonly placed: Map<string, number>;
  readonly seqs: number[];
}

interface Told {
  readonly itemNumber?: string | null;
  readonly completedAmount?: number | null;
  readonly confirmedLocationName?: string | null;
  readonly amountToConfirmPickingSummary?: PickingSummary | null;
  readonly amountToConfirmSummary?: PickingSummary | null;
}

const tells: ReadonlySet<string> = new Set(operationIds.filter((id) => operationRow(id).kind === "tell"));
const isTell = (topic: string): topic is TellId & OperationId => tells.has(topic);

/** Adds a line of the journal to the books of the orders it is about, if it is an event that was taken. */
export function bookLine(books: Map<string, JournalBook>, line: JournalLine, isOurs: (order: string) => boolean): void {
  if (line.direction !== "out" || !isTell(line.topic) || !wasTaken(line)) return;
  for (const order of new Set(line.orders)) {
    if (!isOurs(order)) continue;
    let book = books.get(order);
    if (book === undefined) {
      book = { told: new Map(), placed: new Map(), seqs: [] };
      books.set(order, book);
    }
    add(book.told, line.topic, 1);
    book.seqs.push(line.seq);
    for (const [key, amount] of placedBy(line)) add(book.placed, key, amount);
  }
}

/** Where the external system itself agreed while the platform waited, the answer was its, and the journal keeps none. */
export const wasTaken = ({ answer, state }: JournalLine) =>
  answer === null ? state === "delivered" : answer.isSuccess;

/** Placing steps are left out: their place is not in the event but in the order. */
function placedBy({ topic, body }: JournalLine): [string, number][] {
  // Ours, word for word; it was sent by this very program.
  const told = JSON.parse(body) as Told;
  const item = told.itemNumber ?? "";
  if (topic === "confirmPutWallPlacement") {
    return [[placeKey(item, told.confirmedLocationName ?? ""), told.completedAmount ?? 0]];
  }
  const summary = told.amountToConfirmPickingSummary ?? told.amountToConfirmSummary;
  return (summary?.containersBreakdown ?? []).map((share) => [
    placeKey(item, summary?.locationName ?? ""),
    share.amountToConfirmInBaseUnitOfMeasure ?? 0,
  ]);
}
