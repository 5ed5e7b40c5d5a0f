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
import { overrulingPushes } from "../engine/quarantine/overruling-pushes.ts";
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
import { secretMask } from "./secret-mask.ts";
import { openSenderDesk } from "./sender-desk.ts";
import type { Settings } from "./settings.ts";
import { liveBulk, livePushes, liveRoad } from "./swapped-roads.ts";
import { tlsListener } from "./tls-listener.ts";
import { refuseUnfinishedRestore } from "./unfinished-restore.ts";
import { versionInfo } from "./version-info.ts";
import { watchDisk } from "./watch-disk.ts";

export interface StartOptions extends Partial<Pick<LoadedConfig, "describe" | "redact">> {
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
  readonly reload: (
    loaded: Pick<LoadedConfig, "config" | "settings" | "describe"> & Partial<Pick<LoadedConfig, "redact">>,
  ) => Promise<ReloadReport>;
  readonly close: () => Promise<void>;
}

/** With what follows it, a stop stays within five seconds. */
const closeMs = 1_800;
const stopDeliveriesMs = 1_500;

/** The only place where everything meets. */
export async function start(options: StartOptions): Promise<RunningAdapter> {
  const { config, settings, clock = systemClock, describe = plainDescription } = options;
  const log = withoutFloods(options.log ?? silentLog, clock);
  const { basePath } = config;
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 });
  const databaseFile = join(settings.dataFolder, "crossdock.db");

  refuseUnfinishedRestore(settings.dataFolder);
  const isFirstStart = !existsSync(databaseFile);
  const outside = options.connector;
  const opening = openSqliteJournal({
    databaseFile,
    residentModule: (outside ?? embedded).residentModule,
    residentOptions: embeddedOptionsOf(config),
    emissionTarget: config.events.to,
  });
  // The server library takes as long to load as the writer takes to open: here they do so at the same time.
  const [journal, { bodiesFor, createServer }] = await Promise.all([opening, import("../http/server.ts")]);
  for (const notice of journal.notices) log.error({ notice }, "the data folder was not as it was left");
  const notes = notebooks(settings.dataFolder, log);
  const { dataFolder } = settings;
  const intakeFile = openIntakeFile({ dataFolder, clock, timers: systemTimers, log });
  const { quarantine } = intakeFile;
  // Asked for only once there is an engine: nobody is asked before the adapter listens.
  const onServed = servedOrders({ record: (facts) => engine.record(facts), log });
  const watched = { dataFolder, read: journal.read, quarantine, clock, timers: systemTimers, log };
  const island = outsideGuard({ ...watched, onServed });
  const context = { databaseFile, clock, log, timers: systemTimers, dates: config, notebooks: notes };
  const bases = baseOpener({ ...context, outside });
  const deployment = await openDeployment({
    config,
    describe,
    opening: context,
    read: journal.read,
    guardFor: island.guardFor,
    openBase: bases.open,
  }).catch(async (error: unknown) => {
    await island.close();
    intakeFile.close();
    notes.close();
    await journal.close();
    throw error;
  });
  const live = liveSettings(() => deployment.current().config);
  const { dropCaches } = deployment;
  const disk = watchDisk({ folder: settings.dataFolder, timers: systemTimers, log });
  const current = () => deployment.current().config;
  const booksFile = openDatabase(databaseFile, { readOnly: true });
  const books = orderBooksIn(booksFile);
  const alarms = openAlarms({
    dataFolder,
    current,
    clock,
    timers: systemTimers,
    log,
    journal,
    quarantine,
    disk,
    books,
  });
  const secrets = secretMask();
  secrets.learn(config, options.redact);
  const tally = createTally();
  journal.onBatch(tally.committed);
  const watch = flowWatch({ tally, flows: alarms.flows, current });
  const outbox = createOutbox({
    journal,
    targets: deployment.current().targets,
    clock,
    timers: systemTimers,
    random: Math.random,
    log,
    newToken: newReference,
    onTouched: dropCaches,
    onAttempt: watch.onAttempt,
    maskSecrets: secrets.mask,
    settings: { concurrency: config.events.concurrency },
  });
  const engine = watch.engine(
    createEngine({
      routing: deployment.routing,
      writing: {
        journal,
        outbox,
        timers: systemTimers,
        newToken: newReference,
        maskSecrets: secrets.mask,
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
  // A connector given as code cannot be opened again in another thread; its large bodies stay in this one.
  const bulk =
    outside === undefined
      ? liveBulk({
          current,
          databaseFile,
          byElement: () => deployment.current().base.asks.byElement ?? [],
          timers: systemTimers,
        })
      : null;
  const pushes = livePushes({ current, clock, timers: systemTimers });
  const sample = settings.sample && isFirstStart ? await loadSample() : null;

  const stopPruning = pruneRegularly({ journal, clock, timers: systemTimers, log, retention: live.retention });
  let closing = false;
  const road = liveRoad(current, { engine, log, newReference });
  const version = versionInfo();
  const bodyLimitBytes = config.bodyLimitMiB * 2 ** 20;
  const { tls: files } = config.platform;
  const tls = files === undefined ? null : tlsListener({ files, timers: systemTimers, log });
  const secured = tls === null ? {} : { tls: tls.options };
  const { configured, table } = liveInbound(current, basePath);
  const checkHost = hostGuard(() => ({ isLoopback: isLoopback(settings.host), hosts: current().hosts }));
  const bodies = bodiesFor(bodyLimitBytes);
  const edges = { basePath, bodyLimitBytes, bodies, configured, checkHost, ...secured };
  const app = createServer({ ...edges, log, newReference });
  const desk = openSenderDesk({ dataFolder, current, apiKey: settings.apiKey, clock, timers: systemTimers, log });
  platformAuth(app, { basePath, guard: desk.platform, newReference });
  desk.senders.follow(app);
  const { onAnswer } = watch;
  const onTaken: typeof watch.onTaken = (topic, sender) => {
    watch.onTaken(topic, sender);
    const unseen = unservedPush(topic, current());
    if (unseen !== null) log.warn({ topic, sender }, unseen);
  };
  const events = eventThread();
  const reader = inputReader();
  contractRoutes(app, { engine, road, bulk, reader, events, versionInfo: version, bodyLimitBytes, bodies, onAnswer });
  const refusal = (topic: PushTopic) => refusedPush(topic, current());
  const pushed = overrulingPushes(engine, { seen: intakeFile.seen, log });
  inboundRoutes(app, {
    engine: pushed,
    pushes,
    table,
    senders: desk.senders,
    onTaken,
    refusal,
    basePath,
    newReference,
  });
  receiptRoute(app, { read: journal.read, senders: desk.senders, basePath, newReference });
  const overview = openOverview({ journal, outbox, books, clock });
  adminRoutes(app, { overview, log, dates: live.dates, apiKey: settings.apiKey, basePath, newReference });
  quarantineRoutes(app, { quarantine, apiKey: settings.apiKey, basePath, newReference });
  const readiness = () =>
    readinessOf({
      isClosing: closing,
      journalFailure: journal.failure(),
      refusedWrite: journal.trouble().refused,
      isDiskFull: disk.state() === "full",
      island: island.islandState(),
      alarms: alarms.raised(),
    });
  healthRoutes(app, { basePath, readiness });
  const figures = { tally, outbox, read: journal.read, quarantine, disk, alarms: alarms.raised, clock };
  const metrics = openMetrics({ ...figures, version: version.version });
  metricsRoutes(app, { basePath, clock, text: metrics.text });
  docsRoutes(app, { basePath, openApi: () => openApi({ version: version.version, serverUrl: basePath || "/" }) });
  const intakeOf = createIntake({ ...intakeFile, engine, dates: live.dates, timers: systemTimers, log });
  const sources = runSources({ intakeOf: watch.intakeOf(intakeOf), log });
  const reloads = reloader({ settings, deployment, bases, journal, outbox, sources, log });
  const address = await app.listen({ port: settings.port, host: settings.host });

  // The same server, made with certificates; its declared type does not know that.
  tls?.follow(app.server as unknown as Server);
  writeAdapterFile(settings.dataFolder, { url: address + basePath, pid: process.pid });
  await sources.follow(deployment.current().opened);
  warn();
  alarms.watch(outbox, address + basePath);

  return {
    url: address + basePath,
    sample,
    reload: async (loaded) => {
      // Before its connectors are used for the first time.
      secrets.learn(loaded.config, loaded.redact);
      const report = await reloads.reload(loaded);
      tls?.reload(current().platform.tls);
      warn();
      return report;
    },
    close: async () => {
      closing = true;
      removeAdapterFile(settings.dataFolder);
      const stoppingSources = sources.stop();
      // Requests that were taken in are finished; what is still open after that is a reader that does not read.
      const force = setTimeout(() => app.server.closeAllConnections(), closeMs);
      tls?.stop();
      await app.close();
      desk.close();
      clearTimeout(force);
      await stoppingSources;
      await bulk?.close();
      await events.close();
      await pushes.close();
      await outbox.stop(stopDeliveriesMs);
      await alarms.close();
      metrics.close();
      await reloads.close();
      await Promise.all([deployment.close(), bases.close()]);
      stopPruning();
      disk.stop();
      booksFile.close();
      await island.close();
      intakeFile.close();
      notes.close();
      await journal.close();
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
