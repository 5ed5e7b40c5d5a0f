import { requestFor } from "../../../src/contract/derive/client.ts";
import { RequestType } from "../../../src/contract/enums.ts";
import { type EventId, type InputOf, operationRow } from "../../../src/contract/operations.ts";
import { type PushTopic, pushRow } from "../../../src/contract/pushes.ts";
import { secrets } from "../checks/leak-in.ts";

/**
 * Which events are sent. `mixed` includes those that wait for the external system. `pushes` are orders, their changes
 * and cancellations, sent by an external system. The service recognises a repeated push by its idempotency key, or by
 * its content.
 */
export type Mix = "mixed" | "placements" | "pushes" | "pushes without a key";

export const isPush = (mix: Mix): boolean => mix === "pushes" || mix === "pushes without a key";

/**
 * Whether identical bytes can be a new event. A push sent again is the same push; two identical pieces at the put wall
 * are two pieces.
 */
export const mayHappenAgain = (mix: Mix): boolean => mix === "placements";

export interface FloorEvent {
  readonly order: string;
  /** Counted from 0 within the order. Events are sent in this order, so they must arrive in this order. */
  readonly counter: number;
  readonly request: Buffer;
}

/**
 * The operator's address contains what the check needs, because it is in every event and reaches the receiver
 * unchanged.
 */
const operatorOf = (order: string, counter: number) => `${counter}.${order}@chaos.example`;

export function readMark(userEmail: unknown): { order: string; counter: number } | null {
  const found = /^(\d+)\.([^@]+)@/.exec(String(userEmail));
  return found === null ? null : { counter: Number(found[1]), order: found[2] ?? "" };
}

export function floorEvent(order: string, counter: number, mix: Mix): FloorEvent {
  if (mix === "pushes") return { order, counter, request: pushOf(order, counter, true) };
  if (mix === "pushes without a key") return { order, counter, request: pushOf(order, counter, false) };
  const event = mix === "placements" ? placement(order, counter) : mixed(order, counter);
  return { order, counter, request: bytesOf(event) };
}

type Event = { readonly [Id in EventId]: { readonly id: Id; readonly input: InputOf<Id> } }[EventId];

function mixed(order: string, counter: number): Event {
  if (counter === 0) return release(order, counter);
  return counter % 4 === 3 ? step(order, counter) : placement(order, counter);
}

const placement = (order: string, counter: number): Event => ({
  id: "confirmPutWallPlacement",
  input: {
    workOrderNumber: order,
    itemNumber: "A-1",
    completedAmount: 1,
    confirmedLocationName: `Wall ${counter % 7}`,
    userEmail: operatorOf(order, counter),
  },
});

const step = (order: string, counter: number): Event => ({
  id: "confirmStep",
  input: {
    workOrderNumber: order,
    requestId: counter,
    requestType: RequestType.PickItem,
    requestAmountInBaseUnitOfMeasure: 5,
    requestRemainingAmountInBaseUnitOfMeasure: 5,
    itemNumber: "A-1",
    amountToConfirmPickingSummary: {
      locationName: "L-1",
      containersBreakdown: [{ containerCode: "T-1", amountToConfirmInBaseUnitOfMeasure: 5 }],
    },
    userEmail: operatorOf(order, counter),
  },
});

/** A release instead of an attachment: it has two lanes too, but needs no order in the store. */
function release(order: string, counter: number): Event {
  const input = {
    workOrderNumber: order,
    containerCode: `CT-${order}`,
    isAbandonedOrCancelled: true,
    // The contract has no such member in this event. Unknown members are kept and passed on.
    userEmail: operatorOf(order, counter),
  };
  return { id: "attachWorkOrder", input };
}

function bytesOf({ id, input }: Event): Buffer {
  const { method, path, body = "" } = requestFor(operationRow(id), input);
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nAccept-Language: de-DE\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** The first push is an order. Further pushes alternate between cancelling a part of it and changing it. */
function pushOf(order: string, counter: number, hasKey: boolean): Buffer {
  const name = operatorOf(order, counter);
  // The schema of a push has no such member. Unknown members are kept and passed on.
  const mark = { userEmail: name };
  const key = hasKey ? `Idempotency-Key: ${name}\r\n` : "";
  const requests = [{ itemNumber: "A-1", requestedAmount: 1000 + counter, requestExternalIdentifier: "L-1" }];
  return counter % 2 === 0
    ? pushBytes("workOrders", key, { number: order, dueDate: "2030-01-31", requests, ...mark })
    : pushBytes("cancellations", key, {
        ...{ workOrderNumber: order, requestExternalIdentifier: "L-1", requestedAmount: 1000 - counter },
        ...mark,
      });
}

function pushBytes(topic: PushTopic, keyHeader: string, pushed: object): Buffer {
  const body = JSON.stringify(pushed);
  return Buffer.from(
    `POST ${pushRow(topic).path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nX-Api-Key: ${secrets.apiKey}\r\n` +
      `${keyHeader}Content-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
