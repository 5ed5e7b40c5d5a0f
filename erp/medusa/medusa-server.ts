import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { OwnPostgres } from "../harness/own-postgres.ts";
import type { Say } from "../harness/real-system.ts";
import { runCommand } from "../harness/run-command.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";

/** Kept between runs: a thousand packages take minutes. */
const packagesFolder = join(tmpdir(), "crossdock-medusa-packages");
const packages = ["@medusajs/medusa@2", "@medusajs/framework@2", "@medusajs/cli@2", "pg@8"];
const program = "node_modules/.bin/medusa";

export const medusaLogin = { email: "admin@example.com", password: "supersecret" } as const;

const config = `const { defineConfig } = require("@medusajs/framework/utils");
module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { ssl: false },
    http: { storeCors: "*", adminCors: "*", authCors: "*", jwtSecret: "of-the-test", cookieSecret: "of-the-test" },
  },
  admin: { disable: true },
});
`;

export async function installMedusa(say: Say): Promise<void> {
  if (existsSync(join(packagesFolder, program))) return;
  say(`installing Medusa's packages in ${packagesFolder}; this takes minutes`);
  mkdirSync(packagesFolder, { recursive: true });
  writeFileSync(join(packagesFolder, "package.json"), JSON.stringify({ name: "medusa", private: true }));
  // No package needs its install script here.
  await runCommand("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], {
    cwd: packagesFolder,
  });
}

export interface MedusaServer extends ServerProcess {
  readonly baseUrl: string;
}

interface ServerNeeds {
  readonly folder: string;
  readonly postgres: OwnPostgres;
  readonly port: number;
  readonly say: Say;
}

const emptyCopy = "empty_medusa";

export async function startMedusa({ folder, postgres, port, say }: ServerNeeds): Promise<MedusaServer> {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "node_modules"))) {
    symlinkSync(join(packagesFolder, "node_modules"), join(folder, "node_modules"));
  }
  // Medusa refuses a folder whose package.json does not name it.
  const dependencies = { "@medusajs/medusa": "2" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shop", private: true, dependencies }));
  writeFileSync(join(folder, "medusa-config.js"), config);
  const env = { DATABASE_URL: `${postgres.url}/medusa`, MEDUSA_DISABLE_TELEMETRY: "1", NODE_ENV: "production" };
  const run = (...parameters: readonly string[]) =>
    runCommand(process.execPath, [program, ...parameters], { cwd: folder, env });
  if (!(await postgres.hasDatabase(emptyCopy))) {
    say("creating Medusa's database");
    await postgres.createDatabase("medusa");
    await run("db:migrate");
    await run("user", "-e", medusaLogin.email, "-p", medusaLogin.password);
    await postgres.createDatabase(emptyCopy, "medusa");
  }
  await postgres.createDatabase("medusa", emptyCopy);

  const baseUrl = `http://127.0.0.1:${port}`;
  const server = await startServer({
    command: process.execPath,
    parameters: [program, "start", "--host", "127.0.0.1", "--port", String(port)],
    ...{ cwd: folder, env: { NODE_OPTIONS: "", ...env }, logFile: join(folder, "medusa.log") },
    untilItAnswers: () => untilHealthy(baseUrl),
  });
  return { baseUrl, ...server };
}

async function untilHealthy(baseUrl: string): Promise<void> {
  // Loading a thousand packages takes minutes on a busy machine.
  for (let attempt = 0; attempt < 3000; attempt++) {
    const isUp = await fetch(`${baseUrl}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await pause(200);
  }
  throw new Error(`Medusa does not answer at ${baseUrl}`);
}
