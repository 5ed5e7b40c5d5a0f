import type { LoadResult } from "../clients/load.ts";
import type { Child } from "./child.ts";
import { drain } from "./drain.ts";
import type { PlacementLoad } from "./placement-load.ts";
import { startAdapter, startReceiver } from "./programs.ts";

export interface DeliveringAdapter {
  readonly url: string;
  readonly receiver: Child;
  readonly children: readonly Child[];
  /** One round of load; ends when all of it has been delivered. */
  readonly round: (load: PlacementLoad) => Promise<LoadResult>;
}

/** The adapter with an external system that is up and gets the events. */
export async function startDelivering(folder: string): Promise<DeliveringAdapter> {
  const receiver = await startReceiver();
  const adapter = await startAdapter(folder, { eventsTo: receiver.url });
  let events = 0;
  return {
    url: adapter.url,
    receiver,
    children: [adapter, receiver],
    round: async (load) => {
      const result = await load(adapter.url);
      events += result.answers;
      await drain(receiver, events);
      return result;
    },
  };
}
