import type { CallContext, Delivery } from "../../../src/sdk/connector.ts";

/** An entry that is being delivered. Give the members that the test is about. */
export const delivery = (members: Partial<Delivery> = {}): Delivery => ({
  entryId: "evt_0198c0de-0000-7000-8000-000000000001",
  seq: 41,
  topic: "attachWorkOrder",
  body: '{"workOrderNumber":"4711","containerCode":"C-9"}',
  receivedAt: Date.UTC(2026, 0, 5, 8),
  attempt: 1,
  replay: 0,
  lanes: [
    { lane: "wo:4711", position: 3 },
    { lane: "ct:C-9", position: 12 },
  ],
  ...members,
});

export const deliveryContext = (
  members: Partial<Delivery> = {},
  signal: AbortSignal = new AbortController().signal,
): CallContext => ({ language: "en", signal, delivery: delivery(members) });
