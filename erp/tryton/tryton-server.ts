import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OwnPostgres } from "../harness/own-postgres.ts";
import type { Say } from "../harness/real-system.ts";
import { runCommand } from "../harness/run-command.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { untilTrytonAnswers } from "./tryton-client.ts";

/** The modules that a warehouse needs. */
const modules = [
  ...["party", "company", "product", "product_measurements", "sale"],
  ...["stock", "stock_lot", "stock_split", "stock_package", "stock_product_location"],
];
export const trytonPackages: readonly string[] = [
  "tryton-server",
  ...modules.map((name) => `tryton-modules-${name.replaceAll("_", "-")}`),
  ...["python3-psycopg2", "postgresql"],
];

const emptyCopy = "empty";
export const trytonLogin = { database: "erp", login: "admin", password: "admin-pw" } as const;

export interface TrytonServer extends ServerProcess {
  readonly baseUrl: string;
}

interface ServerNeeds {
  readonly folder: string;
  readonly postgres: OwnPostgres;
  readonly port: number;
  readonly say: Say;
}

/** Creates Tryton's database and starts its server. */
export async function startTryton({ folder, postgres, port, say }: ServerNeeds): Promise<TrytonServer> {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "trytond.conf");
  const baseUrl = `http://127.0.0.1:${port}`;
  writeFileSync(
    config,
    `[database]\nuri = ${postgres.url}/\n[web]\nlisten = 127.0.0.1:${port}\n[session]\nmax_attempt = 1000\n`,
  );
  const secret = join(folder, "password");
  writeFileSync(secret, trytonLogin.password);
  const env = { TRYTONPASSFILE: secret };
  const administer = (...parameters: readonly string[]) =>
    runCommand("trytond-admin", ["-c", config, "-d", trytonLogin.database, ...parameters], { env });
  // Creating the modules takes minutes: a folder that is used again has a copy without any data.
  if (!(await postgres.hasDatabase(emptyCopy))) {
    await postgres.createDatabase(trytonLogin.database);
    say("creating Tryton's database");
    await administer("--all", "-l", "en", "--email", "admin@example.com");
    say(`activating ${modules.length} modules`);
    await administer("--activate-dependencies", "-u", ...modules);
    await postgres.createDatabase(emptyCopy, trytonLogin.database);
  }
  await postgres.createDatabase(trytonLogin.database, emptyCopy);

  const server = await startServer({
    command: "trytond",
    parameters: ["-c", config, "-d", trytonLogin.database],
    logFile: join(folder, "trytond.log"),
    untilItAnswers: () => untilTrytonAnswers(baseUrl),
  });
  return { baseUrl, ...server };
}
