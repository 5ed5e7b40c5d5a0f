import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { embedded } from "../connectors/embedded/connector.ts";
import { openApi } from "../contract/derive/openapi.ts";
import { createEngine } from "../engine/engine.ts";
import { routing } from "../engine/routing.ts";
import { contractRoad } from "../http/contract-road.ts";
import { contractRoutes } from "../http/contract-routes.ts";
import { docsRoutes } from "../http/docs-routes.ts";
import { healthRoutes } from "../http/health-routes.ts";
import { inboundRoutes } from "../http/inbound-routes.ts";
import { inputReader } from "../http/read-input.ts";
import { createServer } from "../http/server.ts";
import { openSqliteJournal } from "../journal/sqlite/open-sqlite-journal.ts";
import { type Clock, systemClock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import { type Log, silentLog, withoutFloods } from "../kit/log.ts";
import type { ConnectorDefinition } from "../sdk/connector.ts";
import { bulkThread } from "./bulk-thread.ts";
import type { Config } from "./config-schema.ts";
import { embeddedOptionsOf, openConnector } from "./open-connector.ts";
import { newReference } from "./references.ts";
import { type LoadedSample, loadSampleWarehouse } from "./sample-warehouse/load.ts";
import type { Settings } from "./settings.ts";
import { versionInfo } from "./version-info.ts";

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
const closeMs = 2_500;

/** The only place where everything meets. */
export async function start(options: StartOptions): Promise<RunningAdapter> {
  const { config, settings, clock = systemClock } = options;
  const log = withoutFloods(options.log ?? silentLog, clock);
  const { basePath } = config;
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 });
  const databaseFile = join(settings.dataFolder, "crossdock.db");

  const isFirstStart = !existsSync(databaseFile);
  const outside = options.connector;
  const journal = await openSqliteJournal({
    databaseFile,
    residentModule: (outside ?? embedded).residentModule,
    residentOptions: embeddedOptionsOf(config),
  });
  const context = { databaseFile, clock, log };
  const served =
    outside === undefined
      ? { ...(await openConnector({ config, ...context })), resident: true }
      : { connector: await outside.open({}, context), dropCaches: () => {}, resident: false };
  const engine = createEngine({
    routing: routing(served),
    journal,
    clock,
    log,
    budgets: config.budgets,
    served: { dates: config, invalidOrders: config.orders.invalid },
    newEntryId: () => `evt_${newId(clock)}`,
    newReference,
    onTouched: served.dropCaches,
  });
  // A connector given as code cannot be opened again in another thread; its large bodies stay in this one.
  const bulk = outside === undefined ? bulkThread({ config, databaseFile }) : null;
  const sample = settings.sample && isFirstStart ? await loadSampleWarehouse({ engine, clock, dates: config }) : null;

  let closing = false;
  const road = contractRoad({ engine, log, validationMode: config.validationMode, newReference });
  const version = versionInfo();
  const bodyLimitBytes = config.bodyLimitMiB * 2 ** 20;
  const app = createServer({ basePath, bodyLimitBytes, log, newReference });
  contractRoutes(app, { engine, road, bulk, reader: inputReader(), versionInfo: version, bodyLimitBytes });
  inboundRoutes(app, { engine, bulk, dates: config, apiKey: settings.apiKey, basePath, newReference });
  healthRoutes(app, {
    basePath,
    readiness: () => (closing ? { ready: false, reasons: ["stopping"] } : { ready: true, reasons: [] }),
  });
  docsRoutes(app, { basePath, openApi: () => openApi({ version: version.version, serverUrl: basePath || "/" }) });
  const address = await app.listen({ port: settings.port, host: settings.host });

  return {
    url: address + basePath,
    sample,
    close: async () => {
      closing = true;
      // Requests that were taken in are finished; what is still open after that is a reader that does not read.
      const force = setTimeout(() => app.server.closeAllConnections(), closeMs);
      await app.close();
      clearTimeout(force);
      await bulk?.close();
      await served.connector.close();
      await journal.close();
    },
  };
}
