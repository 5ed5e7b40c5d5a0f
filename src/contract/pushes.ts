import { type Static, type TProperties, type TSchema, Type } from "typebox";
import { RequestType, UnitOfMeasure } from "./enums.ts";
import { limits } from "./limits.ts";
import {
  amount,
  dateTime,
  enumNumber,
  filledIdentifier,
  identifier,
  isIdentifier,
  list,
  optional,
  record,
  text,
  visiblePattern,
  wholeNumber,
} from "./schemas/parts.ts";
import { itemSchema, requestLineSchema, workOrderSchema } from "./schemas/work-order.ts";

/**
 * What external systems push to the adapter. It is not part of the platform's contract, so this small table is our own.
 * It accepts more than the platform gets: objects for external data, dates without offset, image bytes.
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

/** The language of a name identifies nothing: a blank one does no harm. */
const unscanned = new Set(["languageIsoCode"]);

/**
 * The members with a rule for all identifiers: they must be visible. Nobody could see or scan others, and the platform
 * would show them as empty. Events may carry them: only what was served before comes back with an event.
 */
function visible<P extends TProperties>(members: P): P {
  const entries = Object.entries(members).map(([name, schema]) => {
    if (!isIdentifier(schema) || unscanned.has(name)) return [name, schema] as const;
    // With its descriptors: whether a member is optional is stored in one that is not enumerable.
    const pattern = { value: visiblePattern, enumerable: true };
    return [name, Object.create(Object.prototype, { ...Object.getOwnPropertyDescriptors(schema), pattern })] as const;
  });
  // The same members; only a keyword was added.
  return Object.fromEntries(entries) as P;
}

const pushedLineSchema = record(
  "PushedRequestLine",
  visible({
    ...requestLineSchema.properties,
    itemNumber: filledIdentifier("Item to pick or place."),
    requestedAmount: wholeNumber("Amount in the item's unit of measure.", { minimum: 1 }),
    unitOfMeasure: optional(enumNumber(UnitOfMeasure, "Unit of measure; 0 (Piece) by default.")),
    requestType: optional(enumNumber(RequestType, "What to do with the item; 1 (PickItem) by default.")),
    requestExternalData: externalData,
  }),
);

export const pushedWorkOrderSchema = record(
  "PushedWorkOrder",
  visible({
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
  }),
);
export type PushedWorkOrder = Static<typeof pushedWorkOrderSchema>;

export const pushedCancellationSchema = record(
  "PushedCancellation",
  visible({
    workOrderNumber: filledIdentifier("Work order to cancel, completely or in part."),
    requestExternalIdentifier: optional(
      identifier("External ID of the line; without a line the whole order is cancelled."),
    ),
    itemNumber: optional(identifier("Item of the line, if the line has no external ID.")),
    lotNumber: optional(identifier("Lot of the line; without it all lines of the item are meant.")),
    requestedAmount: optional(
      amount("Amount still wanted of the line, in its unit; without it the line is cancelled.", {
        // Served amounts must be whole numbers that strict clients can read. The ERP's change may also raise the amount.
        ...{ minimum: 0, maximum: limits.integer },
      }),
    ),
    reason: optional(text("Reason, as text for the operator.")),
  }),
);
export type PushedCancellation = Static<typeof pushedCancellationSchema>;

export const pushedItemSchema = record(
  "PushedItem",
  visible({
    ...itemSchema.properties,
    number: filledIdentifier("Item number (business key)."),
    image: optional(
      Type.String({
        description: "Product image: plain Base64 of PNG, JPEG, WebP or GIF bytes.",
        maxLength: limits.imageLength,
      }),
    ),
  }),
);
export type PushedItem = Static<typeof pushedItemSchema>;

export const pushedStockSchema = record(
  "PushedStock",
  visible({
    itemNumber: filledIdentifier("Item number."),
    locationName: optional(identifier("Location; without it the amount is the item's total.")),
    lotNumber: optional(identifier("Lot or batch number.")),
    amount: amount("Absolute amount on hand."),
    asOf: optional(localDate("When this was counted.")),
  }),
);
export type PushedStock = Static<typeof pushedStockSchema>;

export const pushedIndexableValueSchema = record(
  "PushedIndexableValue",
  visible({
    workOrderNumber: filledIdentifier("Work order that the value belongs to."),
    value: Type.Unsafe<string | null>({
      type: ["string", "null"],
      maxLength: limits.indexableValueLength,
      description:
        "The value by which the external system indexes the order, such as its own order or tour number; null or empty: none.",
    }),
  }),
);
export type PushedIndexableValue = Static<typeof pushedIndexableValueSchema>;

/** The answer to an accepted push: it is stored, with the ids of its journal entries. */
export const pushReceiptSchema = record("PushReceipt", {
  ids: list(text("Journal entry."), "One journal entry per pushed element, in the order they were sent."),
  unchanged: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "How many were already known with identical content; they keep their earlier ids.",
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
// The table has only these members; Object.keys loses their type.
export const pushTopics = Object.keys(pushes) as PushTopic[];
export const pushRow = (topic: PushTopic): Push => pushes[topic];

/** The address where senders read the state of a push, by an id from its answer. */
export const pushProgressPath = "/inbound/entries/{id}";

/** The states of a push. */
const pushStates = {
  stored: "stored for queries of the platform; it is not forwarded",
  waiting: "waits for forwarding or for a retry",
  sending: "is being sent",
  delivered: "the platform has accepted it",
  refused: "the platform refused it; operator action required",
  failed: "delivery failed permanently; operator action required",
  skipped: "an operator decided not to send it",
  superseded: "a newer state was sent instead",
  rejected: "the adapter's own store refused it, so it is not forwarded",
} as const;
export type PushState = keyof typeof pushStates;

const moment = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time", description });

/**
 * The state of a push. Contains neither its content, which another sender may have pushed, nor the platform's answer.
 */
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
  deliveredAt: moment("When the platform accepted it."),
  attempts: Type.Integer({ minimum: 0, description: "Number of delivery attempts." }),
  nextAttemptAt: moment("Time of the next attempt."),
  lastStatus: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "HTTP status of the platform's last answer, if it was not a success.",
  }),
  supersededBy: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "Id of the push that was sent instead.",
  }),
});
export type PushProgress = Static<typeof pushProgressSchema>;
