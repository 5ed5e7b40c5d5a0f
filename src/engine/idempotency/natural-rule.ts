import type { PushTopic } from "../../contract/pushes.ts";
import type { RepeatRule } from "../../journal/entry.ts";
import { orderLane } from "../../sdk/lane.ts";

const windowMs = 24 * 3600 * 1000;

/** What a rule needs to know of a pushed element, whatever its topic. */
export interface NaturalElement {
  readonly number: string;
  readonly payload: {
    readonly locationName?: string | null | undefined;
    readonly lotNumber?: string | null | undefined;
    readonly asOf?: string | null | undefined;
  };
}

/**
 * By what a push without a key is known as one of before: all of them are states, so the same state again is no change.
 * An order is wanted anew where anything has happened to it since, on the floor too: dropped as known, it would stay
 * cancelled. A level without a time of its own holds from its arrival, so a later equal one says something new.
 */
const rules: { readonly [Topic in PushTopic]: (element: NaturalElement) => RepeatRule | undefined } = {
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

export const naturalRule = (topic: PushTopic, element: NaturalElement): RepeatRule | undefined => rules[topic](element);
