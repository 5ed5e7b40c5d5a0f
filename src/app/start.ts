import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config-schema.ts";
import { secretMask } from "../config/document/resolve-text.ts";
import { type LoadedConfig, plainDescription } from "../config/load-config.ts";
import { withoutForward } from "../config/sections/forward-connectors.ts";
import type { Settings } from "../config/settings.ts";
import { flowWatch } from "../engine/alarms/flow-watch.ts";
import { openActionLog } from "../engine/audit/open-action-log.ts";
import { createOutbox } from "../engine/delivery/create-outbox.ts";
import { openFigures } from "../engine/figures/open-figures.ts";
import { followMoves } from "../engine/intake/accept.ts";
import { ownBookings } from "../engine/intake/own-bookings.ts";
import { createIntake } from "../engine/intake/take-batch.ts";
import { openOverview } from "../engine/journal-view/open-overview.ts";
import { createTally } from "../engine/metrics/metrics.ts";
import { pruneRegularly } from "../engine/prune-regularly.ts";
import { openIntakeFile } from "../engine/quarantine/open-quarantine.ts";
import { recordRetry } from "../engine/quarantine/retry-record.ts";
import { servedOrders } from "../engine/queries/check-served.ts";
import { loadSoon } from "../http-client/network/connection-pool.ts";
import { openStates } from "../journal/entry.ts";
import { openSqliteJournal, type SqliteJournalOptions } from "../journal/sqlite/open-sqlite-journal.ts";
import { watchDisk } from "../journal/watch-disk.ts";
import { type CurrentSnapshot, currentSnapshot } from "../kit/current-snapshot.ts";
import { newReference, prefixedIds } from "../kit/ids.ts";
import { type Log, silentLog, withoutFloods } from "../kit/log.ts";
import { type Open, openAll } from "../kit/open-all.ts";
import type { SideReplica } from "../kit/sqlite/side-database.ts";
import { openDatabase } from "../kit/sqlite/sqlite.ts";
import { type Clock, systemClock } from "../kit/time/clock.ts";
import { systemTimers } from "../kit/time/timers.ts";
import { eventThread } from "../large-bodies/event-thread.ts";
import { bulkHandler, pushHandler } from "../large-bodies/large-body-handlers.ts";
import { deploymentWarnings } from "../runtime/check/deployment-warnings.ts";
import { connectorStates } from "../runtime/connector-state.ts";
import { fallbackGuards } from "../runtime/fallback-guard.ts";
import { baseOpener, embeddedOptionsOf } from "../runtime/open-base.ts";
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
import { type ConnectorDefinition, offerOf } from "../sdk/connector.ts";
import { openSeenIds } from "../server/auth/open-seen-ids.ts";
import { type Readiness, readinessOf } from "../server/ops/health-routes.ts";
import { embedded } from "../store/connector.ts";
import { eventBooks } from "../store/events/read-event-books.ts";
import { ownWorkIn } from "../store/read-own-work.ts";
import { removeAdapterFile, writeAdapterFile } from "./adapter-file.ts";
import { openAlarms } from "./alarms/open-alarms.ts";
import { alertChannels } from "./alarms/open-channels.ts";
import { testChannels } from "./alarms/test-channels.ts";
import { refuseUnfinishedRestore } from "./backup/restore-backup.ts";
import { consoleDesks } from "./console-desks/console-desks.ts";
import type { LoadConfiguration } from "./console-desks/open-config-desk.ts";
import type { Mount } from "./deployments/mount.ts";
import { houseView } from "./house-view.ts";
import { refuseCopy, refuseMovedFolder } from "./move/move-marks.ts";
import { openMetrics } from "./open-metrics.ts";
import { openServer } from "./open-server.ts";
import type { LoadedSample } from "./sample-warehouse/load.ts";
import { orderBooksIn } from "./stored-journal.ts";
import { versionInfo } from "./version-info.ts";

