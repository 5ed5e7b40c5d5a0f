import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tuneGarbageCollection } from "../../src/app/openers/tune-garbage-collection.ts";
import { startReplicated } from "../../src/app/replicated/start-replicated.ts";
import { start } from "../../src/app/start.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { defineConnector, Type } from "../../src/sdk/index.ts";
import { adapterConfig } from "../data/adapter-config.ts";
import { benchKey } from "../data/bench-key.ts";
import { memoryNow, processorUs } from "../harness/processes/memory-now.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

export interface AdapterSettings {
  readonly folder: string;
  /** Target of the events; absent: none. */
  readonly eventsTo?: string;
  /** Whether the events are also applied in the embedded system. */
  readonly isBooked?: boolean;
  /** The PostgreSQL database that stores everything. Absent: the data folder alone. */
  readonly store?: string;
  /** Its name there. Absent: the usual one. */
  readonly deployment?: string;
  /** Further environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Replaces sections of the common configuration. */
  readonly config?: object;
}

const peakMb = () => process.resourceUsage().maxRSS / 1024;

/** A connector given as code instead of the embedded system. It stores nothing. */
const booksElsewhere = defineConnector({
  type: "elsewhere",
  summary: "stores nothing",
  options: Type.Object({}),
  open: async () => ({ operations: {}, check: async () => {}, close: async () => {} }),
});

/** The whole adapter on a data folder, as `crossdock start` runs it. */
const {
  folder,
  eventsTo,
  isBooked = true,
  store,
  deployment,
  variables,
  config: own,
} = childSettings<AdapterSettings>();

await serveJobs(async () => {
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ ...adapterConfig(eventsTo), deployment, ...own }));
  const apiKey = benchKey;
  const env = { PORT: "0", CROSSDOCK_API_KEY: apiKey, CROSSDOCK_SAMPLE: "false", CROSSDOCK_DATA_DIR: folder };
  const { config, settings } = await loadConfig({ env: { ...env, ...variables }, cwd: folder });
  const connector = isBooked ? {} : { connector: booksElsewhere };
  const options = { config, settings: { ...settings, apiKey }, ...connector };
  const adapter = store === undefined ? await start(options) : await startReplicated({ ...options, store });
  // As the command does.
  tuneGarbageCollection();
  const run = (job: unknown) => {
    const { user, system } = process.cpuUsage();
    return job === processorUs ? user + system : job === memoryNow ? process.memoryUsage.rss() / 2 ** 20 : peakMb();
  };
  return { ready: { url: adapter.url }, run, close: adapter.close };
});
