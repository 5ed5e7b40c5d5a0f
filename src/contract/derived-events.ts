import type { Static, TObject } from "typebox";
import { UnitOfMeasure } from "./enums.ts";
import {
  amount,
  choice,
  dateTime,
  enumNumber,
  externalText,
  filledIdentifier,
  flag,
  identifier,
  list,
  optional,
  platformId,
  record,
  text,
} from "./schemas/parts.ts";

const amounts = {
  confirmedAmount: optional(amount("Confirmed, in the line's own unit; null if the platform's unit is in doubt.")),
  confirmedAmountInBaseUnitOfMeasure: optional(
    amount("Confirmed, in the platform's base unit; null if only the line's own unit is known, as at a put wall."),
  ),
};

const lineNames = {
  requestExternalIdentifier: optional(identifier("External ID of the line.")),
  requestId: optional(platformId("Platform-internal ID of the line, if a step named it.")),
  itemNumber: identifier("Item number."),
  itemExternalIdentifier: optional(identifier("External ID of the item.")),
  lotNumber: optional(identifier("Lot or batch number.")),
  unitOfMeasure: enumNumber(UnitOfMeasure, "The line's own unit."),
};

const containerShare = record("FinishedShare", {
  containerCode: identifier("Container."),
  ...amounts,
});

const finishedLine = record("FinishedLine", {
  ...lineNames,
  requestedAmount: optional(amount("Requested at last, in the line's own unit; null if the line came by another way.")),
  ...amounts,
  isComplete: flag("Whether at least the requested amount was confirmed."),
  requestExternalData: optional(externalText("Customer-specific data of the line, a JSON string.")),
  places: list(
    record("FinishedPlace", {
      locationName: optional(identifier("Location; null where none was told.")),
      ...amounts,
    }),
    "Where the confirmed amounts came from or went to.",
  ),
  containers: list(containerShare, "What of it is in which container."),
});

const orderNames = {
  workOrderNumber: filledIdentifier("Work order number."),
  workOrderExternalIdentifier: optional(identifier("External work order ID.")),
  workOrderExternalData: optional(externalText("Customer-specific data of the order, a JSON string.")),
  workOrderTypeName: optional(text("Work order type.")),
  deliveryNumber: optional(identifier("Delivery or shipment number.")),
  followUpOf: optional(identifier("Number of the order that this one follows up, if it does.")),
};

const ending = {
  finishedAt: dateTime("When it was finished: when the event arrived that finished it."),
  userEmail: optional(text("Operator of the last confirmation.")),
};

const orderFinishedSchema = record("OrderFinished", {
  ...orderNames,
  outcome: choice(
    ["complete", "short", "cancelled"],
    "`complete`: every line has its requested amount; `short`: some have less; `cancelled`: the external system cancelled it, and what was picked until then is listed.",
  ),
  ...ending,
  lines: list(finishedLine, "Every line of the order, confirmed or not."),
  containers: list(identifier("Container."), "All containers of the order."),
});
export type OrderFinished = Static<typeof orderFinishedSchema>;

const containerFinishedSchema = record("ContainerFinished", {
  ...orderNames,
  containerCode: filledIdentifier("The container."),
  destinationLocationName: optional(identifier("Where it was moved to, if that finished it.")),
  isOrderFinished: flag("Whether its order is finished too."),
  ...ending,
  lines: list(record("ContainerLine", { ...lineNames, ...amounts }), "What is in it."),
});
export type ContainerFinished = Static<typeof containerFinishedSchema>;

interface DerivedEvent {
  readonly summary: string;
  readonly body: TObject;
}

/** Events that the adapter derives from its ledger. They are not in the contract, so no operator waits for them. */
export const derivedEvents = {
  orderFinished: {
    summary: "An order is finished: every line is confirmed, cut short or cancelled. Sent exactly once per order.",
    body: orderFinishedSchema,
  },
  containerFinished: {
    summary:
      "A container of an order is finished: the order is, or the container was moved to its destination. Sent exactly once per order and container.",
    body: containerFinishedSchema,
  },
} as const satisfies Readonly<Record<string, DerivedEvent>>;

export type DerivedEventId = keyof typeof derivedEvents;
// The table has only these members; Object.keys loses their type.
export const derivedEventIds = Object.keys(derivedEvents) as DerivedEventId[];

export const isDerivedEvent = (topic: string): topic is DerivedEventId => Object.hasOwn(derivedEvents, topic);

/** A member for each derived event. */
export const derivedMembers = <Member>(member: (summary: string) => Member): Record<DerivedEventId, Member> =>
  // fromEntries loses the type of the names.
  Object.fromEntries(derivedEventIds.map((id) => [id, member(derivedEvents[id].summary)])) as Record<
    DerivedEventId,
    Member
  >;
