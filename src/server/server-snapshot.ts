import type { EventId, QueryId } from "../contract/operations.ts";
import type { PushTopic } from "../contract/pushes.ts";
import type { Engine } from "../engine/engine.ts";
import type { Given } from "../engine/events/deliver-now.ts";
import type { UserCount } from "../kit/current-snapshot.ts";
import type { Span } from "../kit/tracing/tracing.ts";
import type { PlatformGuard, SenderCheck } from "./auth/sender-check.ts";
import type { BulkHandler } from "./connection/bulk-parser.ts";
import type { hostGuard } from "./connection/host-guard.ts";
import type { Answer } from "./contract/answer.ts";
import type { EventReading, InputReading } from "./contract/read-input.ts";
import type { PushHandler } from "./inbound/inbound-reading.ts";
import type { InboundTables } from "./inbound/inbound-route.ts";

/** Everything one request needs, made from one configuration. Immutable; a reload makes another one. */
export interface ServerSnapshot {
  /** The requests that use this snapshot, each from its first byte until its answer was sent. */
  readonly users: UserCount;
  readonly engine: Engine;
  /** The engine for pushes. */
  readonly pushEngine: Pick<Engine, "accept" | "acceptIdempotent" | "acceptStaged" | "recall">;
  readonly contract: ContractHandler;
  /** Null if large bodies stay in this thread. */
  readonly bulk: BulkHandler | null;
  /** Whether answering a short request would block this thread. Absent: none would. */
  readonly isLong?: ((id: QueryId, input: unknown) => boolean) | undefined;
  readonly pushes: PushHandler | null;
  readonly inbound: InboundTables;
  readonly senders: SenderCheck;
  /** Null if the platform needs no credentials. */
  readonly platform: PlatformGuard | null;
  readonly checkHost: ReturnType<typeof hostGuard>;
  /** Topics whose pushes are stored but never served, with the text to log when one was stored. */
  readonly unservedPushes: ReadonlyMap<PushTopic, string>;
  /** Topics whose pushes are refused, with the reason. */
  readonly refusedPushes: ReadonlyMap<PushTopic, string>;
}

/** Turns parsed input into the envelope. */
export interface ContractHandler {
  readonly query: (id: QueryId, reading: InputReading, acceptLanguage: string | undefined) => Answer | Promise<Answer>;
  readonly event: (
    id: EventId,
    reading: InputReading | EventReading,
    headers: EventHeaders,
    span?: Span,
  ) => Promise<EventResponse>;
  /** The answer for unexpected errors: routes of the contract never answer 5xx. */
  readonly broken: (id: QueryId | EventId, error: unknown, acceptLanguage: string | undefined) => Answer;
}

export interface EventHeaders {
  readonly acceptLanguage: string | undefined;
  /** If a gateway sends a key, it tells a retry from a repeat better than any comparison. */
  readonly idempotencyKey: string | undefined;
}

interface EventResponse {
  readonly answer: Answer;
  /** The entry to mark when the answer has been written completely; null if there is none. */
  readonly given: Given | null;
}
