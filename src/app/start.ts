import type { Config } from "../config/config-schema.ts";
import { plainDescription } from "../config/load-config.ts";
import { withoutForward } from "../config/sections/forward-connectors.ts";
import { ownBookings } from "../engine/intake/own-bookings.ts";
import { createIntake } from "../engine/intake/take-batch.ts";
import { queryAgain } from "../engine/quarantine/query-again.ts";
import { recordRetry } from "../engine/quarantine/retry-record.ts";
import { servedOrders } from "../engine/queries/check-served.ts";
import { loadSoon } from "../http-client/network/connection-pool.ts";
import { openStates } from "../journal/entry.ts";
import { type CurrentSnapshot, currentSnapshot } from "../kit/current-snapshot.ts";
import { newReference, prefixedIds } from "../kit/ids.ts";
import { silentLog, withoutFloods } from "../kit/log.ts";
import { type Open, openAll } from "../kit/open-all.ts";
import { keepTicksFast } from "../kit/threads/keep-ticks-fast.ts";
import { systemClock } from "../kit/time/clock.ts";
import { steadyTime, systemTimers } from "../kit/time/timers.ts";
import { tracedLog } from "../kit/tracing/traced-log.ts";
import { bulkHandler, pushHandler } from "../large-bodies/large-body-handlers.ts";
import { prepareTexts } from "../messages/localise.ts";
import { deploymentWarnings, servedInstead } from "../runtime/check/deployment-warnings.ts";
import { baseOpener } from "../runtime/open-base.ts";
import { identityProvider } from "../runtime/open-oidc.ts";
import { bookingOf, type ReloadReport, reloader, runSources } from "../runtime/reload.ts";
import { fetchJwks, senderChecks } from "../runtime/sender-checks.ts";
import {
  makeSnapshot,
  type OpenParts,
  openParts,
  releaseParts,
  type Snapshot,
  type Wanted,
} from "../runtime/snapshot.ts";
import { offerOf } from "../sdk/connector.ts";
import { followUpOrders } from "../store/changes/read-follow-ups.ts";
import { ownWorkIn } from "../store/changes/read-own-work.ts";
import { alertChannels } from "./alarms/open-channels.ts";
import { openAdapterLog } from "./log/open-adapter-log.ts";
import { callsOut } from "./openers/calls-out.ts";
import { openDataFolder } from "./openers/open-data-folder.ts";
import { openDelivery } from "./openers/open-delivery.ts";
import { openServing } from "./openers/open-serving.ts";
import { openWatch } from "./openers/open-watch.ts";
import type { RunningAdapter, StartOptions, Surroundings } from "./openers/start-options.ts";
import type { LoadedSample } from "./sample-warehouse/load.ts";
import { telemetryOf } from "./telemetry-of.ts";

export type { Reloaded, RunningAdapter, StartOptions } from "./openers/start-options.ts";

/**
 * Starts an adapter. This is the only place where all rooms meet: resources are opened one after the other, and closed
 * in reverse order.
 */
export async function start(options: StartOptions): Promise<RunningAdapter> {
  // Before the journal is opened, which may take long: ticks that are slow by then stay slow.
  keepTicksFast();
  const { clock = systemClock, config, redact } = options;
  const lines = openAdapterLog({ log: options.log ?? silentLog, config, clock, redact });
  const log = withoutFloods(lines.log, clock);
  const { opened, close } = await openAll((open) => openAdapter({ ...options, clock, log, lines }, open), {
    onOpened: (name) => log.debug({ name }, "opened"),
    onClosed: (name) => log.debug({ name }, "closed"),
    onCloseFailed: (error) => log.error({ err: error }, "not everything could be closed after the failed start"),
  });
  return { ...opened, close };
}

