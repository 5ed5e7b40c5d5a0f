import { requestFor } from "../../src/contract/derive/request-for.ts";
import { RequestType } from "../../src/contract/enums.ts";
import { type InputOf, operationRow, type TellId } from "../../src/contract/operations.ts";

/** Which events a floor sends: `mixed` has those that wait for the external system as well. */
export type Mix = "mixed" | "placements";

export interface FloorEvent {
  readonly order: string;
  /** Counted from 0 within the order; sent in this order, so it must arrive in this order. */
  readonly counter: number;
  readonly request: Buffer;
}

/** The operator's address carries what the check needs: it is in every event, and reaches the receiver untouched. */
const operatorOf = (order: string, counter: number) => `${counter}.${order}@chaos.example`;

export function readMark(userEmail: unknown): { order: string; counter: number } | null {
  const found = /^(\d+)\.([^@]+)@/.exec(String(userEmail));
  return found === null ? null : { counter: Number(found[1]), order: found[2] ?? "" };
}

export function floorEvent(order: string, counter: number, mix: Mix): FloorEvent {
  const event = mix === "placements" ? placement(order, counter) : mixed(order, counter);
  return { order, counter, request: bytesOf(event) };
}

type Event = { readonly [Id in TellId]: { readonly id: Id; readonly input: InputOf<Id> } }[TellId];

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

/** A release and not an attachment: it needs no order in the store, and has two lanes all the same. */
function release(order: string, counter: number): Event {
  const input = {
    workOrderNumber: order,
    containerCode: `CT-${order}`,
    isAbandonedOrCancelled: true,
    // Not in the contract for this event; what we do not know is kept and passed on.
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
