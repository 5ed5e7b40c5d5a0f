import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import type { PeerDefinition } from "./peer.ts";
import { postgresBinaries } from "./postgres-binaries.ts";

const user = "postgres";
const password = "peer-password";

/** PostgreSQL as the registry has it. */
export const peer: PeerDefinition = {
  missing: () => null,
  start: async (folder) => {
    const { module, libraries } = await postgresBinaries(folder);
    const { default: EmbeddedPostgres } = module;
    const port = await freePort();
    const said: string[] = [];
    const server = new EmbeddedPostgres({
      databaseDir: join(folder, "data"),
      port,
      user,
      password,
      persistent: false,
      // The server refuses to run as root; an ordinary person runs it as himself.
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
      // Many tests use it at the same time, each with processes of its own.
      postgresFlags: [
        ...["fsync=off", "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=500"].flatMap(
          (setting) => ["-c", setting],
        ),
      ],
      onLog: (text) => said.push(String(text)),
      onError: (error) => said.push(String(error)),
    });
    const linked = linkedLibraries(folder, libraries);
    await withLibraries(linked, async () => {
      await server.initialise();
      await server.start();
    }).catch((error) => {
      throw new Error(`${String(error)} ${said.slice(-5).join(" ")}`, { cause: error });
    });
    return {
      address: { host: "127.0.0.1", port, user, password, database: "postgres" },
      stop: () => server.stop(),
      restart: async () => {
        const [pid] = readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n");
        // Its connections end; what is committed stays.
        process.kill(Number(pid), "SIGINT");
        while (existsSync(join(folder, "data", "postmaster.pid"))) await new Promise((next) => setTimeout(next, 20));
        await withLibraries(linked, () => server.start());
      },
    };
  },
};

/** Its programs find their libraries while this work starts them. */
export async function withLibraries(folders: readonly string[], work: () => Promise<void>): Promise<void> {
  const before = process.env["LD_LIBRARY_PATH"];
  try {
    process.env["LD_LIBRARY_PATH"] = [folders, before ?? []].flat().join(":");
    await work();
  } finally {
    if (before === undefined) delete process.env["LD_LIBRARY_PATH"];
    else process.env["LD_LIBRARY_PATH"] = before;
  }
}

/**
 * The package has its libraries under their full version only; the links to them are made by its install script, which
 * many a machine does not run. Here they are made beside the data instead.
 */
export function linkedLibraries(folder: string, libraries: string): string[] {
  const links = join(folder, "lib");
  mkdirSync(links);
  if (!existsSync(libraries)) return [];
  for (const name of readdirSync(libraries)) {
    const short = /^lib.+\.so\.\d+(?=\.\d)/.exec(name)?.[0];
    if (short !== undefined) symlinkSync(join(libraries, name), join(links, short));
  }
  // A library reached by a link looks for its own ones beside the link.
  return [links, libraries];
}
