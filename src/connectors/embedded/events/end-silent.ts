import type { ResidentEntry } from "../../../journal/resident.ts";
import type { EventNeeds } from "./event-handler.ts";
import { finishIfDone } from "./finish-order.ts";

/** Settles offers that nothing came after, and ends the orders that were waiting for nothing else. */
export function endSilent(needs: EventNeeds, beforeMs: number, entry: ResidentEntry): void {
  for (const order of needs.changes.settleSilent(beforeMs, entry)) finishIfDone(needs, order, entry);
}
