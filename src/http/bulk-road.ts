import type { AskId } from "../contract/operations.ts";
import type { PushTopic } from "../contract/pushes.ts";
import type { PushReading } from "../engine/read-push.ts";
import type { Fact } from "../sdk/outcome.ts";

/** Bodies above this leave the main thread: parsing them would stall every other request. */
export const bulkBytes = 128 * 1024;

export interface BulkAnswer {
  readonly status: number;
  readonly contentType: string;
  /** As they come: the first are on their way out while the last are still computed. */
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly facts: readonly Fact[];
}

/** The same road, in another thread. The bytes are handed over, not copied. */
export interface BulkRoad {
  /** Whether this question is answered there at all; absent: all are. */
  readonly takes?: (id: AskId) => boolean;
  readonly ask: (id: AskId, body: Uint8Array, acceptLanguage: string | undefined) => Promise<BulkAnswer>;
  readonly readPush: (topic: PushTopic, body: Uint8Array) => Promise<PushReading>;
  readonly close: () => Promise<void>;
}
