import { operations } from "../../src/contract/operations.ts";
import { pushRow } from "../../src/contract/pushes.ts";
import { benchKey } from "../data/bench-key.ts";
import { confirmStep, stepLines } from "../data/confirm-step.ts";
import { order, orderNumber } from "../data/orders.ts";
import { placement, placementsPerOrder } from "../data/placement.ts";

/** Returns the requests of one connection one after the other; undefined when there are none left. */
export type Requests = (connection: number, turn: number) => Buffer | undefined;

export type Workload =
  /** Scans of a thousand different orders, over and over. */
  | { readonly kind: "scan"; readonly orders: number }
  /** Each connection is an operator who picks one order after another, line by line. No confirmation is repeated. */
  | { readonly kind: "step"; readonly firstOrder: number; readonly ordersPerConnection: number }
  /** Each connection pushes orders one by one, each of them new. */
  | { readonly kind: "push"; readonly firstOrder: number; readonly ordersPerConnection: number }
  /** Each connection sends put-wall events of one order after another. */
  | { readonly kind: "placement"; readonly firstOrder: number; readonly ordersPerConnection: number };

const scannedCodes = 1000;

/** Prepares all bytes beforehand: making them during the measurement would take processor time from the server. */
export function requestsOf(workload: Workload, connections: number, host: string): Requests {
  if (workload.kind === "scan") {
    const distance = Math.floor(workload.orders / scannedCodes);
    const ready = Array.from({ length: scannedCodes }, (_, index) => scanRequest(index * distance, host));
    return (connection, turn) => ready[(connection * 17 + turn) % scannedCodes];
  }
  const { firstOrder, ordersPerConnection } = workload;
  const [eventsPerOrder, requestOf] = events[workload.kind];
  const ready = Array.from({ length: connections }, (_, connection) =>
    Array.from({ length: ordersPerConnection * eventsPerOrder }, (_, turn) => {
      const order = firstOrder + Math.floor(turn / eventsPerOrder) * connections + connection;
      return requestOf(order, turn % eventsPerOrder, host);
    }),
  );
  return (connection, turn) => ready[connection]?.[turn];
}

const events = {
  step: [stepLines, (index: number, line: number, host: string) => stepRequest(index, line, host)],
  placement: [placementsPerOrder, (index: number, turn: number, host: string) => placementRequest(index, turn, host)],
  push: [1, (index: number, _turn: number, host: string) => pushRequest(index, host)],
} as const;

/** An order of five lines, like the orders of the stores. */
function pushRequest(index: number, host: string): Buffer {
  const { path } = pushRow("workOrders");
  return eventRequest({ method: "POST", path }, order(index, 5), host, `X-Api-Key: ${benchKey}\r\n`);
}

/** A scan in the storage that orders with an even number belong to. */
function scanRequest(index: number, host: string): Buffer {
  const { method, path } = operations.findWorkOrderByCode;
  return Buffer.from(
    `${method} ${path}?Code=${orderNumber(index)}&StorageName=Main HTTP/1.1\r\nHost: ${host}\r\n` +
      "Accept: application/json\r\nAccept-Language: de-DE,de;q=0.9,en;q=0.8\r\n\r\n",
  );
}

const stepRequest = (index: number, line: number, host: string): Buffer =>
  eventRequest(operations.confirmStep, confirmStep(index, line), host);

export const placementRequest = (index: number, turn: number, host: string): Buffer =>
  eventRequest(operations.confirmPutWallPlacement, placement(index, turn), host);

function eventRequest(
  { method, path }: { method: string; path: string },
  event: unknown,
  host: string,
  more = "",
): Buffer {
  const body = JSON.stringify(event);
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nAccept-Language: de-DE,de;q=0.9\r\n${more}` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
