import { versionInfo } from "../../src/app/version-info.ts";
import { type EventId, operationRow } from "../../src/contract/operations.ts";
import { pushes } from "../../src/contract/pushes.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { defaultBudgets } from "../../src/engine/queries/call.ts";
import { routing } from "../../src/engine/queries/routing.ts";
import type { NewEntry } from "../../src/journal/entry.ts";
import type { Appended, Journal } from "../../src/journal/journal.ts";
import { UserCount } from "../../src/kit/current-snapshot.ts";
import { newId } from "../../src/kit/ids.ts";
import { silentLog } from "../../src/kit/log.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { systemTimers } from "../../src/kit/time/timers.ts";
import { ok } from "../../src/operation/outcome.ts";
import type { SeenIds } from "../../src/server/auth/open-seen-ids.ts";
import { createSenderCheck } from "../../src/server/auth/verify-sender.ts";
import { hostGuard } from "../../src/server/connection/host-guard.ts";
import { contractHandler, contractRoutes } from "../../src/server/contract/contract-routes.ts";
import { inputReader } from "../../src/server/contract/read-input.ts";
import { inboundTables } from "../../src/server/inbound/inbound-route.ts";
import { inboundRoutes } from "../../src/server/inbound/inbound-routes.ts";
import { createServer } from "../../src/server/server.ts";
import type { ServerSnapshot } from "../../src/server/server-snapshot.ts";
import { benchKey } from "../data/bench-key.ts";
import type { JobServer } from "../harness/processes/serve-jobs.ts";
import { noOutbox } from "./no-outbox.ts";

const newReference = () => "";
const bodyLimitBytes = 64 * 2 ** 20;

/**
 * A server with the same routes, reading, checks and envelopes as the adapter. Instead of writing to the journal it
 * awaits the given function. Nothing is applied and nothing is delivered.
 */
export async function openFront(store: (entry: NewEntry) => Promise<unknown>): Promise<JobServer> {
  const connector = { operations: {}, check: async () => {}, close: async () => {} };
  const engine = createEngine({
    routing: routing({ queries: connector, isBooked: true }),
    writing: {
      journal: journalOver(store),
      outbox: noOutbox,
      newToken: newReference,
      repeatWindowMs: 0,
      isDiskFull: () => false,
      timers: systemTimers,
    },
    clock: systemClock,
    log: silentLog,
    budgets: defaultBudgets,
    served: { dates: { timeZone: "UTC", timeOfDay: "00:00" }, invalidOrders: "quarantine" },
    newEntryId: () => `evt_${newId(systemClock)}`,
    newReference,
    onTouched: () => {},
  });
  const snapshot: ServerSnapshot = {
    users: new UserCount(),
    engine,
    pushEngine: engine,
    contract: contractHandler({ engine, log: silentLog, validationMode: "envelope", newReference }),
    bulk: null,
    pushes: null,
    inbound: inboundTables({ timeZone: "UTC", timeOfDay: "00:00", inbound: [], files: { profiles: [] } }, ""),
    senders: createSenderCheck({ senders: {}, apiKey: benchKey, clock: systemClock, seenIds: noIds, fetchJwks }),
    platform: null,
    checkHost: hostGuard({ isLoopback: true }),
    unservedPushes: new Map(),
    refusedPushes: new Map(),
  };
  const app = createServer({ basePath: "", bodyLimitBytes, log: silentLog, newReference, current: () => snapshot });
  const aside = { hasBulk: false, events: null };
  contractRoutes(app, { ...aside, reader: inputReader(), bodyLimitBytes, versionInfo: versionInfo() });
  inboundRoutes(app, { log: silentLog, basePath: "", newReference });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return { ready: { url }, close: () => app.close() };
}

function journalOver(store: (entry: NewEntry) => Promise<unknown>): Journal {
  let seq = 0;
  const append = async (entry: NewEntry): Promise<Appended> => {
    await store(entry);
    seq++;
    const base = {
      seq,
      state: "delivered",
      suspectOf: null,
      emitted: [],
      open: null,
      superseded: [],
      touched: false,
    } as const;
    return { ...base, id: entry.id, outcome: outcomeOf(entry.topic) };
  };
  const notHere = () => {
    throw new Error("there is no journal here");
  };
  return {
    append: (entries) => Promise.all(entries.map(append)),
    appendIdempotent: notHere,
    stage: notHere,
    onMoved: () => {},
    isCatchingUp: () => false,
    recall: () => null,
    noteWritten: () => {},
    markAnswered: () => {},
    takeBackAnswered: () => {},
    failure: () => null,
    trouble: () => ({ refused: null, damage: null }),
    close: async () => {},
    start: notHere,
    note: notHere,
    settle: notHere,
    act: notHere,
    prune: notHere,
    backup: notHere,
    read: {
      entry: notHere,
      entryInTurns: notHere,
      brief: notHere,
      attempts: notHere,
      latestAttempt: notHere,
      progress: notHere,
      exchanges: notHere,
      audit: notHere,
      list: notHere,
      open: notHere,
      counts: notHere,
      deadCounts: notHere,
      heldBy: notHere,
      lanesLike: notHere,
    },
  };
}

const withData = ok({ updateWorkOrderRequest: null });
const withoutData = ok(null);

/** The answer to an entry. Events and pushes are appended here; the topic of an event is its operation. */
const outcomeOf = (topic: string) =>
  Object.hasOwn(pushes, topic) || operationRow(topic as EventId).data === undefined ? withoutData : withData;

/** Never used, because no sender here signs or has a token. */
const noIds: SeenIds = { begin: () => "new", keep: async () => {}, release: () => {}, close: () => {} };
const fetchJwks = () => Promise.reject(new Error("there is no issuer here"));
