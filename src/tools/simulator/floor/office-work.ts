import { FileType, RequestType } from "../../../contract/enums.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Random } from "../../../kit/ids.ts";
import type { Tally } from "../calls/call-tally.ts";
import type { Caller } from "../calls/open-caller.ts";
import { openReceiptBook } from "../changes/receipt-book.ts";
import type { OrderGroup } from "../changes/simulated-order-group.ts";
import { type FloorItem, pushedItem } from "../orders/generate-items.ts";
import { type RunningOrder, runningOrder } from "../orders/running-order.ts";
import { compareJournal, compareReport, expectedReport, readJournal, untilWhole } from "../records/compare-journal.ts";
import type { PlatformRecords } from "../records/platform-records.ts";

interface Intake {
  readonly office: Caller;
  readonly items: readonly FloorItem[];
  /** Orders that the external system pushes, if there is a key. */
  readonly pushed: readonly WorkOrder[];
  /** Orders that the office uploads as a file. */
  readonly filed: readonly WorkOrder[];
  readonly onProgress: (text: string) => void;
  /** Called before anything is fetched. */
  readonly onPushed?: () => Promise<void>;
}

const perPush = 200;
const noOrder = (what: string) => ({ orders: [], what });

/**
 * The office's work before the shift: brings in orders by push, list and file, and gets columns and label for the
 * pages.
 */
