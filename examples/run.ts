import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ExampleErp } from "./shift/example-erp.ts";
import { playShift } from "./shift/play-shift.ts";
import { program } from "./shift/start-process.ts";
import { startProgram } from "./shift/start-program.ts";

type StartErp = (folder: string) => Promise<ExampleErp>;

/** One line per example; `startErp` gets an empty folder for what it keeps. */
const examples: Readonly<Record<string, () => Promise<{ readonly startErp: StartErp }>>> = {
  "rest-erp": () => import("./rest-erp/erp.ts"),
  "sql-erp": () => import("./sql-erp/erp.ts"),
  "file-erp": () => import("./file-erp/erp.ts"),
  "own-connector": () => import("./own-connector/erp.ts"),
};

const usage = `npm run example -- NAME [--check | --shift]

NAME     ${Object.keys(examples).join(", ")}
         starts its ERP and Crossdock in front of it, until Ctrl+C
--check  only shows what the platform would get, as \`crossdock check\` does
--shift  plays a whole shift of the platform, compares the ERP's books with it, and ends

PORT chooses the port; 8080 where it is not set.`;

interface Stage {
  readonly erp: ExampleErp;
  readonly configFile: string;
  readonly folder: string;
}

/** The configuration looked at as an integrator does before anybody relies on it. */
async function check({ erp, configFile, folder }: Stage): Promise<void> {
  const child = spawn(process.execPath, [program, "check", "--verbose", "--records", "9", "--config", configFile], {
    ...{ cwd: folder, stdio: "inherit", env: { ...process.env, ...erp.env } },
  });
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}

async function serve({ erp, configFile, folder }: Stage, { isShift }: { isShift: boolean }): Promise<void> {
  const port = isShift ? 0 : Number(process.env["PORT"] ?? 8080);
  const adapter = await startProgram({ configFile, dataFolder: folder, env: erp.env, port });
  try {
    if (isShift) return await playShift({ adapter, erp, say: (text) => console.log(`- ${text}`) });
    console.log(adapter.output());
    await untilStopped();
  } catch (error) {
    console.error(`The adapter said:\n${adapter.output()}`);
    throw error;
  } finally {
    await adapter.stop();
  }
}

function untilStopped(): Promise<void> {
  return new Promise((stopped) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopped());
  });
}

async function run(name: string, { isCheck, isShift }: { isCheck: boolean; isShift: boolean }): Promise<void> {
  const load = examples[name];
  if (load === undefined) {
    console.log(usage);
    process.exitCode = 1;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), `crossdock-${name}-`));
  // Not behind the last step: the database server's package ends the process by itself when it is told to stop.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  // A database server that must not run as root runs as somebody else, who has to get in.
  chmodSync(folder, 0o755);
  const { startErp } = await load();
  const erp = await startErp(folder);
  const stage = { erp, folder, configFile: join(import.meta.dirname, name, "crossdock.yaml") };
  try {
    if (isCheck) await check(stage);
    else await serve(stage, { isShift });
  } finally {
    await erp.close();
  }
}

const { positionals, values } = parseArgs({
  ...{ allowPositionals: true, strict: false },
  options: { check: { type: "boolean" }, shift: { type: "boolean" }, help: { type: "boolean", short: "h" } },
});
if (values["help"] === true) {
  console.log(usage);
  process.exit(0);
}
await run(positionals[0] ?? "", { isCheck: values["check"] === true, isShift: values["shift"] === true });
// Some database servers bring hooks of their own, which end the process with another code.
process.exit();
