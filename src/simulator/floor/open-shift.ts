import { FileType } from "../../contract/enums.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { Caller } from "../calls/open-caller.ts";
import { type FloorItem, pushedItem } from "../orders/generate-items.ts";
import { type RunningOrder, runningOrder } from "../orders/running-order.ts";

interface Intake {
  readonly office: Caller;
  readonly items: readonly FloorItem[];
  /** Pushed as the external system's, where there is a key. */
  readonly pushed: readonly WorkOrder[];
  /** Uploaded as a file by somebody in the office. */
  readonly filed: readonly WorkOrder[];
  readonly onProgress: (text: string) => void;
  /** Before anybody has fetched anything. */
  readonly onPushed?: () => Promise<void>;
}

const perPush = 200;
const noOrder = (what: string) => ({ orders: [], what });

/** What the office does before the shift: orders by push, list and file, columns and label for the pages. */
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

export function* pieces<Element>(all: readonly Element[], size: number): Generator<readonly Element[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}
