import { existsSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { embedded } from "../connectors/embedded/connector.ts";
import { openApi } from "../contract/derive/openapi.ts";
import { operationIds, operationRow } from "../contract/operations.ts";
import { createEngine } from "../engine/engine.ts";
import { createOutbox } from "../engine/outbox/create-outbox.ts";
import { openOverview } from "../engine/overview/open-overview.ts";
import { pruneRegularly } from "../engine/prune-regularly.ts";
import { routing, type Target } from "../engine/routing.ts";
import { adminRoutes } from "../http/admin-routes.ts";
import { contractRoad } from "../http/contract-road.ts";
import { contractRoutes } from "../http/contract-routes.ts";
import { docsRoutes } from "../http/docs-routes.ts";
import { healthRoutes, type Readiness } from "../http/health-routes.ts";
import { inboundRoutes } from "../http/inbound-routes.ts";
import { inputReader } from "../http/read-input.ts";
import { openSqliteJournal } from "../journal/sqlite/open-sqlite-journal.ts";
import { type Clock, systemClock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import { type Log, silentLog, withoutFloods } from "../kit/log.ts";
import { openDatabase } from "../kit/sqlite.ts";
import { systemTimers } from "../kit/timers.ts";
import type { ConnectorDefinition, OpenConnector, OpenContext } from "../sdk/connector.ts";
import { removeAdapterFile, writeAdapterFile } from "./adapter-file.ts";
import { bulkRoad } from "./bulk-road.ts";
import { changesIn } from "./changes-in.ts";
import type { Config } from "./config-schema.ts";
import { deliveryTarget } from "./delivery-target.ts";
import { type Notebooks, notebooks } from "./notebooks.ts";
import { embeddedOptionsOf, openConnector, openTarget } from "./open-connector.ts";
import { newReference } from "./references.ts";
import type { LoadedSample } from "./sample-warehouse/load.ts";
import type { Settings } from "./settings.ts";
import { versionInfo } from "./version-info.ts";
import { watchDisk } from "./watch-disk.ts";

export interface StartOptions {
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
  readonly close: () => Promise<void>;
}

/** With what follows it, a stop stays within five seconds. */
const closeMs = 1_800;
const stopDeliveriesMs = 1_500;
/** More would hold more memory than exports are worth. */
const maxBulkThreads = 2;

/** The only place where everything meets. */
export async function start(options: StartOptions): Promise<RunningAdapter> {
  const { config, settings, clock = systemClock } = options;
  const log = withoutFloods(options.log ?? silentLog, clock);
  const { basePath } = config;
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 });
  const databaseFile = join(settings.dataFolder, "crossdock.db");

  const isFirstStart = !existsSync(databaseFile);
  const outside = options.connector;
  const opening = openSqliteJournal({
    databaseFile,
    residentModule: (outside ?? embedded).residentModule,
    residentOptions: embeddedOptionsOf(config),
    emissionTarget: config.events.to,
  });
  // The server library takes as long to load as the writer takes to open: here they do so at the same time.
  const [journal, { createServer }] = await Promise.all([opening, import("../http/server.ts")]);
  const notes = notebooks(settings.dataFolder);
  const context = { databaseFile, clock, log, timers: systemTimers, dates: config, notebooks: notes };
  const { asks, dropCaches, target } =
    outside === undefined ? await openConfigured(config, context) : await openGiven(outside, context);
  const outbox = createOutbox({
    journal,
    targets: new Map(target === undefined ? [] : [[target.name, deliveryTargetOf(target)]]),
    clock,
    timers: systemTimers,
    random: Math.random,
    log,
    newToken: newReference,
    onTouched: dropCaches,
    settings: { concurrency: config.events.concurrency },
  });
  const disk = watchDisk({ folder: settings.dataFolder, timers: systemTimers, log });
  const engine = createEngine({
    routing: routing({ asks, isBooked: outside === undefined, target }),
    writing: {
      journal,
      outbox,
      timers: systemTimers,
      newToken: newReference,
      repeatWindowMs: config.events.repeatWindowMinutes * 60_000,
      isDiskFull: () => disk.state() === "full",
    },
    clock,
    log,
    budgets: config.budgets,
    served: { dates: config, invalidOrders: config.orders.invalid },
    newEntryId: () => `evt_${newId(clock)}`,
    newReference,
    onTouched: dropCaches,
  });
  // A connector given as code cannot be opened again in another thread; its large bodies stay in this one.
  const bulk =
    outside === undefined
      ? bulkRoad({
          settings: { config, databaseFile },
          byElement: asks.byElement ?? [],
          threadCount: Math.min(availableParallelism(), maxBulkThreads),
          timers: systemTimers,
        })
      : null;
  const sample = settings.sample && isFirstStart ? await loadSample() : null;

  const stopPruning = pruneRegularly({ journal, clock, timers: systemTimers, log, retention: config.retention });
  let closing = false;
  const road = contractRoad({ engine, log, validationMode: config.validationMode, newReference });
  const version = versionInfo();
  const bodyLimitBytes = config.bodyLimitMiB * 2 ** 20;
  const app = createServer({ basePath, bodyLimitBytes, log, newReference });
  contractRoutes(app, { engine, road, bulk, reader: inputReader(), versionInfo: version, bodyLimitBytes });
  inboundRoutes(app, { engine, bulk, dates: config, apiKey: settings.apiKey, basePath, newReference });
  const books = openDatabase(databaseFile, { readOnly: true });
  const overview = openOverview({ journal, outbox, changesOf: changesIn(books), clock });
  adminRoutes(app, { overview, log, dates: config, apiKey: settings.apiKey, basePath, newReference });
  healthRoutes(app, { basePath, readiness });
  docsRoutes(app, { basePath, openApi: () => openApi({ version: version.version, serverUrl: basePath || "/" }) });
  const address = await app.listen({ port: settings.port, host: settings.host });

  writeAdapterFile(settings.dataFolder, { url: address + basePath, pid: process.pid });

  return {
    url: address + basePath,
    sample,
    close: async () => {
      closing = true;
      removeAdapterFile(settings.dataFolder);
      // Requests that were taken in are finished; what is still open after that is a reader that does not read.
      const force = setTimeout(() => app.server.closeAllConnections(), closeMs);
      await app.close();
      clearTimeout(force);
      await bulk?.close();
      await outbox.stop(stopDeliveriesMs);
      await Promise.all([asks.close(), target?.connector.close()]);
      stopPruning();
      disk.stop();
      books.close();
      notes.close();
      await journal.close();
    },
  };

  function readiness(): Readiness {
    const failure = journal.failure();
    const reasons = [
      ...(closing ? ["stopping"] : []),
      ...(failure === null ? [] : [`${failure}; restart it`]),
      ...(disk.state() === "full" ? ["the disk of the data folder is full"] : []),
    ];
    return { ready: reasons.length === 0, reasons };
  }

  async function loadSample(): Promise<LoadedSample> {
    const { loadSampleWarehouse } = await import("./sample-warehouse/load.ts");
    return await loadSampleWarehouse({ engine, clock, dates: config });
  }

  function deliveryTargetOf({ connector }: Target) {
    const { timeoutMs, ratePerSecond } = config.events;
    return deliveryTarget(connector, { read: journal.read, timeoutMs, ratePerSecond });
  }
}

interface Opened {
  readonly asks: OpenConnector;
  readonly dropCaches: () => void;
  readonly target: Target | undefined;
}

type Opening = Omit<OpenContext, "notebook"> & { readonly notebooks: Notebooks };

async function openConfigured(config: Config, context: Opening): Promise<Opened> {
  const { connector: asks, dropCaches } = await openConnector({
    config,
    ...context,
    notebook: context.notebooks.of(embedded.type),
  });
  const target = await openTarget({ config, ...context, notebook: context.notebooks.of(config.events.to ?? "") });
  return { asks, dropCaches, target: target && { ...target, modes: config.events.modes } };
}

/** A connector given as code answers everything itself: it must agree to what it is told. */
async function openGiven(definition: ConnectorDefinition, context: Opening): Promise<Opened> {
  const connector = await definition.open({}, { ...context, notebook: context.notebooks.of(definition.type) });
  const tells = operationIds.filter((id) => operationRow(id).kind === "tell");
  const modes = Object.fromEntries(tells.map((id) => [id, "direct"]));
  return { asks: connector, dropCaches: () => {}, target: { name: definition.type, connector, modes } };
}
