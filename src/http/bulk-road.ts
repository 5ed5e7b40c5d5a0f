import type { AskId } from "../contract/operations.ts";
import type { Fact } from "../sdk/outcome.ts";
import type { InboundReading } from "./inbound/inbound-reading.ts";

/** Bodies above this leave the main thread: parsing them would stall every other request. */
export const bulkBytes = 128 * 1024;

export interface BulkAnswer {
  readonly status: number;
  readonly contentType: string;
  /** As they come: the first are on their way out while the last are still computed. */
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly facts: readonly Fact[];
  readonly result?: string;
}

/** The same road, in another thread. The bytes are handed over, not copied. */
export interface BulkRoad {
  /** Whether this question is answered there at all; absent: all are. */
  readonly takes?: (id: AskId) => boolean;
  readonly ask: (id: AskId, body: Uint8Array, acceptLanguage: string | undefined) => Promise<BulkAnswer>;
  /** By the name of the route it came in by. */
  readonly readPush: (routeName: string, body: Uint8Array) => Promise<InboundReading>;
  readonly close: () => Promise<void>;
}
