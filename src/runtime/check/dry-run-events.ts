import { validSamples } from "../../contract/derive/samples.ts";
import { type EventId, type OperationId, operationIds, operationRow } from "../../contract/operations.ts";
import { lanesOfEvent } from "../../operation/lane.ts";
import type { DryRun, OpenConnector } from "../../sdk/connector.ts";

/** What would be sent for one event. */
export interface CheckedEvent {
  readonly event: EventId;
  readonly requests: readonly DryRun[];
  /** Why it cannot be sent; absent if it can. */
  readonly error?: string;
}

export const eventIds = operationIds.filter((id: OperationId): id is EventId => operationRow(id).kind === "event");

/** An example event of the contract with all its members. */
export const exampleOf = (id: EventId): unknown => validSamples(id).find(({ name }) => name === "full")?.body;

/** Lets a connector describe what it would send for each of these events. Nothing is sent. */
export async function dryRunEvents(
  connector: Pick<OpenConnector, "operations" | "dryRun">,
  events: readonly { readonly event: EventId; readonly input: unknown }[],
  now: number,
): Promise<CheckedEvent[]> {
  const { operations, dryRun } = connector;
  const checked: CheckedEvent[] = [];
  if (dryRun === undefined) return checked;
  for (const { event, input } of events) {
    if (operations[event] === undefined) continue;
    try {
      const body = JSON.stringify(input);
      const lanes = lanesOfEvent(event, input).map((lane) => ({ lane, position: 1 }));
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
      checked.push({ event, requests: await dryRun(event, input, { language: "en", signal, delivery }) });
    } catch (error) {
      checked.push({ event, requests: [], error: error instanceof Error ? error.message : String(error) });
    }
  }
  return checked;
}