export async function openShift({
  office,
  items,
  pushed,
  filed,
  onProgress,
  onPushed,
}: Intake): Promise<RunningOrder[]> {
  await office.call("getStatus", undefined, noOrder("before the shift"));
  if (pushed.length > 0) {
    onProgress(`pushing ${items.length} items and ${pushed.length} orders`);
    for (const some of pieces(items, perPush))
      await office.push("items", some.map(pushedItem), noOrder(`${some.length}`));
    for (const some of pieces(pushed, perPush)) await office.push("workOrders", some, noOrder(`${some.length}`));
  }
  await onPushed?.();
  await office.call("getExportColumns", undefined, noOrder("for the export page"));
  await office.call("getIndexableValueLabel", undefined, noOrder("for the pages"));
  const listed = await office.call("listWorkOrders", undefined, noOrder("before the shift"));
  const uploaded = filed.length === 0 ? [] : await upload(office, items, filed);
  const orders = (listed.data ?? []).toSorted((a, b) => (a.number < b.number ? -1 : 1));
  return [
    ...orders.map((order, index) => runningOrder(order, index + 1, "list")),
    ...uploaded.map((order, index) => runningOrder(order, orders.length + index + 1, "file")),
  ];
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Orders as a JSON file, and their items as CSV with semicolons, as a spreadsheet writes it. */
async function upload(
  office: Caller,
  items: readonly FloorItem[],
  filed: readonly WorkOrder[],
): Promise<readonly WorkOrder[]> {
  const used = new Set(filed.flatMap(({ requests }) => requests.map(({ itemNumber }) => itemNumber)));
  const rows = items
    .filter(({ number }) => used.has(number))
    .map(({ number, name, unit }) => `${number};${name};${unit}`);
  const csv = ["number;name;unitOfMeasure", ...rows].join("\r\n");
  await office.call(
    "parseItemFile",
    { fileContent: base64(csv), fileType: FileType.Csv },
    noOrder(`${rows.length} items`),
  );
  const content = { fileContent: base64(JSON.stringify(filed)), fileType: FileType.Json };
  const answer = await office.call("parseWorkOrderFile", content, noOrder(`${filed.length} orders`));
  return answer.data ?? [];
}

function* pieces<Element>(all: readonly Element[], size: number): Generator<readonly Element[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

/** One job of an operator. */
export type Job =
  | { readonly kind: "single"; readonly orders: readonly [RunningOrder] }
  | { readonly kind: "cart"; readonly orders: readonly RunningOrder[] }
  | { readonly kind: "put wall"; readonly code: string; readonly orders: readonly RunningOrder[] };

const maxCartOrders = 5;
const estimatedMsPerLine = 35_000;
const estimatedMsPerJob = 60_000;

/**
 * Batches go to the put wall, put-aways are done one by one, and some of the other orders are picked together with a
 * cart.
 */
export function makeJobs(orders: readonly RunningOrder[], random: Random): Job[] {
  const batches = new Map<string, RunningOrder[]>();
  for (const running of orders) {
    const code = running.order.deliveryNumber ?? "";
    if (code !== "" && running.source === "list") batches.set(code, [...(batches.get(code) ?? []), running]);
  }
  const jobs: Job[] = [];
  let cart: RunningOrder[] = [];
  let cartSize = random.whole(2, maxCartOrders);
  for (const running of orders) {
    const code = running.order.deliveryNumber ?? "";
    const batch = batches.get(code) ?? [];
    if (batch.length > 1) {
      if (batch[0] === running) jobs.push({ kind: "put wall", code, orders: batch });
    } else if (running.lines.some(({ type }) => type === RequestType.PlaceItem) || random.chance(0.55)) {
      jobs.push({ kind: "single", orders: [running] });
    } else {
      cart.push(running);
      if (cart.length < cartSize) continue;
      jobs.push({ kind: "cart", orders: cart });
      cart = [];
      cartSize = random.whole(2, maxCartOrders);
    }
  }
  if (cart.length > 0) jobs.push({ kind: "cart", orders: cart });
  return jobs;
}

/**
 * Assigns jobs before the shift: the next job goes to the operator who would be free first if everything took the
 * expected time. If jobs were assigned during the shift, the speed of the adapter would decide, and the same seed would
 * not give the same calls.
 */
export function planShift(
  jobs: readonly Job[],
  { operators, shiftMs }: { readonly operators: number; readonly shiftMs: number },
): Job[][] {
  const crew = Array.from({ length: operators }, () => ({ freeAtMs: 0, jobs: [] as Job[] }));
  for (const job of jobs) {
    const next = crew.reduce((first, operator) => (operator.freeAtMs < first.freeAtMs ? operator : first));
    if (next.freeAtMs >= shiftMs) break;
    const lines = job.orders.reduce((sum, { lines }) => sum + lines.length, 0);
    next.freeAtMs += estimatedMsPerJob + lines * estimatedMsPerLine;
    next.jobs.push(job);
  }
  return crew.map(({ jobs }) => jobs);
}

interface Closing {
  readonly office: Caller;
  readonly records: PlatformRecords;
  readonly tally: Tally;
  readonly storage: string;
  readonly worked: readonly RunningOrder[];
}

/** These are queried together. If they differ, each order is queried alone to find the wrong one. */
const ordersPerReport = 100;

/** The day's export and the reports on all orders. Returns the number of compared orders. */
export async function closeShift({ office, records, tally, storage, worked }: Closing): Promise<number> {
  const rows = worked.map(({ order }) => ({
    workOrderNumber: order.number,
    externalData: order.externalData ?? null,
    deliveryNoteExternalData: null,
    deliveryAddressExternalData: null,
  }));
  await office.call("getExportValues", rows, { orders: [], what: `${rows.length} orders` });

  const report = async (numbers: readonly string[], isToExplain = false) => {
    const input = { workOrdersNumbers: [...numbers], storageId: storage, remainingRequests: {} };
    const about = { orders: numbers, what: `of ${numbers.length}`, isToExplain };
    const answer = await office.call("getReport", input, about);
    const placements = answer.data?.placements ?? [];
    return answer.result === "AdapterNotDefined"
      ? null
      : compareReport(expectedReport(records, numbers), { placements }, { records, numbers });
  };

  const reported = [...records.orders.values()]
    .filter((book) => book.events.size > 0)
    .map(({ number }) => number)
    .toSorted();
  for (const numbers of pieces(reported, ordersPerReport)) {
    const differences = await report(numbers);
    if (differences === null) return 0;
    if (differences.length === 0) continue;
    for (const number of numbers) for (const finding of (await report([number], true)) ?? []) tally.note(finding);
  }
  return reported.length;
}

/**
 * The clocks of two machines differ, so earlier lines are read too. Orders of this run are recognised by their numbers.
 */
const clockMarginMs = 600_000;

/**
 * Compares the records with the adapter's own journal, and its receipts with the outcome. Returns null if it has no
 * journal.
 */
export async function compareInside(needs: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly records: PlatformRecords;
  readonly tally: Tally;
  readonly since: Date;
  readonly orderGroups: ReadonlyMap<string, OrderGroup>;
}): Promise<number | null> {
  const { baseUrl, records, tally, since, orderGroups } = needs;
  const journal = await untilWhole(baseUrl, async () => {
    const lines = await readJournal(needs, new Date(since.getTime() - clockMarginMs));
    if (lines === null) return null;
    const receipts = openReceiptBook(orderGroups);
    const { compared, findings } = await compareJournal(records, lines, receipts.read);
    return { compared, findings: [...findings, ...receipts.findings()] };
  });
  if (journal === null) return null;
  for (const finding of journal.findings) tally.note(finding);
  return journal.compared;
}
