import { checkOffers, embeddedName, servingConnector } from "../config/checks/check-references.ts";
import type { Config } from "../config/config-schema.ts";
import { ConfigError, type ConfigProblem, type Objection } from "../config/document/config-error.ts";
import { forwardConnectors, forwardedTopic } from "../config/sections/forward-connectors.ts";
import { modesOf } from "../config/sections/forward-options.ts";
import { type PushTopic, pushTopics } from "../contract/pushes.ts";
import type { AlertChannel } from "../engine/alarms/alarm.ts";
import type { FlowWatch, ServedBy } from "../engine/alarms/flow-watch.ts";
import { createEngine, type EngineNeeds } from "../engine/engine.ts";
import type { BadRecordLog } from "../engine/quarantine/order-filter.ts";
import type { Overruling } from "../engine/quarantine/overruled-until.ts";
import { overrulingPushes } from "../engine/quarantine/overruling-pushes.ts";
import type { Quarantine } from "../engine/quarantine/quarantine.ts";
import type { ServedSettings } from "../engine/queries/check-served.ts";
import { capabilityNames } from "../engine/queries/routing.ts";
import type { JournalReader } from "../journal/journal.ts";
import { closeUnused, type Shared, UserCount } from "../kit/current-snapshot.ts";
import type { DateSettings } from "../operation/dates.ts";
import type { FindSubject } from "../operation/event-subject.ts";
import { offerOf } from "../sdk/connector.ts";
import type { BulkHandler } from "../server/connection/bulk-parser.ts";
import { hostGuard, isLoopback } from "../server/connection/host-guard.ts";
import { contractHandler } from "../server/contract/contract-routes.ts";
import type { PushHandler } from "../server/inbound/inbound-reading.ts";
import { inboundTables } from "../server/inbound/inbound-route.ts";
import type { IdentityProvider } from "../server/oidc/oidc-routes.ts";
import type { ServerSnapshot } from "../server/server-snapshot.ts";
import type { FollowUpOrders } from "../store/changes/read-follow-ups.ts";
import { type Bound, bindConnectors } from "./bind-connectors.ts";
import { refusedPush, unservedPush } from "./check/deployment-warnings.ts";
import type { Opening } from "./connector-state.ts";
import type { FallbackGuard } from "./fallback-guard.ts";
import type { Base, OpenBase } from "./open-base.ts";
import { type NamedConnector, NotOpened, openConnectors } from "./open-connectors.ts";
import type { senderChecks } from "./sender-checks.ts";

/** Everything that has to be opened for one configuration; a snapshot is built from it. */
export interface OpenParts extends Bound {
  readonly config: Config;
  readonly base: Base;
  readonly opened: ReadonlyMap<string, NamedConnector>;
  /** The users of the snapshot. */
  readonly users: UserCount;
  /** The queries that are answered from fallback data at the moment. */
  readonly fallbackState: FallbackGuard["state"];
}

/** A configuration to switch to, and how to report its problems. */
export interface Wanted {
  readonly config: Config;
  readonly describe: (objections: readonly Objection[]) => readonly ConfigProblem[];
}

interface OpenPartsNeeds {
  readonly opening: Opening;
  readonly read: JournalReader;
  readonly findSubject?: FindSubject;
  /** The follow-up orders, which no external system knows. */
  readonly followUps?: FollowUpOrders;
  readonly guardFor: (config: Config, users: UserCount) => Promise<FallbackGuard>;
  readonly openBase: OpenBase;
}

/**
 * Opens what a configuration needs and binds it. A connector that is already open with the same options is shared. If
 * anything fails, it throws a ConfigError and leaves nothing open that was not open before.
 */
export async function openParts(
  needs: OpenPartsNeeds,
  { config, describe }: Wanted,
  before: Pick<OpenParts, "config" | "base" | "opened"> | null,
): Promise<OpenParts> {
  const users = new UserCount();
  const opened = await open();
  let base: Base | null = null;
  try {
    const offers = new Map([...opened].map(([name, { connector }]) => [name, offerOf(connector)]));
    const objections = checkOffers(config, offers);
    if (objections.length > 0) throw new ConfigError(describe(objections));
    const { guard, state } = await needs.guardFor(config, users);
    base = await needs.openBase(config, before);
    const bound = bindConnectors({
      config,
      base,
      opened,
      users,
      read: needs.read,
      findSubject: needs.findSubject,
      followUps: needs.followUps,
      guard,
    });
    for (const one of [base, ...opened.values()]) one.keep();
    return { ...bound, config, base, opened, users, fallbackState: state };
  } catch (error) {
    const fresh: Shared[] = [...opened.values()].filter((one) => before?.opened.get(one.name) !== one);
    if (base !== null && base !== before?.base) fresh.push(base);
    await Promise.all(fresh.map(closeUnused));
    throw error;
  }

  async function open(): Promise<Map<string, NamedConnector>> {
    const { timeZone, timeOfDay } = config;
    const opening = { ...needs.opening, dates: { timeZone, timeOfDay } };
    try {
      const connectors = { ...config.connectors, ...forwardConnectors(config.platform.forward) };
      return await openConnectors({
        config: { connectors },
        opening,
        ...(before === null ? {} : { open: before.opened }),
      });
    } catch (error) {
      if (!(error instanceof NotOpened)) throw error;
      const topic = forwardedTopic(error.connector);
      const path = topic === undefined ? ["connectors", error.connector] : ["platform", "forward", topic];
      throw new ConfigError(describe([{ path, text: error.message }]));
    }
  }
}

