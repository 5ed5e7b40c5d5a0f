import type { IncomingMessage, ServerResponse } from "node:http";
import type { QueryId } from "../contract/operations.ts";
import type { PushTopic } from "../contract/pushes.ts";
import type { Engine } from "../engine/engine.ts";
import type { UserCount } from "../kit/user-count.ts";
import type { SenderCheck } from "./auth/sender-check.ts";
import type { BulkHandler } from "./connection/bulk-parser.ts";
import type { hostGuard } from "./connection/host-guard.ts";
import type { ContractHandler } from "./contract/contract-routes.ts";
import type { PushHandler } from "./inbound/inbound-reading.ts";
import type { InboundTables } from "./inbound/inbound-tables.ts";
import type { PlatformGuard } from "./platform-auth.ts";

/** Everything one request needs, made from one configuration. Immutable; a reload makes another one. */
export interface ServerSnapshot {
  /** Each request counts from its first byte until its answer was sent. */
  readonly users: UserCount;
  readonly engine: Engine;
  /** The engine for pushes. */
  readonly pushEngine: Pick<Engine, "accept" | "acceptIdempotent" | "acceptStaged" | "recall">;
  readonly contract: ContractHandler;
  /** Null if large bodies stay in this thread. */
  readonly bulk: BulkHandler | null;
  /** Whether answering would block this thread although the request is short; absent: none would. */
  readonly isLong?: ((id: QueryId, input: unknown) => boolean) | undefined;
  readonly pushes: PushHandler | null;
  readonly inbound: InboundTables;
  readonly senders: SenderCheck;
  /** Null if the platform needs no credentials. */
  readonly platform: PlatformGuard | null;
  readonly checkHost: ReturnType<typeof hostGuard>;
  /** Topics whose pushes no list would show, with the text to log when one was stored. */
  readonly unservedPushes: ReadonlyMap<PushTopic, string>;
  /** Topics whose pushes are refused, with the reason. */
  readonly refusedPushes: ReadonlyMap<PushTopic, string>;
}

// A member of the request itself: a WeakMap would cost as much per request as finding its route.
const taken = Symbol("snapshot");
interface WithSnapshot extends IncomingMessage {
  [taken]?: ServerSnapshot;
}

/** Gives a request its snapshot once, at its beginning: a reload does not affect a running request. */
export function takeSnapshot(request: WithSnapshot, snapshot: ServerSnapshot): void {
  snapshot.users.enter();
  request[taken] = snapshot;
}

export function snapshotOf(request: WithSnapshot): ServerSnapshot {
  const snapshot = request[taken];
  if (snapshot === undefined) throw new Error("the request has no snapshot");
  return snapshot;
}

/** Without this, a replaced snapshot and its connectors would stay open until their time limit. */
export function leaveWhenAnswered(request: WithSnapshot, response: ServerResponse): void {
  const snapshot = request[taken];
  if (snapshot !== undefined) response.once("close", () => snapshot.users.leave());
}