/** What `start` needs: the configuration, the environment and, optionally, a connector given as code. */
export interface StartOptions extends Partial<Pick<LoadedConfig, "describe" | "redact">> {
  readonly config: Config;
  readonly settings: Settings & { readonly apiKey: string };
  readonly log?: Log;
  readonly clock?: Clock;
  /** The configuration's file, so that it can be changed from the console; absent: it cannot. */
  readonly configuration?: { readonly path: string; readonly load: LoadConfiguration };
  /** The script of the command line, so that the console can run its tools; absent: it cannot. */
  readonly program?: string | undefined;
  /** Serves the contract instead of the embedded system. */
  readonly connector?: ConnectorDefinition;
  /** Has every commit before the data folder; the data folder is then only a copy. */
  readonly replica?: {
    readonly journal: SqliteJournalOptions["replica"];
    readonly sides: SideReplica;
    /** Whether this process surely is the owner at this moment. */
    readonly isOurs: () => boolean;
    readonly isFirstStart: boolean;
    /** What this process owns, for whoever asks whether it is ready. */
    readonly owns: Readiness["owner"];
    /** With it, other processes prove for whom they pass a request on. */
    readonly secret: string;
  };
  /** Takes requests from a listener that serves several adapters; absent: it listens itself. */
  readonly mount?: Mount;
  /** Called when everything is ready to serve; the port must be free afterwards. */
  readonly beforeListen?: () => void;
}

/** A running adapter. */
export interface RunningAdapter {
  /** The address it listens on, with the base path. */
  readonly url: string;
  /** What the sample warehouse loaded in this start; null if it was not loaded. */
  readonly sample: LoadedSample | null;
  /**
   * Switches to another configuration without dropping a request; if it is invalid, throws a ConfigError and changes
   * nothing.
   */
  readonly reload: (
    loaded: Pick<LoadedConfig, "config" | "settings" | "describe"> & Partial<Pick<LoadedConfig, "redact">>,
  ) => Promise<ReloadReport>;
  /** Whether only a restart can help: nothing can be stored any more. */
  readonly needsRestart: () => boolean;
  readonly close: () => Promise<void>;
}

/** Together with the server's own limit, a stop takes at most five seconds. */
const stopDeliveriesMs = 1_500;

/** The only place where all rooms meet: a list of resources that are opened, and closed again in reverse order. */
export async function start(options: StartOptions): Promise<RunningAdapter> {
  const { clock = systemClock } = options;
  const log = withoutFloods(options.log ?? silentLog, clock);
  const { opened, close } = await openAll((open) => openAdapter({ ...options, clock, log }, open), {
    onOpened: (name) => log.debug({ name }, "opened"),
    onClosed: (name) => log.debug({ name }, "closed"),
    onCloseFailed: (error) => log.error({ err: error }, "not everything could be closed after the failed start"),
  });
  return { ...opened, close };
}

