import type { AdapterAddress } from "./admin-client.ts";
import { CommandFailure } from "./command-failure.ts";
import type { Terminal } from "./terminal.ts";

export interface AdapterOptions {
  readonly url: string | undefined;
  readonly data: string | undefined;
}

export const adapterOptions = {
  url: { value: "URL", description: "address of the adapter (else the one that runs on the data folder)" },
  data: { value: "FOLDER", description: "its data folder (else CROSSDOCK_DATA_DIR, else data)" },
} as const;

/** The folder meant, and the adapter that runs on it or at the given address; null where none runs. */
export async function findAdapter(
  { url, data }: AdapterOptions,
  terminal: Terminal,
): Promise<{ dataFolder: string; adapter: AdapterAddress | null }> {
  const [{ settings }, { keptApiKey }, { readAdapterFile }] = await Promise.all([
    import("../app/settings.ts"),
    import("../app/api-key.ts"),
    import("../app/adapter-file.ts"),
  ]);
  const env = data === undefined ? terminal.env : { ...terminal.env, CROSSDOCK_DATA_DIR: data };
  const { dataFolder } = settings({ env, cwd: terminal.cwd, hasConfigFile: true }).settings;
  const found = url === undefined ? readAdapterFile(dataFolder)?.url : checked(url, terminal);
  if (found === undefined) return { dataFolder, adapter: null };
  const key = env["CROSSDOCK_API_KEY"]?.trim() || keptApiKey(dataFolder);
  if (key === null) {
    throw new CommandFailure(`there is no key for ${found}`, {
      next: "give the adapter's key in CROSSDOCK_API_KEY, or name its data folder with --data",
    });
  }
  return { dataFolder, adapter: { url: found, key } };
}

function checked(url: string, terminal: Terminal): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) {
    throw new CommandFailure(`${url} is no address`, { next: "write it like http://127.0.0.1:8080" });
  }
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(parsed.hostname);
  if (parsed.protocol === "http:" && !isLocal) {
    terminal.complain(`crossdock: the key travels to ${parsed.host} unencrypted; better use https or a tunnel`);
  }
  return url.replace(/\/+$/, "");
}

export function noAdapter(dataFolder: string): CommandFailure {
  return new CommandFailure(`no adapter runs on ${dataFolder}`, {
    next: "start it with: crossdock start, or name another one with --data or --url",
  });
}
