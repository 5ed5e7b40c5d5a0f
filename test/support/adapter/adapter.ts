import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { onTestFinished } from "vitest";
import { startReplicated } from "../../../src/app/replicated/start-replicated.ts";
import { start } from "../../../src/app/start.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { createClient } from "../../../src/contract/derive/client.ts";
import type { Log } from "../../../src/kit/log.ts";
import type { Clock } from "../../../src/kit/time/clock.ts";
import type { ConnectorDefinition } from "../../../src/sdk/connector.ts";
import { addressOfPeer } from "../../peers/peer.ts";
import { newFolder, removeFolder } from "../temporary-folder.ts";

export const apiKey = "test-key";

export interface AdapterOptions {
  /** Members of the configuration file. */
  readonly config?: object;
  readonly connector?: ConnectorDefinition;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly folder?: string;
  /** The variables that the configuration refers to. */
  readonly env?: Readonly<Record<string, string>>;
  readonly sample?: boolean;
  /** Registers the function that stops the adapter. A suite that shares one adapter stops it itself. */
  readonly onFinished?: (close: () => Promise<void>) => void;
}

/** `npm run test:postgres` runs the same tests on adapters whose data is in PostgreSQL. */
const isOnPostgres = process.env["CROSSDOCK_TEST_STORE"] === "postgres";

/**
 * Far longer than an answer takes, also on a busy machine: the budgets of a deployment end what is slow, and here that
 * would be the machine. A test about budgets names its own.
 */
export const budgets = { eventMs: 5_000, stepMs: 10_000, scanMs: 10_000, listMs: 60_000 };

/** A real adapter on a free port of the loopback, stopped when the test ends. */
export async function startAdapter(options: AdapterOptions = {}) {
  const folder = options.folder ?? newFolder();
  writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ budgets, ...options.config }));
  const env = { PORT: "0", CROSSDOCK_API_KEY: apiKey, CROSSDOCK_SAMPLE: String(options.sample ?? false) };
  const loaded = await loadConfig({ env: { ...env, ...options.env }, cwd: folder });
  const { config, settings, describe, redact } = loaded;
  const given = {
    config,
    describe,
    redact,
    settings: { ...settings, apiKey },
    ...(options.connector === undefined ? {} : { connector: options.connector }),
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  };
  const adapter = isOnPostgres ? await startOnPostgres(given, folder) : await start(given);
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await adapter.close();
    if (options.folder === undefined) removeFolder(folder);
  };
  (options.onFinished ?? onTestFinished)(close);
  /** Writes another configuration and reloads the adapter, as SIGHUP does. */
  const reload = async (next: object, moreEnv: Record<string, string> = {}) => {
    writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ budgets, ...next }));
    return adapter.reload(await loadConfig({ env: { ...env, ...moreEnv }, cwd: folder }));
  };
  return { url: adapter.url, folder, close, reload, client: createClient({ baseUrl: adapter.url, apiKey }) };
}

/** Each folder is a deployment of its own, so that an adapter that is started again on it finds its data. */
async function startOnPostgres(given: Parameters<typeof start>[0], folder: string) {
  const { user, password, host, port, database } = await addressOfPeer("postgres");
  const store = `postgres://${user}:${password}@${host}:${port}/${database}`;
  return await startReplicated({ ...given, config: { ...given.config, deployment: basename(folder) }, store });
}