async function openAdapter(
  options: StartOptions & { readonly clock: Clock; readonly log: Log },
  open: Open,
): Promise<Omit<RunningAdapter, "close">> {
  const { config, settings, clock, log, describe = plainDescription, connector: outside, mount } = options;
  const { dataFolder, apiKey } = settings;
  const timers = systemTimers;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const databaseFile = join(dataFolder, "crossdock.db");
  refuseUnfinishedRestore(dataFolder);
  refuseMovedFolder(dataFolder, options.replica === undefined ? null : config.deployment);
  if (options.replica === undefined) refuseCopy(dataFolder);
  const isFirstStart = options.replica?.isFirstStart ?? !existsSync(databaseFile);

  // Loading the server library takes as long as opening the writer, so both happen at the same time.
  const loading = import("../server/server.ts");
  const openJournal = () =>
    openSqliteJournal({
      databaseFile,
      projectionModule: (outside ?? embedded).projectionModule,
      projectionOptions: embeddedOptionsOf(config),
      emissionTarget: config.events.to,
      replica: options.replica?.journal,
    });
  const journal = await open("journal", openJournal, (one) => one.close());
  const { read } = journal;
  for (const notice of journal.notices) log.error({ notice }, "a side file of the data folder is damaged or missing");
  const side = { dataFolder, log, replica: options.replica?.sides };
  const openNotes = () => connectorStates(side);
  const notes = await open("connector state", openNotes, (one) => one.close());
  const openIntake = () => openIntakeFile({ ...side, clock, timers });
  const intakeFile = await open("intake file", openIntake, (one) => one.close());
  const { quarantine } = intakeFile;
  let runtime: CurrentSnapshot<Snapshot> | null = null;
  /** There is no snapshot before the adapter listens, and nothing needs one before. */
  const current = (): Snapshot => {
    if (runtime === null) throw new Error("there is no snapshot yet");
    return runtime.current();
  };
  const onServed = servedOrders({ record: (facts) => current().engine.record(facts), log });
  const openGuards = () => fallbackGuards({ ...side, read, quarantine, onServed, clock, timers });
  const guards = await open("fallback data", openGuards, (one) => one.close());
  const openBooks = () => openDatabase(databaseFile, { readOnly: true });
  const bookFile = await open("books", openBooks, (one) => one.close());
  const books = orderBooksIn(bookFile);
  const readBooks = eventBooks(bookFile, guards.orderOf);
  const openDisk = () => watchDisk({ folder: dataFolder, timers, log });
  const disk = await open("disk watch", openDisk, (one) => one.stop());

  const opening = { databaseFile, clock, log, timers, dates: config, connectorStates: notes };
  const bases = baseOpener({ ...opening, outside });
  const partsNeeds = { opening, read, books: readBooks, guardFor: guards.guardFor, openBase: bases.open };
  const openFor = (wanted: Wanted, before: Snapshot | null) => openParts(partsNeeds, wanted, before);
  const parts = await open(
    "connectors",
    () => openFor({ config, describe }, null),
    (one) => (runtime === null ? releaseParts(one) : runtime.close()),
  );
  // Known only now; nothing was accepted yet.
  if (Object.keys(parts.derived).length > 0) journal.change(bookingOf(parts));
  const retention = () => current().config.retention;
  const openPruning = () => pruneRegularly({ journal, clock, timers, log, retention });
  await open("pruning", openPruning, (stop) => stop());
  const openAlarmWatch = () => openAlarms({ ...side, current, clock, timers, journal, quarantine, disk, books });
  const alarms = await open("alarms", openAlarmWatch, (one) => one.close());
  const secrets = secretMask();
  secrets.learn(config, options.redact);
  const tally = createTally();
  journal.onBatch(tally.committed);
  const openFigureFile = () => openFigures({ ...side, clock, timers });
  const passed = await open("figures", openFigureFile, (one) => one.close());
  const watch = flowWatch({ tally, flows: alarms.flows, figures: passed });
  const actions = await open(
    "actions",
    () => openActionLog({ ...side, clock }),
    (one) => one.close(),
  );
  const onTouched = bases.dropCaches;
  const openOutbox = () =>
    createOutbox({
      ...{ journal, clock, timers, log, onTouched },
      targets: parts.targets,
      random: Math.random,
      newToken: newReference,
      onAttempt: watch.onAttempt,
      maskSecrets: secrets.mask,
      mayDeliver: options.replica?.isOurs,
      settings: { concurrency: config.events.concurrency },
    });
  const outbox = await open("outbox", openOutbox, (one) => one.stop(stopDeliveriesMs));
  followMoves({ journal, outbox, onTouched });
  const events = await open("large events", eventThread, (one) => one.close());
  const openSenders = () => openSeenIds({ ...side, clock, timers });
  const seenIds = await open("senders", openSenders, (one) => one.close());

  const snapshotNeeds = {
    ...{ clock, log, newReference, onTouched, watch, quarantine, seen: intakeFile.seen, host: settings.host },
    writing: {
      ...{ journal, outbox, timers, newToken: newReference, isDiskFull: disk.isFull },
      underWay: new Map(),
      maskSecrets: secrets.mask,
      books: readBooks,
    },
    newEntryId: prefixedIds("evt_", clock),
    channelsFor: (holds: Config, before: Snapshot | null) =>
      alertChannels(holds, before, { clock, ownUrl: () => ownUrl }),
    checksFor: senderChecks({ apiKey, clock, seenIds, fetchJwks }),
    pushesFor: (holds: Config) => pushHandler(holds, { clock, timers }),
    // A connector given as code cannot be opened in another thread, so its large bodies stay in the main thread.
    bulkFor: ({ config: holds, base }: Pick<OpenParts, "config" | "base">) =>
      outside === undefined
        ? bulkHandler(holds, { databaseFile, timers, byElement: base.queries.byElement ?? [] })
        : null,
  };
  let ownUrl = "";
  const make = (from: OpenParts, before: Snapshot | null) => makeSnapshot(snapshotNeeds, from, before);
  const snapshots = currentSnapshot(make(parts, null), timers);
  runtime = snapshots;
  const sample = settings.sample && isFirstStart ? await loadSample() : null;

  const intakeOf = createIntake({
    ...{ ...intakeFile, current, timers, log, stored: side.replica?.stored },
    ownBookings: ownBookings(ownWorkIn(bookFile), read),
  });
  const watchedIntakeOf = watch.intakeOf(intakeOf);
  const retryRecord = recordRetry({
    ...{ quarantine, intakeOf: watchedIntakeOf, dates: () => current().dates },
    unserved: (kind) => current().unservedPushes.get(kind),
  });
  const openSources = () => runSources({ intakeOf: watchedIntakeOf, log });
  const sources = await open("sources", openSources, (one) => one.stop());
  const openReloads = () =>
    reloader({ settings, runtime: snapshots, open: openFor, make, journal, outbox, sources, log });
  const reloads = await open("reload", openReloads, (one) => one.close());
  const figures = { tally, outbox, read, quarantine, disk, alarms: alarms.raised, clock };
  const openMeters = () =>
    openMetrics({ ...figures, version: versionInfo().version, labels: mount && { deployment: mount.name } });
  const metrics = await open("metrics", openMeters, (one) => one.close());
  let isClosing = false;
  const readiness = () =>
    readinessOf({
      isClosing,
      journalFailure: journal.failure(),
      refusedWrite: journal.trouble().refused,
      damage: journal.trouble().damage,
      isDiskFull: disk.isFull(),
      fallback: current().fallbackState(),
      alarms: alarms.raised(),
      owner: options.replica?.owns,
    });
  const overview = openOverview({ journal, outbox, books, clock });
  const desks = consoleDesks({
    ...options,
    apiKey,
    dataFolder,
    reload,
    current: () => current().config,
    url: () => ownUrl,
  });
  const floorDesk = await open("floor desk", desks.floor, (one) => one.close());
  const settled = { config: () => current().config, version: versionInfo().version };
  const house = houseView({ ...settled, overview, quarantine, readiness, clock });
  const testAlarms = (operator: string) => {
    const { channels, users } = current();
    const tested = testChannels({ channels: channels.byName, clock, timers, maskSecrets: secrets.mask }, operator);
    // Otherwise a reload could close a channel that is sending.
    users.during(tested);
    return tested;
  };
  const served = {
    read,
    overview,
    quarantine,
    retryRecord,
    seenIds,
    readiness,
    metricsText: metrics.text,
    maskSecrets: secrets.mask,
    testAlarms,
    house,
    figures: passed,
    actions,
    configDesk: desks.config,
    floorDesk,
  };
  const { url, reloadCertificates } = await openServer(
    {
      ...{ config, settings, current: snapshots.current, hasBulk: outside === undefined, events, watch, ...served },
      ...{ clock, timers, log, mount },
      ...{ callerSecret: options.replica?.secret, beforeListen: options.beforeListen },
    },
    open,
    await loading,
  );
  ownUrl = url;
  await open(
    "address",
    // Who serves several adapters writes the files: they are reached also while they are closed.
    () => (mount === undefined ? writeAdapterFile(dataFolder, { url, pid: process.pid }) : undefined),
    () => {
      isClosing = true;
      if (mount === undefined) removeAdapterFile(dataFolder);
      // Started here, so that a slow source stops while requests are finished.
      void sources.stop();
    },
  );
  await sources.follow(current().opened);
  const callsOut = Object.values(config.connectors ?? {}).some(({ type }) => type === "http" || type === "webhook");
  const loadHttp = () => loadSoon(timers);
  if (callsOut) await open("outgoing HTTP", loadHttp, (cancel) => cancel());
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
    secrets.learn(loaded.config, loaded.redact);
    const report = await reloads.reload(loaded);
    reloadCertificates(current().config.platform.tls);
    warn();
    return report;
  }

  /** Logs settings that are allowed but probably not meant. */
  function warn(): void {
    const { config: holds, opened } = current();
    const offers = new Map([...opened].map(([name, { connector }]) => [name, offerOf(connector)]));
    for (const text of deploymentWarnings(holds, withoutForward(offers))) log.warn({}, text);
  }

  async function loadSample(): Promise<LoadedSample> {
    const { loadSampleWarehouse } = await import("./sample-warehouse/load.ts");
    return await loadSampleWarehouse({ engine: current().engine, clock, dates: config });
  }
}
