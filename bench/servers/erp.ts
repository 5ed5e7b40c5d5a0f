import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { operations } from "../../src/contract/operations.ts";
import { order, orderNumber } from "../data/orders.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

export interface ErpSettings {
  readonly orders: number;
  readonly lines: number;
  readonly pageSize: number;
}

/**
 * An ERP with a web API and its own names: one order by its code, and all orders page by page. The look-up has the same
 * path and headers as in the contract, so that one client can call both this ERP and the adapter.
 */
const { orders, lines, pageSize } = childSettings<ErpSettings>();
const changedAt = "2026-01-05T08:00:00Z";
const firstNumber = Number(orderNumber(0).slice(3));

await serveJobs(async () => {
  let wholeReads = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://erp");
    const page = Number(searchParams.get("page"));
    const code = searchParams.get("Code") ?? "";
    const isScan = pathname === operations.findWorkOrderByCode.path;
    const found = isScan ? [Number(code.slice(3)) - firstNumber] : pageOf(page);
    if (!isScan && found.length === 0) wholeReads++;
    const body = Buffer.from(JSON.stringify({ isResultSuccess: true, data: found.map(erpOrder) }));
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The address of a server on a port has this type.
  const { port } = server.address() as AddressInfo;
  return {
    ready: { url: `http://127.0.0.1:${port}` },
    // Any job returns how often the list was read completely.
    run: () => wholeReads,
    close: async () => void server.closeAllConnections(),
  };
});

function pageOf(page: number): number[] {
  const first = (page - 1) * pageSize;
  return Array.from({ length: Math.max(0, Math.min(pageSize, orders - first)) }, (_, index) => first + index);
}

function erpOrder(index: number) {
  const { number, dueDate, description, requests, designatedStorageName } = order(index, lines);
  return {
    DocNum: number,
    DueDate: dueDate,
    Customer: { Name: description },
    Store: designatedStorageName,
    ChangedAt: changedAt,
    Lines: requests.map((line) => ({
      Pos: line.order,
      Item: line.itemNumber,
      Text: line.itemName,
      Qty: line.requestedAmount,
      Batch: line.lotNumber,
    })),
  };
}
