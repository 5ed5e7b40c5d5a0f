import type { LoadResult } from "../../clients/load.ts";
import type { AdapterSettings } from "../../servers/adapter.ts";
import { drain } from "../drain.ts";
import type { PlacementLoad } from "../placement-load.ts";
import { startAdapter, startReceiver } from "../programs.ts";
import type { Child } from "./child.ts";

export interface DeliveringAdapter {
  readonly url: string;
  readonly receiver: Child;
  readonly children: readonly Child[];
  /** Runs one round of load with concurrent deliveries. It ends when everything is delivered. */
  readonly round: (load: PlacementLoad) => Promise<LoadResult>;
  /** Runs one round of load whose entries are delivered only after the load has ended. */
  readonly storingRound: (load: PlacementLoad) => Promise<LoadResult>;
}

/**
 * Starts the adapter with an external system that gets the events. Optionally they are applied in the embedded system
 * too.
 */
export async function startDelivering(
  folder: string,
  options: Pick<AdapterSettings, "isBooked" | "store" | "deployment"> = {},
): Promise<DeliveringAdapter> {
  const receiver = await startReceiver();
  const adapter = await startAdapter(folder, { eventsTo: receiver.url, ...options });
  let events = 0;
  const round = async (load: PlacementLoad) => {
    const result = await load(adapter.url);
    events += result.answers;
    return result;
  };
  return {
    url: adapter.url,
    receiver,
    children: [adapter, receiver],
    round: async (load) => {
      const result = await round(load);
      await drain(receiver, events, adapter.url);
      return result;
    },
    storingRound: async (load) => {
      await setPaused(adapter.url, true);
      const result = await round(load);
      await setPaused(adapter.url, false);
      await drain(receiver, events, adapter.url);
      return result;
    },
  };
}

async function setPaused(url: string, isPaused: boolean): Promise<void> {
  const answer = await fetch(`${url}/admin/targets/receiver/${isPaused ? "pause" : "resume"}`, {
    method: "POST",
    headers: { authorization: "Bearer bench-key", "content-type": "application/json" },
    body: JSON.stringify({ operator: "bench" }),
  });
  if (!answer.ok) throw new Error(`deliveries could not be paused: ${await answer.text()}`);
}
