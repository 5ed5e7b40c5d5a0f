import { httpOptionsOf } from "../../config/sections/forward-connectors.ts";
import type { ForwardRequest } from "../../config/sections/forward-options.ts";
import { requestPlan } from "../../connectors/http/request-plan.ts";
import { changeReceiptSchema, type ReceiptTopic, receiptTopic } from "../../contract/change-receipt.ts";
import { shapeOf } from "../../contract/derive/component-registry.ts";
import { sampleValue } from "../../contract/derive/sample-value.ts";
import { validSamples } from "../../contract/derive/samples.ts";
import { type DerivedEventId, derivedEventIds, derivedEvents, isDerivedEvent } from "../../contract/derived-events.ts";
import { type EventId, type OperationId, operationIds, operationRow } from "../../contract/operations.ts";
import { type PushTopic, pushRow } from "../../contract/pushes.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { compileMapping } from "../../mapping/compile-mapping.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { lanesOfEvent, orderLane } from "../../operation/lane.ts";
import type { CallContext, DryRun, OpenConnector } from "../../sdk/connector.ts";
import { exampleSubject } from "./example-subject.ts";

/** An event of the platform, one that the adapter derives, or a receipt. */
export type CheckedId = EventId | DerivedEventId | ReceiptTopic;

/** What would be sent for one event. */
export interface CheckedEvent {
  readonly event: CheckedId;
  readonly requests: readonly DryRun[];
  /** Why the event cannot be sent; absent if it can. */
  readonly error?: string;
}

export const eventIds: readonly CheckedId[] = [
  ...operationIds.filter((id: OperationId): id is EventId => operationRow(id).kind === "event"),
  ...derivedEventIds,
  receiptTopic,
];

/** An example event of the contract with all its members. */
export const exampleOf = (id: CheckedId): unknown => {
  if (id === receiptTopic) return sampleValue(shapeOf(changeReceiptSchema), "full");
  return isDerivedEvent(id)
    ? sampleValue(shapeOf(derivedEvents[id].body), "full")
    : validSamples(id).find(({ name }) => name === "full")?.body;
};

/**
 * Lets a connector describe what it would send for each of these events. Nothing is sent. The events are about an order
 * of the system, if one is given.
 */
export async function dryRunEvents(
  connector: Connector,
  events: readonly { readonly event: CheckedId; readonly input: unknown }[],
  now: number,
  order?: WorkOrder,
): Promise<CheckedEvent[]> {
  const checked: CheckedEvent[] = [];
  const subject = exampleSubject(order);
  for (const { event, input } of events) {
    const dryRun = dryRunOf(event, connector);
    if (dryRun === undefined) continue;
    try {
      const body = JSON.stringify(input);
      const lanes = lanesOf(event, input).map((lane) => ({ lane, position: 1 }));
      const delivery = {
        entryId: "evt_example",
        seq: 1,
        topic: event,
        body,
        receivedAt: now,
        attempt: 1,
        replay: 0,
        lanes,
      };
      const signal = AbortSignal.timeout(5_000);
      checked.push({
        event,
        requests: await dryRun(input, { language: "en", signal, delivery, findSubject: async () => subject }),
      });
    } catch (error) {
      checked.push({ event, requests: [], error: error instanceof Error ? error.message : String(error) });
    }
  }
  return checked;
}

type Connector = Pick<OpenConnector, "operations" | "derived" | "notices" | "dryRun" | "dryRunNotice">;

/** Undefined if the connector does not take the event, or cannot say what it would send. */
function dryRunOf(event: CheckedId, connector: Connector) {
  const { operations, derived = {}, notices } = connector;
  if (event === receiptTopic) {
    const { dryRunNotice } = connector;
    if (notices === undefined || dryRunNotice === undefined) return undefined;
    return (input: unknown, context: CallContext) => dryRunNotice(event, input, context);
  }
  const { dryRun } = connector;
  const isTaken = (isDerivedEvent(event) ? derived[event] : operations[event]) !== undefined;
  if (!isTaken || dryRun === undefined) return undefined;
  return (input: unknown, context: CallContext) => dryRun(event, input, context);
}

function lanesOf(event: CheckedId, input: unknown): readonly string[] {
  if (event !== receiptTopic) return isDerivedEvent(event) ? [] : lanesOfEvent(event, input);
  const { workOrderNumber } = Object(input);
  return typeof workOrderNumber === "string" ? [orderLane(workOrderNumber)] : [];
}

/** What would be sent to the platform's interface for one push. */
export interface SampleRequest {
  readonly topic: PushTopic;
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  /** Why this push cannot be sent; empty if it can. */
  readonly errors: readonly string[];
}

/** Builds the request for a push that has all its members, without sending it. */
export async function sampleRequest(
  topic: PushTopic,
  request: ForwardRequest,
  dates: DateSettings,
): Promise<SampleRequest> {
  const { url, method = "POST", query, body: map } = request;
  const input = sampleValue(shapeOf(pushRow(topic).element), "full");
  const mapped = map === undefined ? { value: input, problems: [] } : await compileMapping(map, { dates }).apply(input);
  const { baseUrl, notices } = httpOptionsOf(request);
  const errors = mapped.problems.map(({ field, text }) => `${field}: ${text}`);
  try {
    const isBodiless = method === "DELETE";
    const plan = requestPlan({
      request: {
        path: notices.path,
        ...(query === undefined ? {} : { query }),
        ...(isBodiless ? {} : { body: "{mapped}" }),
      },
      baseUrl: new URL(baseUrl),
      method,
      headers: {},
    });
    const scope = {
      ...Object(input),
      input,
      mapped: mapped.value,
      language: "en",
      entryId: "evt_…",
      topic,
      attempt: 1,
    };
    const filled = plan.fill(scope);
    const content = filled.body === undefined ? {} : { body: mapped.value };
    return { topic, method: filled.method, url: decodeURI(filled.url.href), ...content, errors };
  } catch (error) {
    return { topic, method, url, errors: [...errors, error instanceof Error ? error.message : String(error)] };
  }
}
