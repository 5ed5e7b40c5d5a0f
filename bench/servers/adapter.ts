import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { start } from "../../src/app/start.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { defineConnector, Type } from "../../src/sdk/index.ts";
import { adapterConfig } from "../data/adapter-config.ts";
import { benchKey } from "../data/bench-key.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

export interface AdapterSettings {
  readonly folder: string;
  /** Where the events are delivered to; absent: to nobody. */
  readonly eventsTo?: string;
  /** Whether the events are booked in the embedded system as well; false: the external system keeps all books. */
  readonly isBooked?: boolean;
  /** Over the configuration that all have, section by section. */
  readonly config?: object;
}

/** Code in the place of the embedded system, as an integrator gives it; it keeps nothing here. */
const booksElsewhere = defineConnector({
  type: "elsewhere",
  summary: "keeps nothing here",
  options: Type.Object({}),
  open: async () => ({ operations: {}, check: async () => {}, close: async () => {} }),
});

/** The whole adapter on a data folder, as `crossdock start` runs it. */
const { folder, eventsTo, isBooked = true, config: own } = childSettings<AdapterSettings>();

await serveJobs(async () => {
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ ...adapterConfig(eventsTo), ...own }));
  const apiKey = benchKey;
  const env = { PORT: "0", CROSSDOCK_API_KEY: apiKey, CROSSDOCK_SAMPLE: "false", CROSSDOCK_DATA_DIR: folder };
  const { config, settings } = await loadConfig({ env, cwd: folder });
  const connector = isBooked ? {} : { connector: booksElsewhere };
  const adapter = await start({ config, settings: { ...settings, apiKey }, ...connector });
  // Whatever the job: the most memory this process has ever held.
  const run = () => process.resourceUsage().maxRSS / 1024;
  return { ready: { url: adapter.url }, run, close: adapter.close };
});
