import { type Static, Type } from "typebox";
import { receiptTopic } from "../../../contract/change-receipt.ts";
import { isDerivedEvent } from "../../../contract/derived-events.ts";
import { WorkOrderStatus } from "../../../contract/enums.ts";
import type { EventId, InputOf } from "../../../contract/operations.ts";
import type { PickingSummary } from "../../../contract/schemas/confirm-step.ts";
import { validator } from "../../../contract/validate/validator.ts";
import { type Booking, type OrderState, orderStates } from "./erp-records.ts";

const choice = <Name extends string>(names: readonly Name[]) => Type.Unsafe<Name>({ type: "string", enum: [...names] });
const text = Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()]));
const qty = Type.Optional(Type.Union([Type.Number(), Type.Null()]));
const kinds = ["pick", "put away", "cancel", "attach", "release", "move", "state", "note"] as const;

const documentSchema = Type.Object({
  ...{ what: choice<Booking["what"]>(kinds), order: Type.Union([Type.String(), Type.Number()]) },
  ...{ line: text, item: text, qty, tote: text, place: text, note: text },
  totes: Type.Optional(Type.Array(Type.Object({ tote: text, qty }))),
});
const { isValid } = validator(documentSchema);
const documentStates = new Set<string>(orderStates);

/** Reads a document in the ERP's own format: one change, or several if `totes` splits it. Null if it is not valid. */
export function readDocument(value: unknown): readonly Booking[] | null {
  if (!isValid(value)) return null;
  // Just checked against the schema.
  const { what, order, line, item, place, note, totes, ...own } = value as Static<typeof documentSchema>;
  if (what === "state" && !documentStates.has(String(note))) return null;
  return (totes ?? [own]).map((share) => ({
    ...{ what, order: String(order), line: textOf(line), item: textOf(item), qty: share.qty ?? null },
    ...{ tote: textOf(share.tote), place: textOf(place), note: textOf(note) },
  }));
}

const textOf = (value: string | number | null | undefined) =>
  value === null || value === undefined ? null : String(value);

const none = { line: null, item: null, qty: null, tote: null, place: null, note: null };
type Read<Id extends EventId> = (body: InputOf<Id>) => readonly Booking[];

function picked(order: string, line: string | null, item: string | null, summary: PickingSummary | null): Booking[] {
  const own = { ...none, what: "pick" as const, order, line, item, place: summary?.locationName ?? null };
  return (summary?.containersBreakdown ?? []).map((share) => ({
    ...own,
    qty: share.amountToConfirmInBaseUnitOfMeasure ?? 0,
    tote: share.containerCode ?? null,
  }));
}

const states: Partial<Record<number, OrderState>> = {
  [WorkOrderStatus.Assigned]: "started",
  [WorkOrderStatus.Completed]: "completed",
  [WorkOrderStatus.CompletedWithCancelations]: "completed",
  [WorkOrderStatus.Canceled]: "cancelled",
};

/** The changes that the platform's events cause, by their names in the contract table. */
const readers: { readonly [Id in EventId]: Read<Id> } = {
  confirmStep: (body) => {
    const { workOrderNumber: order, requestExternalIdentifier: line = null, itemNumber: item = null } = body;
    const placed = body.amountToConfirmPlacingInBaseUnitOfMeasure ?? null;
    const away: Booking[] = placed === null ? [] : [{ ...none, what: "put away", order, line, item, qty: placed }];
    return [...picked(order, line, item, body.amountToConfirmPickingSummary ?? null), ...away];
  },
  confirmCartStep: ({ workOrderNumber, requestExternalIdentifier = null, itemNumber = null, amountToConfirmSummary }) =>
    picked(workOrderNumber, requestExternalIdentifier, itemNumber, amountToConfirmSummary),
  confirmPutWallPlacement: ({ workOrderNumber: order, itemNumber: item, completedAmount: qty, ...more }) => [
    { ...none, what: "pick", order, item, qty, place: more.confirmedLocationName ?? null },
  ],
  cancelPutWallItem: ({ workOrderNumber: order, itemNumber: item }) => [{ ...none, what: "cancel", order, item }],
  cancelWorkOrderRequest: ({ workOrderNumber: order, requestExternalIdentifier: line = null, request }) => [
    { ...none, what: "cancel", order, line, item: request?.itemNumber ?? null },
  ],
  relocateCartContainers: (moves) =>
    moves.map(({ containerCode: tote, destinationLocationName: place, workOrder }) => ({
      ...{ ...none, what: "move" as const, order: workOrder.number, tote, place },
    })),
  attachWorkOrder: ({ workOrderNumber: order, containerCode: tote, isAbandonedOrCancelled }) => [
    { ...none, what: isAbandonedOrCancelled === true ? "release" : "attach", order, tote },
  ],
  changeStatus: ({ number: order, status }) => {
    const state = states[status];
    return [{ ...none, what: state === undefined ? "note" : "state", order, note: state ?? `status ${status}` }];
  },
};

function readReceipt(body: unknown): readonly Booking[] {
  const { workOrderNumber: order, requestExternalIdentifier: line = null, receipt } = Object(body);
  return [{ ...none, what: "note", order, line, note: String(receipt) }];
}

/** Reads the end of an order or a container. Its steps are booked already. */
function readFinished(body: unknown): readonly Booking[] {
  const { workOrderNumber: order, containerCode: tote = null, outcome = "container" } = Object(body);
  return [{ ...none, what: "note", order, tote, note: `finished: ${outcome}` }];
}

/**
 * Returns null if the topic is not an event of the contract: it is recorded but changes nothing. Throws if the body is
 * invalid.
 */
export function readEvent(topic: string, body: unknown): readonly Booking[] | null {
  const own = topic === receiptTopic ? readReceipt : isDerivedEvent(topic) ? readFinished : undefined;
  if (own === undefined && !Object.hasOwn(readers, topic)) return null;
  // Looked up by name. If an adapter sends another body, reading it throws.
  const read = own ?? (readers[topic as EventId] as (body: unknown) => readonly Booking[]);
  const bookings = read(body);
  if (bookings.some(({ order }) => typeof order !== "string")) throw new TypeError("an event without an order");
  return bookings;
}
