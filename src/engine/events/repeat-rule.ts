import type { EventId, InputOf } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import type { ConfirmCartStep, ConfirmStep, PickingSummary } from "../../contract/schemas/confirm-step.ts";
import type { RepeatRule } from "../../journal/entry.ts";
import type { SteadyTime } from "../../kit/time/timers.ts";
import { lanesOfEvent, orderLane } from "../../operation/lane.ts";

const windowMs = 24 * 3600 * 1000;

/** What a rule reads of a pushed element, whatever its topic. */
export interface NaturalElement {
  readonly number: string;
  readonly payload: {
    readonly locationName?: string | null | undefined;
    readonly lotNumber?: string | null | undefined;
    readonly asOf?: string | null | undefined;
  };
}

/**
 * How a push without a key is recognised as a duplicate. Each push is a state, so the same state again is no change.
 * But an equal order counts as new if anything else has happened to the order since, also on the floor: ignored as a
 * duplicate, the order would stay cancelled. A stock level without a time of its own is valid from its arrival, so a
 * later equal level is new information.
 */
const naturalRules: { readonly [Topic in PushTopic]: (element: NaturalElement) => RepeatRule | undefined } = {
  workOrders: ({ number }) => ofOrder(number),
  cancellations: ({ number }) => ofOrder(number),
  items: () => ({ key: "item", when: "always", windowMs }),
  stock: ({ payload: { locationName, lotNumber, asOf } }) =>
    typeof asOf === "string"
      ? { key: `stock|${JSON.stringify([locationName ?? "", lotNumber ?? ""])}`, when: "always", windowMs }
      : undefined,
  indexableValues: () => ({ key: "indexableValue", when: "always", windowMs }),
};

const ofOrder = (number: string): RepeatRule => ({
  ...{ key: "push", when: "always", windowMs },
  undisturbedIn: [orderLane(number)],
});

export const naturalRule = (topic: PushTopic, element: NaturalElement): RepeatRule | undefined =>
  naturalRules[topic](element);

/** What distinguishes one event from another. */
export type EventRepeatRule = Pick<RepeatRule, "when" | "undisturbedIn"> & {
  /** Distinguishes entries of one lane; absent if the event is compared with the latest entry of its kind. */
  readonly part?: string;
};

/**
 * Events carry no id, so a retry of the platform is recognised by its content.
 * Equal content is enough for a step, because each step leaves another remaining amount, and for a cancelled line,
 * because a line is cancelled only once.
 * Attach, relocate and status are states: the same state again is no change. But a status is new if anything else has
 * happened to its order since, because an order may be begun and given back twice within minutes.
 * A put-wall amount may really happen twice with equal content. It is a retry only until its answer is known to have
 * arrived: dropping a real amount would lose a piece.
 */
const rules: { readonly [Id in EventId]: (input: InputOf<Id>) => EventRepeatRule } = {
  confirmStep: (step) => stepRule(step, confirmedAmount(step.amountToConfirmPickingSummary) + placed(step)),
  confirmCartStep: (step) => stepRule(step, confirmedAmount(step.amountToConfirmSummary)),
  cancelWorkOrderRequest: ({ request, requestExternalIdentifier }) => ({
    part: `${request?.requestId ?? `x:${requestExternalIdentifier ?? ""}`}`,
    when: "always",
  }),
  confirmPutWallPlacement: () => ({ when: "unanswered" }),
  cancelPutWallItem: () => ({ when: "unanswered" }),
  attachWorkOrder: () => ({ when: "always" }),
  relocateCartContainers: () => ({ when: "always" }),
  changeStatus: ({ number }) => ({ when: "always", undisturbedIn: [orderLane(number)] }),
};

const stepRule = (step: ConfirmStep | ConfirmCartStep, amount: number): EventRepeatRule => ({
  part: String(step.requestId),
  // Confirming an amount of 0 changes no remaining amount, so two in a row look alike.
  when: amount > 0 ? "always" : "unanswered",
});

const confirmedAmount = (summary: PickingSummary | null | undefined): number =>
  (summary?.containersBreakdown ?? []).reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0);

const placed = (step: ConfirmStep): number => step.amountToConfirmPlacingInBaseUnitOfMeasure ?? 0;

const idempotencyKeyWindowMs = 7 * 24 * 3600 * 1000;

// The input was checked against the schema of this row.
export const ruleOfEvent = (id: EventId, input: unknown) => (rules[id] as (input: unknown) => EventRepeatRule)(input);

/** How a repeat of the event is recognised among the entries of its lanes. */
export function repeatRule(
  id: EventId,
  { part, ...rule }: EventRepeatRule,
  {
    windowMs,
    clockMs,
    idempotencyKey,
  }: { windowMs: number; clockMs: SteadyTime["clockMs"]; idempotencyKey: string | undefined },
): RepeatRule {
  // Entries have the time of the clock: after the clock was put forward, the first sending looks older than it is.
  const unnamed = { key: part === undefined ? id : `${id}|${part}`, ...rule, windowMs: clockMs(windowMs) };
  if (idempotencyKey === undefined) return unnamed;
  // The sender's key is more reliable than the content. The content is compared too, because a gateway may have added
  // the key to only one of two sendings.
  return { key: `key|${id}|${idempotencyKey}`, when: "always", windowMs: clockMs(idempotencyKeyWindowMs), unnamed };
}

/** What the engine needs to store an event: plain data, because large events are read in another thread. */
export interface EventFacts {
  readonly lanes: readonly string[];
  readonly rule: EventRepeatRule;
}

export const eventFacts = (id: EventId, input: unknown): EventFacts => ({
  lanes: lanesOfEvent(id, input),
  rule: ruleOfEvent(id, input),
});
