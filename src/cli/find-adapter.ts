import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../kit/narrow.ts";
import { type AdapterAddress, AdapterGone, type AdminClient, adminClient } from "./admin-client.ts";
import { CommandFailure, type Terminal } from "./command.ts";
import { settingsWithKey } from "./given-api-key.ts";
import { hasService, usualPlaces } from "./service/service-plan.ts";

export interface AdapterOptions {
  readonly url: string | undefined;
  readonly data: string | undefined;
}

export const adapterOptions = {
  url: { value: "URL", description: "address of the adapter (else the one that runs on the data folder)" },
  data: { value: "FOLDER", description: "its data folder (else CROSSDOCK_DATA_DIR, else data)" },
} as const;

/** Finds the data folder, and the adapter that runs on it or at the given address; null if none runs. */
export async function findAdapter(
  { url, data }: AdapterOptions,
  terminal: Terminal,
): Promise<{ dataFolder: string; adapter: AdapterAddress | null }> {
  const [{ keptApiKey }, { readAdapterFile }] = await Promise.all([
    import("../app/api-key.ts"),
    import("../app/adapter-file.ts"),
  ]);
  const env = data === undefined ? terminal.env : { ...terminal.env, CROSSDOCK_DATA_DIR: data };
  const { dataFolder, apiKey } = await settingsWithKey({ env, cwd: terminal.cwd });
  if (url === undefined) refuseForeignFolder(dataFolder);
  const found = url === undefined ? readAdapterFile(dataFolder)?.url : checked(url, terminal);
  if (found === undefined) return { dataFolder, adapter: null };
  const key = apiKey ?? keptApiKey(dataFolder);
  if (key === null) {
    throw new CommandFailure(`there is no key for ${found}`, {
      next: "set the adapter's key in CROSSDOCK_API_KEY, or name its data folder with --data",
    });
  }
  return { dataFolder, adapter: { url: found, key } };
}

/** For commands that work on the files themselves, and so need no key. */
export async function findDataFolder(
  { data }: Pick<AdapterOptions, "data">,
  terminal: Terminal,
): Promise<{ dataFolder: string; isRunning: boolean }> {
  const { readAdapterFile } = await import("../app/adapter-file.ts");
  const env = data === undefined ? terminal.env : { ...terminal.env, CROSSDOCK_DATA_DIR: data };
  const { dataFolder } = await settingsWithKey({ env, cwd: terminal.cwd });
  refuseForeignFolder(dataFolder);
  return { dataFolder, isRunning: readAdapterFile(dataFolder) !== null };
}

/** Without this, a folder of another user looks like one that no adapter runs on. */
export function refuseForeignFolder(dataFolder: string): void {
  for (const name of ["adapter.json", "crossdock.db"]) {
    try {
      accessSync(join(dataFolder, name), constants.R_OK);
    } catch (error) {
      if (errorCode(error) !== "EACCES") continue;
      throw new CommandFailure(`this user may not read ${dataFolder}`, {
        next: `run the command as the adapter's user, such as with: sudo -u crossdock crossdock status --data ${dataFolder}`,
      });
    }
  }
}

function checked(url: string, terminal: Terminal): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) {
    throw new CommandFailure(`${url} is not an address`, { next: "write it like http://127.0.0.1:8080" });
  }
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(parsed.hostname);
  if (parsed.protocol === "http:" && !isLocal) {
    terminal.complain(`crossdock: the key is sent to ${parsed.host} unencrypted; use https or a tunnel`);
  }
  return url.replace(/\/+$/, "");
}

/** For commands that can also read the files of a stopped adapter. */
export function nothingStored(dataFolder: string): CommandFailure {
  const { message, next } = noAdapter(dataFolder);
  return new CommandFailure(`${message}, and it has no data yet`, { next });
}

/** Commands are often copied without the folder of the service, and `start` would then begin a second adapter. */
export function noAdapter(dataFolder: string, serviceFolder = ofService()): CommandFailure {
  const isOther = serviceFolder !== null && serviceFolder !== dataFolder && existsSync(serviceFolder);
  return new CommandFailure(`no adapter is running on ${dataFolder}`, {
    next: isOther
      ? `name the folder of the service with --data ${serviceFolder}, or start another adapter with: crossdock start`
      : "start it with: crossdock start, or name another one with --data or --url",
  });
}

const ofService = (): string | null => (hasService(process.platform) ? usualPlaces[process.platform].dataFolder : null);

/** For commands that need a running adapter. */
export async function withAdapter<Answer>(
  options: AdapterOptions,
  terminal: Terminal,
  use: (client: AdminClient) => Promise<Answer>,
): Promise<Answer> {
  const { dataFolder, adapter } = await findAdapter(options, terminal);
  if (adapter === null) throw noAdapter(dataFolder);
  try {
    return await use(adminClient(adapter));
  } catch (error) {
    if (!(error instanceof AdapterGone)) throw error;
    throw options.url === undefined
      ? noAdapter(dataFolder)
      : new CommandFailure(error.message, { next: "check the address, and whether the adapter is running" });
  }
}

/** The two sources of stored data: the running adapter and its file. */
export interface TwoSources<Source> {
  readonly remote: (client: AdminClient) => Source;
  /** The file of an adapter that is not running; null if there is none. */
  readonly stored: (dataFolder: string) => Promise<{ readonly source: Source; readonly close: () => void } | null>;
  /** The notice that the file is used instead, such as "its journal file is read". */
  readonly fallbackText: string;
}

/**
 * Queries the running adapter, else reads its file: the data of a stopped adapter is often the data people look for.
 */
export async function fromAdapterOrFile<Source, Answer>(
  options: AdapterOptions,
  terminal: Terminal,
  sources: TwoSources<Source>,
  query: (source: Source) => Promise<Answer>,
): Promise<Answer> {
  const { dataFolder, adapter } = await findAdapter(options, terminal);
  if (adapter !== null) {
    try {
      return await query(sources.remote(adminClient(adapter)));
    } catch (error) {
      if (!(error instanceof AdapterGone)) throw error;
      if (options.url !== undefined) throw new CommandFailure(error.message, { next: "check the address" });
    }
  }
  const stored = await sources.stored(dataFolder);
  if (stored === null) throw nothingStored(dataFolder);
  terminal.complain(`No adapter is running on ${dataFolder}; ${sources.fallbackText}.`);
  try {
    return await query(stored.source);
  } finally {
    stored.close();
  }
}
