import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";

/** A PostgreSQL of a run's own, on loopback. */
export interface OwnPostgres {
  /** Without the name of a database. */
  readonly url: string;
  /** Makes a database anew, empty or as a copy of another one that nobody uses. */
  readonly createDatabase: (name: string, template?: string) => Promise<void>;
  readonly hasDatabase: (name: string) => Promise<boolean>;
  /** Runs a statement and returns its output, one line per row. */
  readonly execute: (database: string, sql: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

const user = "erp";
const password = "erp-pw";
const installedAt = "/usr/lib/postgresql";

/** Debian keeps each version in a folder of its own, outside the path. */
function programsOf(): string {
  const versions = readdirSync(installedAt).toSorted((a, b) => Number(b) - Number(a));
  return join(installedAt, versions[0] ?? "", "bin");
}

/** PostgreSQL refuses to run as root, so root runs it as the user that Debian's package has made. */
async function run(program: string, parameters: readonly string[]): Promise<void> {
  if (process.getuid?.() === 0) await runCommand("runuser", ["-u", "postgres", "--", program, ...parameters]);
  else await runCommand(program, parameters);
}

export async function startPostgres(folder: string, port: number): Promise<OwnPostgres> {
  const programs = programsOf();
  mkdirSync(folder, { recursive: true });
  const [data, secret] = [join(folder, "data"), join(folder, "password")];
  writeFileSync(secret, password);
  if (process.getuid?.() === 0) {
    await runCommand("chown", ["-R", "postgres:", folder]);
    chmodSync(folder, 0o755);
  }
  if (!existsSync(data)) await initialise(programs, folder, { data, secret, port });
  // The port of an earlier run may be taken by now, and the folder may have been moved.
  const how = ["-D", data, "-l", join(folder, "log"), "-w", "-o", `-p ${port} -k ${folder}`];
  await run(join(programs, "pg_ctl"), [...how, "start"]);
  const env = { PGPASSWORD: password };
  const where = ["-h", "127.0.0.1", "-p", String(port), "-U", user];
  return {
    url: `postgresql://${user}:${password}@127.0.0.1:${port}`,
    createDatabase: async (name, template) => {
      const copied = template === undefined ? [] : ["-T", template];
      await runCommand(join(programs, "dropdb"), [...where, "--if-exists", name], { env });
      await runCommand(join(programs, "createdb"), [...where, ...copied, name], { env });
    },
    hasDatabase: async (name) => {
      const listed = await runCommand(join(programs, "psql"), [...where, "-d", "postgres", "-lqtA"], { env });
      return listed.split("\n").some((line) => line.startsWith(`${name}|`));
    },
    execute: (database, sql) =>
      runCommand(join(programs, "psql"), [...where, "-d", database, "-qtA", "-v", "ON_ERROR_STOP=1", "-c", sql], {
        env,
      }),
    stop: () => run(join(programs, "pg_ctl"), ["-D", data, "-m", "fast", "-w", "stop"]),
  };
}

async function initialise(
  programs: string,
  folder: string,
  { data, secret, port }: { readonly data: string; readonly secret: string; readonly port: number },
): Promise<void> {
  const access = ["--auth=scram-sha-256", `--pwfile=${secret}`, "-E", "UTF8", "--locale=C.UTF-8"];
  await run(join(programs, "initdb"), ["-D", data, "-U", user, ...access]);
  // The power is not cut here, and without synchronous writes the modules are created in half the time.
  const settings = { listen_addresses: "'127.0.0.1'", port, unix_socket_directories: `'${folder}'`, fsync: "off" };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  appendFileSync(join(data, "postgresql.conf"), lines.join(""));
}

/** Waits for what needs the database, and stops the database if that fails: nobody else would. */
export async function orStop<Started>(postgres: OwnPostgres, starting: Promise<Started>): Promise<Started> {
  try {
    return await starting;
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
