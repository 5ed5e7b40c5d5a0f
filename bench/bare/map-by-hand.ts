import { RequestType, UnitOfMeasure } from "../../src/contract/enums.ts";
import { readDateTime } from "../../src/operation/dates.ts";
import type { MapResult, MapSettings } from "../clients/map-orders.ts";
import { type ErpLine, type ErpOrder, erpDates, erpOrder, factors, kinds } from "../data/erp-orders.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

/**
 * Makes the same orders from the same records with hand-written code for this one ERP, including all conversions and
 * checks.
 */
const { orders, lines } = childSettings<MapSettings>();

await serveJobs(() => {
  const records = Array.from({ length: orders }, (_, index) => erpOrder(index, lines));
  return {
    run: (): MapResult => {
      const startedAt = performance.now();
      const mapped = records.map(orderOf);
      return { ms: performance.now() - startedAt, sample: JSON.stringify(mapped.slice(0, 20)) };
    },
  };
});

function orderOf(record: ErpOrder) {
  const dueDate = readDateTime(record.DueDate, erpDates);
  if (dueDate === null) throw new Error(`${record.DocNum}: ${record.DueDate} is no date`);
  const workOrderTypeName = lookup(kinds, record.Kind);
  if (workOrderTypeName === undefined) throw new Error(`${record.DocNum}: ${record.Kind} is no kind`);
  return {
    number: record.DocNum,
    externalIdentifier: String(record.DocEntry),
    description: record.Remarks ?? record.Customer.Name,
    dueDate,
    workOrderTypeName,
    deliveryNumber: record.Delivery.Number,
    externalData: { customer: record.Customer.Code },
    requests: record.Lines.map((line) => lineOf(line, record)),
  };
}

function lineOf(line: ErpLine, record: ErpOrder) {
  const factor = lookup(factors, line.UomCode);
  if (factor === undefined) throw new Error(`${record.DocNum}: ${line.UomCode} has no factor`);
  const requestedAmount = Number(line.Quantity) * factor;
  if (!Number.isSafeInteger(requestedAmount)) throw new Error(`${record.DocNum}: ${line.Quantity} is not whole`);
  return {
    itemNumber: line.ItemCode,
    itemName: line.Dscription,
    requestedAmount,
    unitOfMeasure: UnitOfMeasure.Piece,
    ...(line.Batch === null ? {} : { lotNumber: line.Batch.Number }),
    requestExternalIdentifier: `${record.DocEntry}-${line.LineNum}`,
    requestType: RequestType.PickItem,
    order: line.LineNum,
  };
}

const lookup = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined => table[key];