/** Closes everything that no other snapshot uses. */
export async function releaseParts({ base, opened }: Pick<OpenParts, "base" | "opened">): Promise<void> {
  const released = await Promise.allSettled([base, ...opened.values()].map((one) => one.release()));
  const errors = released.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (errors.length > 0) throw new AggregateError(errors, "not every connector could be closed");
}

/**
 * Everything that follows from one configuration. It never changes: a request, a delivery or a batch takes the current
 * snapshot at its beginning and keeps it to its end, so that it never sees a mixture of two configurations.
 */
export interface Snapshot extends ServerSnapshot, OpenParts {
  readonly dates: DateSettings;
  readonly channels: SnapshotChannels;
  /** Null if none is configured. */
  readonly identityProvider: IdentityProvider | null;
  /** Closes everything that no other snapshot uses. Call it once, when this snapshot has no users. */
  readonly release: () => Promise<void>;
}

/** The alarm channels by name. */
export interface SnapshotChannels extends Shared {
  readonly byName: ReadonlyMap<string, AlertChannel>;
}

type Writing = Required<EngineNeeds>["writing"];

/** What all snapshots share. */
export interface SnapshotNeeds
  extends Pick<EngineNeeds, "clock" | "log" | "newEntryId" | "newReference" | "onTouched" | "tracing"> {
  readonly writing: Omit<Writing, "repeatWindowMs" | "forwardModes"> &
    Required<Pick<Writing, "underWay" | "steadyTime">>;
  readonly watch: Pick<FlowWatch, "engine">;
  readonly quarantine: Pick<Quarantine, "keep" | "holds" | "release">;
  readonly overruling: Pick<Overruling, "begin" | "mayOverrule">;
  readonly checksFor: ReturnType<typeof senderChecks>;
  /** Null if large bodies are read in the main thread. */
  readonly bulkFor: (parts: Pick<OpenParts, "config" | "base">) => BulkHandler | null;
  readonly pushesFor: (config: Config) => PushHandler;
  readonly channelsFor: (config: Config, before: Snapshot | null) => SnapshotChannels;
  readonly identityProviderFor: (config: Config, before: Snapshot | null) => IdentityProvider | null;
  /** The address that the server listens on. */
  readonly host: string;
}

/** Makes a snapshot from opened parts. Synchronous, so that a reload takes effect at one moment. */
export function makeSnapshot(needs: SnapshotNeeds, parts: OpenParts, before: Snapshot | null): Snapshot {
  const { config, routing, users } = parts;
  const { timeZone, timeOfDay, budgets, validationMode, basePath, hosts } = config;
  const { clock, log, newEntryId, newReference, onTouched, tracing } = needs;
  const dates = Object.freeze({ timeZone, timeOfDay });
  const servedBy: ServedBy = new Map(
    capabilityNames.flatMap((capability) => {
      const name = servingConnector(config.serve, capability);
      return name === undefined ? [] : [[capability, name] as const];
    }),
  );
  const engine = needs.watch.engine(
    createEngine({
      ...{ routing, users, clock, log, budgets, newEntryId, newReference, onTouched, tracing },
      served: embeddedBadRecords({ dates, invalidOrders: config.orders.badRecords }, needs.quarantine),
      writing: {
        ...needs.writing,
        repeatWindowMs: config.events.repeatWindowMinutes * 60_000,
        forwardModes: modesOf(config.platform.forward),
      },
    }),
    servedBy,
  );
  const bulk = needs.bulkFor(parts);
  const pushes = needs.pushesFor(config);
  const channels = needs.channelsFor(config, before);
  channels.keep();
  return Object.freeze({
    ...parts,
    ...needs.checksFor(config, before),
    dates,
    channels,
    identityProvider: needs.identityProviderFor(config, before),
    engine,
    pushEngine: overrulingPushes(engine, needs.overruling),
    contract: contractHandler({ engine, log, validationMode, newReference }),
    bulk,
    isLong: parts.base.queries.isLong,
    pushes,
    inbound: inboundTables(config, basePath),
    checkHost: hostGuard({ isLoopback: isLoopback(needs.host), hosts }),
    unservedPushes: perTopic((topic) => unservedPush(topic, config)),
    refusedPushes: perTopic((topic) => refusedPush(topic, config)),
    release: async () => {
      const closing = [bulk?.close(), pushes.close(), channels.release(), releaseParts(parts)];
      const failed = (await Promise.allSettled(closing)).flatMap((one) =>
        one.status === "rejected" ? [one.reason] : [],
      );
      for (const error of failed)
        log.error({ err: error }, "a resource of a replaced configuration could not be closed");
    },
  });
}

const perTopic = (textOf: (topic: PushTopic) => string | null): ReadonlyMap<PushTopic, string> =>
  new Map(
    pushTopics.flatMap((topic) => {
      const text = textOf(topic);
      return text === null ? [] : [[topic, text] as const];
    }),
  );

/** Quarantines records of the embedded store that an earlier version accepted and this version does not serve. */
function embeddedBadRecords(
  served: Pick<ServedSettings, "dates" | "invalidOrders">,
  quarantine: Pick<Quarantine, "keep" | "holds" | "release">,
): ServedSettings {
  const badRecordsOf = (kind: PushTopic): BadRecordLog => ({
    keep: (number, problems, raw) => quarantine.keep({ source: embeddedName, kind, number, problems, raw }),
    holds: (number) => quarantine.holds(embeddedName, kind, number),
    release: (number) => quarantine.release(embeddedName, kind, number),
  });
  return { ...served, badRecords: badRecordsOf("workOrders"), badItems: badRecordsOf("items") };
}
