import { type Static, type TSchema, Type } from "typebox";
import { RequestType, UnitOfMeasure } from "./enums.ts";
import { limits } from "./limits.ts";
import { itemSchema } from "./schemas/item.ts";
import {
  amount,
  enumNumber,
  filledIdentifier,
  identifier,
  list,
  optional,
  record,
  text,
  wholeNumber,
} from "./schemas/parts.ts";
import { requestLineSchema, workOrderSchema } from "./schemas/work-order.ts";

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
export const pushTopics = Object.keys(pushes) as PushTopic[];
export const pushRow = (topic: PushTopic): Push => pushes[topic];
