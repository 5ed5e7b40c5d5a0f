import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, chownSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "pg";
import { openClient } from "../../../src/replication/postgres/open-client.ts";
import { freePort } from "../../../test/peers/free-port.ts";
import { linkedLibraries, withLibraries } from "../../../test/peers/postgres.ts";
import { postgresBinaries } from "../../../test/peers/postgres-binaries.ts";
import type { Stage } from "../stage.ts";
import { waitUntil } from "../wait.ts";

/** A PostgreSQL and a synchronous standby of it. */
export interface PostgresPair {
  /** The address of the server that accepts writes at the beginning. */
  readonly url: string;
  /** The address of the server that accepts writes now. */
  readonly address: () => string;
  /** Kills the server that accepts writes, and the other one takes its place. Settles when that one accepts writes. */
  readonly failOver: () => Promise<void>;
  /** Gives the server that accepts writes a synchronous standby again. */
  readonly repair: () => Promise<void>;
}

interface Server {
  readonly folder: string;
  readonly port: number;
  readonly process: ChildProcess;
}

const user = "postgres";
const password = "peer-password";

const urlOf = ({ port }: Pick<Server, "port">): string => `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;

export async function startPostgresPair(stage: Stage): Promise<PostgresPair> {
  const top = stage.folder("pair");
  for (const each of [top, `${top}/..`]) chmodSync(each, 0o755);
  const data = join(top, "data-1");
  const { module, libraries } = await postgresBinaries(top);
  const program = join(libraries, "../bin/postgres");
  const links = linkedLibraries(top, libraries);
  await withLibraries(links, () =>
    new module.default({
      ...{ databaseDir: data, user, password, persistent: true, onLog: () => {} },
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    }).initialise(),
  );
  const { uid, gid } = statSync(data);
  let primary = await run(data, await freePort());
  let standby: Server | null = null;
  let copies = 1;

  const pair: PostgresPair = {
    url: urlOf(primary),
    address: () => urlOf(primary),
    failOver: async () => {
      if (standby === null) throw new Error("there is no standby");
      await end(primary, "SIGKILL");
      await ask(standby, async (client) => {
        await client.query("SELECT pg_promote()");
        // It has no standby yet, so it must not wait for a confirmation.
        await client.query("ALTER SYSTEM SET synchronous_standby_names = ''");
        await client.query("SELECT pg_reload_conf()");
      });
      primary = standby;
      standby = null;
    },
    repair: async () => {
      const folder = join(top, `data-${++copies}`);
      await ask(primary, async (client) => {
        await client.query("SELECT pg_backup_start('chaos', true)");
        cpSync(primary.folder, folder, {
          recursive: true,
          filter: (file) => !/postmaster\.(pid|opts)$/.test(file),
        });
        const { rows } = await client.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)");
        writeFileSync(join(folder, "backup_label"), rows[0]?.labelfile ?? "");
      });
      writeFileSync(join(folder, "standby.signal"), "");
      const from = `host=127.0.0.1 port=${primary.port} user=${user} password=${password} application_name=second`;
      appendFileSync(join(folder, "postgresql.auto.conf"), `\nprimary_conninfo = '${from}'\n`);
      own(folder);
      standby = await run(folder, await freePort());
      await ask(primary, async (client) => {
        await client.query("ALTER SYSTEM SET synchronous_standby_names = 'second'");
        await client.query("SELECT pg_reload_conf()");
        const isSynchronous = async () =>
          (await client.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).rowCount === 1;
        if (!(await waitUntil(isSynchronous, { withinMs: 60_000, everyMs: 50 }))) {
          throw new Error("the standby of PostgreSQL does not follow");
        }
      });
    },
  };
  await pair.repair();
  return pair;

  function own(folder: string): void {
    if (process.getuid?.() === 0) execFileSync("chown", ["-R", `${uid}:${gid}`, folder]);
    chmodSync(folder, 0o700);
  }

  async function run(folder: string, port: number): Promise<Server> {
    const logFile = join(top, `log-${port}`);
    writeFileSync(logFile, "");
    chownSync(logFile, uid, gid);
    const settings = {
      ...{ port, listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync: "off", wal_keep_size: "512MB" },
    };
    const args = ["-D", folder, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
    const child = spawn(program, args, {
      ...(process.getuid?.() === 0 ? { uid, gid } : {}),
      env: { ...process.env, LD_LIBRARY_PATH: links.join(":") },
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr?.on("data", (chunk) => appendFileSync(logFile, chunk));
    const server: Server = { folder, port, process: child };
    stage.onEnd(() => end(server, "SIGKILL"));
    const isUp = () =>
      ask(server, async () => {}).then(
        () => true,
        () => false,
      );
    if (!(await waitUntil(isUp, { withinMs: 60_000, everyMs: 50 }))) {
      throw new Error(`PostgreSQL did not start: ${readFileSync(logFile, "utf8").slice(-1000)}`);
    }
    return server;
  }

  async function end({ process: child, folder }: Server, signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  }

  async function ask<Done>(server: Pick<Server, "port">, work: (client: Client) => Promise<Done>): Promise<Done> {
    const client = await openClient({ url: urlOf(server), name: "chaos", timeoutMs: 60_000 });
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}
