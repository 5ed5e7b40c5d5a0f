import { type Static, type TSchema, Type } from "typebox";
import { RequestType, UnitOfMeasure } from "./enums.ts";
import { limits } from "./limits.ts";
import {
  amount,
  dateTime,
  enumNumber,
  filledIdentifier,
  identifier,
  list,
  optional,
  record,
  text,
  wholeNumber,
} from "./schemas/parts.ts";
import { itemSchema, requestLineSchema, workOrderSchema } from "./schemas/work-order.ts";

/**
 * What external systems push to us. Not part of the platform's contract, so this small table is ours.
 * It takes more than the platform gets: objects for external data, dates without offset, image bytes.
 */

const externalData = Type.Optional(
  Type.Unsafe<string | Record<string, unknown> | readonly unknown[] | null>({
    type: ["string", "object", "array", "null"],
    maxLength: limits.externalDataLength,
    description: "Customer-specific data: a JSON string, or an object that is turned into one.",
  }),
);

const localDate = (description: string) =>
  filledIdentifier(`${description} A date or date-time; without offset it is read in the configured time zone.`);

const pushedLineSchema = record("PushedRequestLine", {
  ...requestLineSchema.properties,
  itemNumber: filledIdentifier("Item to pick or place."),
  requestedAmount: wholeNumber("Amount in the item's unit of measure.", { minimum: 1 }),
  unitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure; 0 (Piece) by default.")),
  requestType: optional(enumNumber(RequestType, "What to do with the item; 1 (PickItem) by default.")),
  requestExternalData: externalData,
});

export const pushedWorkOrderSchema = record("PushedWorkOrder", {
  ...workOrderSchema.properties,
  number: filledIdentifier("Work order number (business key)."),
  dueDate: localDate("When the order is due."),
  customerRequiredDeliveryDate: optional(localDate("Delivery date requested by the customer.")),
  requests: Type.Array(pushedLineSchema, {
    description: "The order's request lines.",
    minItems: 1,
    maxItems: limits.linesPerOrder,
  }),
  externalData,
});
export type PushedWorkOrder = Static<typeof pushedWorkOrderSchema>;

export const pushedCancellationSchema = record("PushedCancellation", {
  workOrderNumber: filledIdentifier("Work order to cancel, wholly or in part."),
  requestExternalIdentifier: optional(
    identifier("External ID of the line; without a line the whole order is cancelled."),
  ),
  itemNumber: optional(identifier("Item of the line, where it has no external ID.")),
  requestedAmount: optional(wholeNumber("New, lower amount of the line; absent cancels it.", { minimum: 0 })),
  reason: optional(text("Why, in words for the operator.")),
});
export type PushedCancellation = Static<typeof pushedCancellationSchema>;

export const pushedItemSchema = record("PushedItem", {
  ...itemSchema.properties,
  number: filledIdentifier("Item number (business key)."),
  image: optional(
    Type.String({
      description: "Product image: plain Base64 of PNG, JPEG, WebP or GIF bytes.",
      maxLength: limits.imageLength,
    }),
  ),
});
export type PushedItem = Static<typeof pushedItemSchema>;

export const pushedStockSchema = record("PushedStock", {
  itemNumber: filledIdentifier("Item number."),
  locationName: optional(identifier("Location; absent means the item's total.")),
  lotNumber: optional(identifier("Lot or batch number.")),
  amount: amount("Amount on hand, absolute."),
  asOf: optional(localDate("When this was counted.")),
});
export type PushedStock = Static<typeof pushedStockSchema>;

export const pushedIndexableValueSchema = record("PushedIndexableValue", {
  workOrderNumber: filledIdentifier("Work order that the value belongs to."),
  value: Type.Unsafe<string | null>({
    type: ["string", "null"],
    maxLength: limits.indexableValueLength,
    description:
      "What the external system indexes the order by, such as its own order or tour number; null or empty: nothing.",
  }),
});
export type PushedIndexableValue = Static<typeof pushedIndexableValueSchema>;

/** The answer to an accepted push: it is written down, and these are the names it is written down under. */
export const pushReceiptSchema = record("PushReceipt", {
  ids: list(text("Journal entry."), "One journal entry per pushed element, in the order they were sent."),
  unchanged: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "How many were known already, word for word; their ids are those of before.",
    }),
  ),
});
export type PushReceipt = Static<typeof pushReceiptSchema>;

export interface Push {
  readonly path: string;
  readonly summary: string;
  /** One object of this schema, or an array of them. */
  readonly element: TSchema;
}

export const pushes = {
  workOrders: {
    path: "/inbound/work-orders",
    summary: "New or changed work orders.",
    element: pushedWorkOrderSchema,
  },
  cancellations: {
    path: "/inbound/cancellations",
    summary: "Cancellations and reductions of orders or single lines, also while they are being picked.",
    element: pushedCancellationSchema,
  },
  items: { path: "/inbound/items", summary: "New or changed items, with their images.", element: pushedItemSchema },
  stock: { path: "/inbound/stock", summary: "Stock levels.", element: pushedStockSchema },
  indexableValues: {
    path: "/inbound/indexable-values",
    summary: "The external indexable values of work orders.",
    element: pushedIndexableValueSchema,
  },
} as const satisfies Record<string, Push>;

export type PushTopic = keyof typeof pushes;
export interface PushedElement {
  workOrders: PushedWorkOrder;
  cancellations: PushedCancellation;
  items: PushedItem;
  stock: PushedStock;
  indexableValues: PushedIndexableValue;
}
// The table has these members only; Object.keys forgets their type.
export const pushTopics = Object.keys(pushes) as PushTopic[];
export const pushRow = (topic: PushTopic): Push => pushes[topic];

/** Where senders ask what has become of a push, by an id of its answer. */
export const pushProgressPath = "/inbound/entries/{id}";

/** What has become of a push. */
const pushStates = {
  stored: "kept for the platform's pulls; it is not sent on",
  waiting: "waits to be sent on, or to be tried again",
  sending: "is being sent",
  delivered: "the platform has taken it",
  refused: "the platform said no; it waits for a person",
  failed: "several tries came to nothing; it waits for a person",
  skipped: "a person decided that it is not sent",
  superseded: "a newer state was sent instead",
  rejected: "the store of the adapter did not take it, so it is not sent either",
} as const;
export type PushState = keyof typeof pushStates;

const moment = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time", description });

/** Nothing of the content, which others may have sent, nor of what the platform said. */
export const pushProgressSchema = record("PushProgress", {
  id: text("Journal entry."),
  topic: Type.Unsafe<PushTopic>({ type: "string", description: "What was pushed." }),
  state: Type.Unsafe<PushState>({
    type: "string",
    enum: Object.keys(pushStates),
    description: Object.entries(pushStates)
      .map(([name, meaning]) => `${name}: ${meaning}`)
      .join(". ")
      .concat("."),
  }),
  receivedAt: dateTime("When it was stored."),
  deliveredAt: moment("When the platform took it."),
  attempts: Type.Integer({ minimum: 0, description: "How often it was tried." }),
  nextAttemptAt: moment("When it is tried again."),
  lastStatus: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "Status of the platform's last answer, where that was no success.",
  }),
  supersededBy: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "Id of the push that was sent instead.",
  }),
});
export type PushProgress = Static<typeof pushProgressSchema>;
