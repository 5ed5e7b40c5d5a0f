import { httpOptionsOf } from "../../config/sections/forward-connectors.ts";
import type { ForwardRequest } from "../../config/sections/forward-options.ts";
import { requestPlan } from "../../connectors/http/request-plan.ts";
import { shapeOf } from "../../contract/derive/component-registry.ts";
import { sampleValue } from "../../contract/derive/sample-value.ts";
import { validSamples } from "../../contract/derive/samples.ts";
import { type DerivedEventId, derivedEventIds, derivedEvents, isDerivedEvent } from "../../contract/derived-events.ts";
import { type EventId, type OperationId, operationIds, operationRow } from "../../contract/operations.ts";
import { type PushTopic, pushRow } from "../../contract/pushes.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { compileMapping } from "../../mapping/compile-mapping.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { lanesOfEvent } from "../../operation/lane.ts";
import type { DryRun, OpenConnector } from "../../sdk/connector.ts";
import { exampleSubject } from "./example-subject.ts";

/** An event of the platform, or one that the adapter derives. */
export type CheckedId = EventId | DerivedEventId;

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
];

/** An example event of the contract with all its members. */
export const exampleOf = (id: CheckedId): unknown =>
  isDerivedEvent(id)
    ? sampleValue(shapeOf(derivedEvents[id].body), "full")
    : validSamples(id).find(({ name }) => name === "full")?.body;

/**
 * Lets a connector describe what it would send for each of these events. Nothing is sent. The events are about an order
 * of the system, if one is given.
 */
export async function dryRunEvents(
  connector: Pick<OpenConnector, "operations" | "derived" | "dryRun">,
  events: readonly { readonly event: CheckedId; readonly input: unknown }[],
  now: number,
  order?: WorkOrder,
): Promise<CheckedEvent[]> {
  const { operations, derived = {}, dryRun } = connector;
  const checked: CheckedEvent[] = [];
  if (dryRun === undefined) return checked;
  const subject = exampleSubject(order);
  for (const { event, input } of events) {
    if ((isDerivedEvent(event) ? derived[event] : operations[event]) === undefined) continue;
    try {
      const body = JSON.stringify(input);
      const lanes = (isDerivedEvent(event) ? [] : lanesOfEvent(event, input)).map((lane) => ({ lane, position: 1 }));
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
        requests: await dryRun(event, input, { language: "en", signal, delivery, findSubject: () => subject }),
      });
    } catch (error) {
      checked.push({ event, requests: [], error: error instanceof Error ? error.message : String(error) });
    }
  }
  return checked;
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
