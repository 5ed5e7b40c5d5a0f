import type { OperationId } from "../contract/operations.ts";
import type { PushTopic } from "../contract/pushes.ts";
import type { Exchange, Expectation } from "./exchange.ts";
import type { Knowledge } from "./knowledge.ts";
import type { WireRequest } from "./wire.ts";

export interface CallHow {
  readonly headers?: Readonly<Record<string, string>>;
  readonly expectation?: Expectation;
  /** Changes the request that the table gives, such as the letter case of its path. */
  readonly change?: (request: WireRequest) => WireRequest;
  /** Not counted for the time budget: larger than what an operator waits for. */
  readonly isLarge?: true;
}

/** What a check works with. */
export interface Trial {
  /** Part of every number this run invents, so that its traces can be recognised. */
  readonly runId: string;
  readonly known: Knowledge;
  /** Sends the request that the table gives for this input. Whatever comes back is held to the laws as well. */
  readonly call: (operation: OperationId, input?: unknown, how?: CallHow) => Promise<Exchange>;
  /** Brings something in over the adapter's own inbound routes; false where there are none. */
  readonly push: (topic: PushTopic, elements: unknown) => Promise<boolean>;
  /** The one result that this endpoint has had for everything so far, as one that is not needed may. */
  readonly declinedWith: (operation: OperationId) => string | null;
  /** Tries again for a few seconds until it is so. */
  readonly until: (isSo: () => Promise<boolean>) => Promise<boolean>;
  readonly complain: (exchange: Exchange, expected: string) => void;
  readonly skip: (why: string) => never;
}