async function openAdapter(
  options: StartOptions & Pick<Surroundings, "clock" | "log" | "lines">,
  open: Open,
): Promise<Omit<RunningAdapter, "close">> {
  const { config, settings, clock, lines, describe = plainDescription, connector: outside, mount } = options;
  const timers = systemTimers;
  // Telemetry is opened first, so that it is closed last: it sends what the others measured until their end.
  const telemetry = options.telemetry ?? (await telemetryOf(settings, { log: options.log, timers }, open));
  const tracing = telemetry?.tracing;
  const log = tracing === undefined ? options.log : tracedLog(options.log, tracing);
  const around: Surroundings = { ...options, timers, log, tracing };
  let runtime: CurrentSnapshot<Snapshot> | null = null;
  /** The current snapshot. There is none before the adapter listens, and nothing needs one earlier. */
  const current = (): Snapshot => {
    if (runtime === null) throw new Error("there is no snapshot yet");
    return runtime.current();
  };

  // Loading the server library takes as long as opening the writer, so both happen at the same time.
  const loading = import("../server/server.ts").then((library) => {
    prepareTexts();
    return library;
  });
  const onServed = servedOrders({ record: (facts) => current().engine.record(facts), log });
  const data = await openDataFolder({ ...around, onServed }, open);
  const { databaseFile, journal, read, quarantine, intakeFile, overruling, findSubject, storeReader, disk, guards } =
    data;

  const opening = { databaseFile, clock, log, timers, dates: config, connectorStates: data.connectorStates, tracing };
  const bases = baseOpener({ ...opening, outside });
  const onTouched = bases.dropCaches;
  const followUps = followUpOrders(storeReader, data.longTexts);
  const partsNeeds = { opening, read, findSubject, followUps, guardFor: guards.guardFor, openBase: bases.open };
  const openFor = (wanted: Wanted, before: Snapshot | null) => openParts(partsNeeds, wanted, before);
  const parts = await open(
    "connectors",
    () => openFor({ config, describe }, null),
    (one) => (runtime === null ? releaseParts(one) : runtime.close()),
  );
  // Derived events are known only now; nothing was accepted before.
  if (Object.keys(parts.derived).length > 0) journal.change(bookingOf(parts));
  const watching = await openWatch(around, data, current, open);
  const { watch, alarms } = watching;
  const delivery = await openDelivery({ ...around, targets: parts.targets, onTouched }, data, watching, open);
  const { outbox, followed, seenIds } = delivery;

  let ownUrl = "";
  const snapshotNeeds = {
    ...{
      clock,
      log,
      newReference,
      onTouched,
      watch,
      quarantine,
      overruling,
      host: settings.host,
      tracing,
    },
    writing: {
      ...{ journal: followed, outbox, timers, newToken: newReference, isDiskFull: disk.isFull },
      ...{ underWay: new Map(), steadyTime: steadyTime({ clock, timers }) },
      maskSecrets: lines.maskSecrets,
      findSubject,
    },
    newEntryId: prefixedIds("evt_", clock),
    channelsFor: (holds: Config, before: Snapshot | null) =>
      alertChannels(holds, before, { clock, ownUrl: () => ownUrl }),
    identityProviderFor: ({ console }: Config, before: Snapshot | null) =>
      identityProvider(console.oidc, before?.identityProvider ?? null, clock.now),
    checksFor: senderChecks({ apiKey: settings.apiKey, clock, seenIds, fetchJwks }),
    pushesFor: (holds: Config) => pushHandler(holds, { clock, timers }),
    // A connector given as code cannot be opened in another thread, so its large bodies stay in the main thread.
    bulkFor: ({ config: holds, base }: Pick<OpenParts, "config" | "base">) =>
      outside === undefined
        ? bulkHandler(holds, { databaseFile, timers, byElement: base.queries.byElement ?? [] })
        : null,
  };
  const make = (from: OpenParts, before: Snapshot | null) => makeSnapshot(snapshotNeeds, from, before);
  const snapshots = currentSnapshot(make(parts, null), timers);
  runtime = snapshots;
  const sample = settings.sample && data.isFirstStart ? await loadSample() : null;

  const intakeOf = watch.intakeOf(
    createIntake({
      ...{ ...intakeFile, overruling, current, timers, log, tracing },
      ownBookings: ownBookings(ownWorkIn(storeReader), read),
    }),
  );
  const retries = recordRetry({
    ...{ quarantine, intakeOf, dates: () => current().dates },
    unserved: (kind) => current().unservedPushes.get(kind),
    queryAgain: queryAgain({
      engine: () => current().engine,
      serving: (kind) => servedInstead(kind, current().config),
    }),
  });
  const openSources = () => runSources({ intakeOf, log });
  const sources = await open("sources", openSources, (one) => one.stop());
  const openReloads = () =>
    reloader({ settings, runtime: snapshots, open: openFor, make, journal, outbox, sources, log });
  const reloads = await open("reload", openReloads, (one) => one.close());
  const { url, reloadCertificates, metrics } = await openServing(
    {
      ...{ ...around, current: snapshots.current, telemetry, recordRetry: retries, reload, library: await loading },
      ownUrl: () => ownUrl,
      onListening: (address) => {
        ownUrl = address;
      },
      // The stop begins here, so that a slow source stops while requests are finished.
      onClosing: () => void sources.stop(),
    },
    data,
    watching,
    delivery,
    open,
  );
  await sources.follow(current().opened);
  let cancelLoading = () => {};
  const loadHttp = () => {
    cancelLoading();
    if (callsOut(current().config)) cancelLoading = loadSoon(timers);
  };
  await open("outgoing HTTP", loadHttp, () => cancelLoading());
  warn();
  alarms.watch(outbox);
  mount?.opened({ isIdle, metrics: metrics.own });

  return { url, sample, reload, needsRestart: () => journal.failure() !== null };

  function isIdle(): boolean {
    const { opened, channels } = current();
    if (channels.byName.size > 0 || journal.isCatchingUp()) return false;
    if ([...opened.values()].some(({ connector }) => connector.source !== undefined)) return false;
    const counts = read.counts();
    return openStates.every((state) => counts[state] === 0);
  }

  async function reload(loaded: Parameters<RunningAdapter["reload"]>[0]): Promise<ReloadReport> {
    // Secrets must be known to the log before its connectors are used for the first time.
    lines.learn(loaded.config, loaded.redact);
    const report = await reloads.reload(loaded);
    // Only now: a refused configuration must not change what is logged, and who is masked there.
    lines.configure(loaded.config);
    reloadCertificates(current().config.platform.tls);
    loadHttp();
    warn();
    options.onReloaded?.(loaded);
    return report;
  }

  /** Logs settings that are allowed but probably not meant. */
  function warn(): void {
    const { config: holds, opened } = current();
    const offers = new Map([...opened].map(([name, { connector }]) => [name, offerOf(connector)]));
    // Those about polls are logged when the polls start.
    const ofOperations = [...opened].flatMap(([name, { connector }]) =>
      (connector.warnings ?? []).flatMap((text) => (text.startsWith("operations.") ? [`${name}: ${text}`] : [])),
    );
    for (const text of [...deploymentWarnings(holds, withoutForward(offers)), ...ofOperations])
      log.warn({ warning: text }, "a setting is allowed but probably not meant");
  }

  async function loadSample(): Promise<LoadedSample> {
    const { loadSampleWarehouse } = await import("./sample-warehouse/load.ts");
    return await loadSampleWarehouse({ engine: current().engine, clock, dates: config });
  }
}
