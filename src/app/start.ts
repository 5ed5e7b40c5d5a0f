import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Server } from "node:tls";
import { embedded } from "../connectors/embedded/connector.ts";
import { openApi } from "../contract/derive/openapi.ts";
import type { PushTopic } from "../contract/pushes.ts";
import { createEngine } from "../engine/engine.ts";
import { createIntake } from "../engine/intake.ts";
import { createTally } from "../engine/metrics/tally.ts";
import { createOutbox } from "../engine/outbox/create-outbox.ts";
import { openOverview } from "../engine/overview/open-overview.ts";
import { pruneRegularly } from "../engine/prune-regularly.ts";
import { openIntakeFile } from "../engine/quarantine/open-intake-file.ts";
import { servedOrders } from "../engine/served-orders.ts";
import { adminRoutes } from "../http/admin-routes.ts";
import { contractRoutes } from "../http/contract-routes.ts";
import { docsRoutes } from "../http/docs-routes.ts";
import { healthRoutes } from "../http/health-routes.ts";
import { hostGuard, isLoopback } from "../http/host-guard.ts";
import { inboundRoutes } from "../http/inbound/inbound-routes.ts";
import { metricsRoutes } from "../http/metrics-routes.ts";
import { platformAuth } from "../http/platform-auth.ts";
import { quarantineRoutes } from "../http/quarantine-routes.ts";
import { inputReader } from "../http/read-input.ts";
import { receiptRoute } from "../http/receipt-route.ts";
import { openSqliteJournal } from "../journal/sqlite/open-sqlite-journal.ts";
import { type Clock, systemClock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import { type Log, silentLog, withoutFloods } from "../kit/log.ts";
import { type Open, openAll } from "../kit/open-all.ts";
import { openDatabase } from "../kit/sqlite.ts";
import { systemTimers } from "../kit/timers.ts";
import type { ConnectorDefinition } from "../sdk/connector.ts";
import { offerOf } from "../sdk/offer.ts";
import { removeAdapterFile, writeAdapterFile } from "./adapter-file.ts";
import { flowWatch } from "./alerts/flow-watch.ts";
import { openAlarms } from "./alerts/open-alarms.ts";
import type { Config } from "./config-schema.ts";
import { openDeployment } from "./deployment.ts";
import { deploymentWarnings, refusedPush, unservedPush } from "./deployment-warnings.ts";
import { eventThread } from "./event-thread.ts";
import { withoutForward } from "./forward/forward-connectors.ts";
import { liveInbound } from "./live-inbound.ts";
import { liveSettings } from "./live-settings.ts";
import { type LoadedConfig, plainDescription } from "./load-config.ts";
import { notebooks } from "./notebooks.ts";
import { baseOpener } from "./open-base.ts";
import { embeddedOptionsOf } from "./open-connector.ts";
import { openMetrics } from "./open-metrics.ts";
import { orderBooksIn } from "./order-books-in.ts";
import { outsideGuard } from "./outside-guard.ts";
import { readinessOf } from "./readiness-of.ts";
import { newReference } from "./references.ts";
import { type ReloadReport, reloader } from "./reload.ts";
import { runSources } from "./run-sources.ts";
import type { LoadedSample } from "./sample-warehouse/load.ts";
import { openSenderDesk } from "./sender-desk.ts";
import type { Settings } from "./settings.ts";
import { liveBulk, livePushes, liveRoad } from "./swapped-roads.ts";
import { tlsListener } from "./tls-listener.ts";
import { refuseUnfinishedRestore } from "./unfinished-restore.ts";
import { versionInfo } from "./version-info.ts";
import { watchDisk } from "./watch-disk.ts";

export interface StartOptions extends Partial<Pick<LoadedConfig, "describe">> {
  readonly config: Config;
  readonly settings: Settings & { readonly apiKey: string };
  readonly log?: Log;
  readonly clock?: Clock;
  /** Serves the contract instead of the embedded system. */
  readonly connector?: ConnectorDefinition;
}

export interface RunningAdapter {
  /** Where it listens, with the base path. */
  readonly url: string;
  /** What the sample warehouse brought on this very start; null where it was not loaded. */
  readonly sample: LoadedSample | null;
  /** Goes over to another configuration without dropping a request; throws a ConfigError and changes nothing. */
  readonly reload: (loaded: Pick<LoadedConfig, "config" | "settings" | "describe">) => Promise<ReloadReport>;
  readonly close: () => Promise<void>;
}

/** With what follows it, a stop stays within five seconds. */
const closeMs = 1_800;
const stopDeliveriesMs = 1_500;

/** The only place where everything meets: a list of things that are opened, and closed again in reverse order. */
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
  const { config, settings, clock, log, describe = plainDescription } = options;
  const { basePath } = config;
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 });
  const databaseFile = join(settings.dataFolder, "crossdock.db");

  refuseUnfinishedRestore(settings.dataFolder);
  const isFirstStart = !existsSync(databaseFile);
  const outside = options.connector;
  // The server library takes as long to load as the writer takes to open: here they do so at the same time.
  const loading = import("../http/server.ts");
  const openJournal = () =>
    openSqliteJournal({
      databaseFile,
      residentModule: (outside ?? embedded).residentModule,
      residentOptions: embeddedOptionsOf(config),
      emissionTarget: config.events.to,
    });
  const journal = await open("journal", openJournal, (one) => one.close());
  const { bodiesFor, createServer } = await loading;
  for (const notice of journal.notices) log.error({ notice }, "the data folder was not as it was left");
  const { dataFolder } = settings;
  const notes = await open(
    "connector state",
    () => notebooks(dataFolder, log),
    (one) => one.close(),
  );
  const intakeFile = await open(
    "intake file",
    () => openIntakeFile({ dataFolder, clock, timers: systemTimers, log }),
    (one) => one.close(),
  );
  const { quarantine } = intakeFile;
  // Asked for only once there is an engine: nobody is asked before the adapter listens.
  const onServed = servedOrders({ record: (facts) => engine.record(facts), log });
  const watched = { dataFolder, read: journal.read, quarantine, clock, timers: systemTimers, log };
  const island = await open(
    "fallback data",
    () => outsideGuard({ ...watched, onServed }),
    (one) => one.close(),
  );
  const booksFile = await open(
    "books",
    () => openDatabase(databaseFile, { readOnly: true }),
    (one) => one.close(),
  );
  const disk = await open(
    "disk watch",
    () => watchDisk({ folder: dataFolder, timers: systemTimers, log }),
    (one) => one.stop(),
  );
  const context = { databaseFile, clock, log, timers: systemTimers, dates: config, notebooks: notes };
  const bases = await open(
    "embedded store",
    () => baseOpener({ ...context, outside }),
    (one) => one.close(),
  );
  const openConnectors = () =>
    openDeployment({
      ...{ config, describe, opening: context, read: journal.read },
      ...{ guardFor: island.guardFor, openBase: bases.open },
    });
  const deployment = await open("connectors", openConnectors, (one) => one.close());
  const live = liveSettings(() => deployment.current().config);
  const { dropCaches } = deployment;
  await open(
    "pruning",
    () => pruneRegularly({ journal, clock, timers: systemTimers, log, retention: live.retention }),
    (stop) => stop(),
  );
  const current = () => deployment.current().config;
  const books = orderBooksIn(booksFile);
  const openAlarmWatch = () =>
    openAlarms({ dataFolder, current, clock, timers: systemTimers, log, journal, quarantine, disk, books });
  const alarms = await open("alarms", openAlarmWatch, (one) => one.close());
  const tally = createTally();
  journal.onBatch(tally.committed);
  const watch = flowWatch({ tally, flows: alarms.flows, current });
  const openOutbox = () =>
    createOutbox({
      journal,
      targets: deployment.current().targets,
      clock,
      timers: systemTimers,
      random: Math.random,
      log,
      newToken: newReference,
      onTouched: dropCaches,
      onAttempt: watch.onAttempt,
      settings: { concurrency: config.events.concurrency },
    });
  const outbox = await open("outbox", openOutbox, (one) => one.stop(stopDeliveriesMs));
  const engine = watch.engine(
    createEngine({
      routing: deployment.routing,
      writing: {
        journal,
        outbox,
        timers: systemTimers,
        newToken: newReference,
        get repeatWindowMs() {
          return live.repeatWindowMs;
        },
        isDiskFull: () => disk.state() === "full",
        forwardModes: () => deployment.current().forwardModes,
      },
      clock,
      log,
      budgets: live.budgets,
      served: live.served,
      newEntryId: () => `evt_${newId(clock)}`,
      newReference,
      onTouched: dropCaches,
    }),
  );
  const pushes = await open(
    "large pushes",
    () => livePushes({ current, clock, timers: systemTimers }),
    (one) => one.close(),
  );
  const events = await open("large events", eventThread, (one) => one.close());
  const openBulk = () =>
    liveBulk({
      current,
      databaseFile,
      byElement: () => deployment.current().base.asks.byElement ?? [],
      timers: systemTimers,
    });
  // A connector given as code cannot be opened again in another thread; its large bodies stay in this one.
  const bulk = outside === undefined ? await open("large bodies", openBulk, (one) => one.close()) : null;
  const sample = settings.sample && isFirstStart ? await loadSample() : null;

  const intakeOf = createIntake({ ...intakeFile, engine, dates: live.dates, timers: systemTimers, log });
  const sources = await open(
    "sources",
    () => runSources({ intakeOf: watch.intakeOf(intakeOf), log }),
    (one) => one.stop(),
  );
  const reloads = await open(
    "reload",
    () => reloader({ settings, deployment, bases, journal, outbox, sources, log }),
    (one) => one.close(),
  );
  const desk = await open(
    "senders",
    () => openSenderDesk({ dataFolder, current, apiKey: settings.apiKey, clock, timers: systemTimers, log }),
    (one) => one.close(),
  );
  let isClosing = false;
  const road = liveRoad(current, { engine, log, newReference });
  const version = versionInfo();
  const bodyLimitBytes = config.bodyLimitMiB * 2 ** 20;
  const { tls: files } = config.platform;
  const tls =
    files === undefined
      ? null
      : await open(
          "certificates",
          () => tlsListener({ files, timers: systemTimers, log }),
          (one) => one.stop(),
        );
  const secured = tls === null ? {} : { tls: tls.options };
  const { configured, table } = liveInbound(current, basePath);
  const checkHost = hostGuard(() => ({ isLoopback: isLoopback(settings.host), hosts: current().hosts }));
  const bodies = bodiesFor(bodyLimitBytes);
  const edges = { basePath, bodyLimitBytes, bodies, configured, checkHost, ...secured };
  const figures = { tally, outbox, read: journal.read, quarantine, disk, alarms: alarms.raised, clock };
  const metrics = await open(
    "metrics",
    () => openMetrics({ ...figures, version: version.version }),
    (one) => one.close(),
  );
  const app = await open(
    "server",
    () => createServer({ ...edges, log, newReference }),
    async (one) => {
      // Requests that were taken in are finished; what is still open after that is a reader that does not read.
      const force = setTimeout(() => one.server.closeAllConnections(), closeMs);
      await one.close();
      clearTimeout(force);
    },
  );
  platformAuth(app, { basePath, guard: desk.platform, newReference });
  desk.senders.follow(app);
  const { onAnswer } = watch;
  const onTaken: typeof watch.onTaken = (topic, sender) => {
    watch.onTaken(topic, sender);
    const unseen = unservedPush(topic, current());
    if (unseen !== null) log.warn({ topic, sender }, unseen);
  };
  const reader = inputReader();
  contractRoutes(app, { engine, road, bulk, reader, events, versionInfo: version, bodyLimitBytes, bodies, onAnswer });
  const refusal = (topic: PushTopic) => refusedPush(topic, current());
  inboundRoutes(app, { engine, pushes, table, senders: desk.senders, onTaken, refusal, basePath, newReference });
  receiptRoute(app, { read: journal.read, senders: desk.senders, basePath, newReference });
  const overview = openOverview({ journal, outbox, books, clock });
  adminRoutes(app, { overview, log, dates: live.dates, apiKey: settings.apiKey, basePath, newReference });
  quarantineRoutes(app, { quarantine, apiKey: settings.apiKey, basePath, newReference });
  const readiness = () =>
    readinessOf({
      isClosing,
      journalFailure: journal.failure(),
      refusedWrite: journal.trouble().refused,
      isDiskFull: disk.state() === "full",
      island: island.islandState(),
      alarms: alarms.raised(),
    });
  healthRoutes(app, { basePath, readiness });
  metricsRoutes(app, { basePath, clock, text: metrics.text });
  docsRoutes(app, { basePath, openApi: () => openApi({ version: version.version, serverUrl: basePath || "/" }) });
  const address = await app.listen({ port: settings.port, host: settings.host });

  // The same server, made with certificates; its declared type does not know that.
  tls?.follow(app.server as unknown as Server);
  const url = address + basePath;
  await open(
    "address",
    () => writeAdapterFile(dataFolder, { url, pid: process.pid }),
    () => {
      isClosing = true;
      removeAdapterFile(dataFolder);
      // Begun here, so that a source that takes long to stop does so while requests are finished.
      void sources.stop();
    },
  );
  await sources.follow(deployment.current().opened);
  warn();
  alarms.watch(outbox, url);

  return {
    url,
    sample,
    reload: async (loaded) => {
      const report = await reloads.reload(loaded);
      tls?.reload(current().platform.tls);
      warn();
      return report;
    },
  };

  /** What is allowed and probably not meant. */
  function warn(): void {
    const { config: holds, opened } = deployment.current();
    const offers = new Map([...opened].map(([name, { held }]) => [name, offerOf(held.connector)]));
    for (const text of deploymentWarnings(holds, withoutForward(offers))) log.warn({}, text);
  }

  async function loadSample(): Promise<LoadedSample> {
    const { loadSampleWarehouse } = await import("./sample-warehouse/load.ts");
    return await loadSampleWarehouse({ engine, clock, dates: config });
  }
}
