import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CsvFiles, CsvResult } from "../csv.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

type Row = Record<string, string>;
interface Dsv {
  readonly parse: (text: string, row: (row: Row) => null) => unknown;
}
// The package has no types. Only this function is used.
const { dsvFormat } = createRequire(import.meta.url)("d3-dsv") as { dsvFormat: (delimiter: string) => Dsv };

interface Order {
  readonly requests: unknown[];
}

/** Reads the same orders from the same bytes with d3-dsv, without our checks. */
const { file, smallFile } = childSettings<CsvFiles>();

await serveJobs(() => ({
  run: (): CsvResult => {
    ordersOf(readFileSync(smallFile));
    const bytes = readFileSync(file);
    const startedAt = performance.now();
    const orders = ordersOf(bytes);
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, orders: orders.length, peakMb: process.resourceUsage().maxRSS / 1024 };
  },
}));

function ordersOf(bytes: Buffer): Order[] {
  const orders = new Map<string, Order>();
  dsvFormat(";").parse(bytes.toString("utf8"), (row) => {
    const { number = "" } = row;
    let order = orders.get(number);
    if (order === undefined) {
      order = orderOf(row);
      orders.set(number, order);
    }
    order.requests.push(lineOf(row, order.requests.length + 1));
    return null;
  });
  return [...orders.values()];
}

function orderOf(row: Row): Order & Record<string, unknown> {
  return {
    number: row["number"],
    externalIdentifier: row["externalIdentifier"],
    description: row["description"],
    dueDate: new Date(row["dueDate"] ?? "").toISOString(),
    workOrderTypeName: row["workOrderTypeName"],
    designatedStorageName: row["designatedStorageName"],
    deliveryNumber: row["deliveryNumber"],
    requests: [],
  };
}

function lineOf(row: Row, order: number) {
  const requestedAmount = Number(row["requestedAmount"]);
  if (!Number.isInteger(requestedAmount)) throw new Error("no whole number");
  return {
    itemNumber: row["itemNumber"],
    itemName: row["itemName"],
    requestedAmount,
    unitOfMeasure: Number(row["unitOfMeasure"]),
    lotNumber: row["lotNumber"],
    requestExternalIdentifier: row["requestExternalIdentifier"],
    requestType: 1,
    order,
  };
}
