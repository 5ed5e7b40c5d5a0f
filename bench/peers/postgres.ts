import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "../../test/peers/free-port.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { Skipped } from "./skipped.ts";

export interface PostgresSettings {
  readonly connectionString: string;
  /** Size of the server's connection pool. */
  readonly connections: number;
}

/** A separate PostgreSQL with default settings: every commit is synced before it is answered. */
export async function startPostgres(): Promise<Daemon & { readonly connectionString: string }> {
  const [programs] = globSync("/usr/lib/postgresql/*/bin/initdb").map(dirname).sort().reverse();
  if (programs === undefined) throw new Skipped("there is no PostgreSQL (Debian: apt-get install postgresql)");
  const owner = ownerOfServer();
  const folder = mkdtempSync(join(tmpdir(), "crossdock-bench-postgres-"));
  const data = join(folder, "data");
  let started: Daemon | null = null;
  try {
    if (owner !== null) chownSync(folder, owner.uid, owner.gid);
    const initArgs = ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C"];
    execFileSync(join(programs, "initdb"), initArgs, { ...owner, stdio: "ignore", cwd: folder });
    const port = await freePort();
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: folder,
      fsync: "on",
      synchronous_commit: "on",
    };
    const daemon = await startDaemon({
      program: join(programs, "postgres"),
      args: [
        "-D",
        data,
        "-p",
        String(port),
        ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
      ],
      options: { ...owner, cwd: folder },
      isUp: () => spawnSync(join(programs, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)]).status === 0,
      // This signal closes connections instead of waiting for them.
      stopSignal: "SIGINT",
    });
    started = daemon;
    const asked = "SELECT current_setting('fsync') || current_setting('synchronous_commit')";
    const psqlArgs = ["-h", "127.0.0.1", "-p", String(port), "-U", "bench", "-d", "postgres", "-Atc", asked];
    const output = execFileSync(join(programs, "psql"), psqlArgs, { encoding: "utf8" }).trim();
    if (output !== "onon") throw new Error(`PostgreSQL does not sync every commit: ${output}`);
    return {
      connectionString: `postgres://bench@127.0.0.1:${port}/postgres`,
      stop: async () => {
        await daemon.stop();
        rmSync(folder, { recursive: true });
      },
    };
  } catch (error) {
    await started?.stop();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** PostgreSQL refuses to run as root, so the user of its package is used. */
function ownerOfServer(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) => {
    const { status, stdout } = spawnSync("id", [flag, "postgres"], { encoding: "utf8" });
    if (status !== 0) throw new Skipped("PostgreSQL does not run as root, and there is no user postgres");
    return Number(stdout);
  };
  return { uid: idOf("-u"), gid: idOf("-g") };
}
