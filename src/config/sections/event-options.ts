import { type Static, Type } from "typebox";
import { type DerivedEventId, derivedMembers } from "../../contract/derived-events.ts";
import { type EventId, operationIds, operationRow } from "../../contract/operations.ts";
import { choice, group, named, section } from "../../contract/schemas/parts.ts";
import type { DeliveryMode } from "../../engine/queries/routing.ts";

const eventIds = operationIds.filter((id): id is EventId => operationRow(id).kind === "event");
const deliveryModes = ["durable", "direct", "direct-then-durable"] as const satisfies readonly DeliveryMode[];

const concurrency = { description: "Maximum number of deliveries at the same time.", minimum: 1, maximum: 256 };
const ratePerSecond = Type.Optional(
  Type.Number({ description: "Maximum number of deliveries per second; absent: no limit.", exclusiveMinimum: 0 }),
);
const timeoutMs = {
  description: "Time limit of one background delivery, in milliseconds.",
  minimum: 100,
  maximum: 300_000,
};
const targetLimits = section("Limits of one connector that gets events.", {
  concurrency: Type.Optional(Type.Integer(concurrency)),
  ratePerSecond,
  timeoutMs: Type.Optional(Type.Integer(timeoutMs)),
});
type TargetLimits = Static<typeof targetLimits>;

/** Which events are sent to which connector, and how. */
export const eventOptions = group("Delivery of floor events to external systems.", {
  to: Type.Optional(
    Type.String({
      description: "Name of the connector that gets the events and receipts; absent: they are not sent.",
    }),
  ),
  by: Type.Unsafe<Partial<Record<EventId | DerivedEventId, string>>>({
    type: "object",
    description: "Single events for another connector, by operation; `none` keeps one inside.",
    properties: {
      ...named(eventIds, (id) => Type.String({ description: operationRow(id).summary, minLength: 1 })),
      ...derivedMembers((description) => Type.String({ description, minLength: 1 })),
    },
    additionalProperties: false,
    default: {},
  }),
  modes: Type.Unsafe<Partial<Record<EventId, DeliveryMode>>>({
    type: "object",
    description:
      "Delivery mode by operation: `durable` (answered at once, delivered later), `direct` (the external system " +
      "must confirm now) or `direct-then-durable` (it is called now; if it does not answer in time, delivery continues later).",
    properties: Object.fromEntries(eventIds.map((id) => [id, choice(deliveryModes, operationRow(id).summary)])),
    additionalProperties: false,
    default: {},
  }),
  concurrency: Type.Integer({ ...concurrency, default: 8 }),
  ratePerSecond,
  timeoutMs: Type.Integer({ ...timeoutMs, default: 15_000 }),
  limits: Type.Unsafe<Record<string, TargetLimits>>({
    type: "object",
    description: "Limits per connector, by name: `concurrency`, `ratePerSecond`, `timeoutMs`.",
    additionalProperties: targetLimits,
    default: {},
  }),
  repeatWindowMinutes: Type.Number({
    description: "How long an identical event can count as a retry by the platform.",
    default: 15,
    minimum: 0,
  }),
});
