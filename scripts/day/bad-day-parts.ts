import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "../../test/peers/free-port.ts";
import { peer as postgres } from "../../test/peers/postgres.ts";

const root = resolve(import.meta.dirname, "../..");
const program = join(root, "bin/crossdock.js");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const key = "key-of-a-bad-day";
/** Small enough to be filled quickly, and larger than the limit of the alert. */
const diskMiB = 640;

export interface Parts {
  readonly url: string;
  readonly prometheus: string;
  readonly key: string;
  readonly folder: string;
  readonly dataFolder: string;
  /** Why the disk of the data folder cannot be filled on this machine; null if it can. */
  readonly noDisk: string | null;
  /** The control routes of the mock ERP. */
  readonly erpControl: string;
  readonly startErp: () => void;
  readonly stopErp: () => Promise<void>;
  /** The process that answers at `url`. */
  readonly killAdapter: () => Promise<void>;
  readonly startAdapter: () => void;
  /** These processes get no processor for this long, as on a machine that is too busy. */
  readonly freeze: (whom: "adapter" | "postgres", ms: number) => Promise<void>;
  readonly crossdock: (...args: string[]) => string;
  readonly stop: () => Promise<void>;
}

/**
 * The parts of deploy/container/compose.yaml as processes of this machine: adapter, PostgreSQL, Prometheus and mock
 * ERP. They use the same configuration, rules and dashboard. With `withStandby` there is a second process that can take
 * over.
 */
export async function startParts({
  quick,
  withStandby = false,
}: {
  quick: boolean;
  withStandby?: boolean;
}): Promise<Parts> {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-bad-day-"));
  // PostgreSQL runs as a user of its own, who needs access.
  chmodSync(folder, 0o755);
  const dataFolder = join(folder, "data");
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const one of stops.reverse()) await one();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    mkdirSync(dataFolder, { mode: 0o700 });
    const noDisk = mountSmallDisk(dataFolder);
    if (noDisk === null) stops.push(() => void execFileSync("umount", [dataFolder]));
    mkdirSync(join(folder, "postgres"));
    const store = await postgres.start(join(folder, "postgres"));
    stops.push(store.stop);
    const { user, password, host, port: storePort, database } = store.address;
    const [erpPort, port, prometheusPort] = [await freePort(), await freePort(), await freePort()];

    let erp: ChildProcess | null = null;
    const startErp = () => {
      const args = [program, "mock-erp", "--port", String(erpPort), "--seed", "7"];
      erp = spawn(process.execPath, args, { cwd: folder, stdio: logTo(folder, "mock-erp") });
    };
    const stopErp = async () => {
      await ended(erp);
      erp = null;
    };
    startErp();
    stops.push(stopErp);

    const config = textOf("deploy/container/crossdock.yaml").replace("mock-erp:8100", `127.0.0.1:${erpPort}`);
    writeFileSync(join(folder, "crossdock.yaml"), config);
    writeFileSync(join(folder, "store"), `postgres://${user}:${password}@${host}:${storePort}/${database}`);
    writeFileSync(join(folder, "api-key"), key);
    const env = {
      ...process.env,
      ...{ CROSSDOCK_DATA_DIR: dataFolder, HOST: "127.0.0.1", PORT: String(port), CROSSDOCK_SAMPLE: "false" },
      ...{ CROSSDOCK_STORE_FILE: join(folder, "store"), CROSSDOCK_API_KEY_FILE: join(folder, "api-key") },
    };
    const started = (own: object, log: string) =>
      spawn(process.execPath, [program, "start"], { cwd: folder, env: { ...env, ...own }, stdio: logTo(folder, log) });
    let adapter = started({}, "adapter");
    stops.push(() => ended(adapter));
    const targets = [`127.0.0.1:${port}`];
    if (withStandby) {
      await answering(`http://127.0.0.1:${port}/health/ready`);
      const standbyPort = await freePort();
      const own = { PORT: String(standbyPort), CROSSDOCK_DATA_DIR: join(folder, "data-of-standby") };
      const standby = started(own, "standby");
      stops.push(() => ended(standby));
      targets.push(`127.0.0.1:${standbyPort}`);
      await answering(`http://127.0.0.1:${standbyPort}/health/live`);
    }

    writeFileSync(join(folder, "crossdock.rules.yml"), rules(quick));
    const scraped = textOf("deploy/container/prometheus.yml")
      .replace('"crossdock:8080"', targets.map((target) => `"${target}"`).join(", "))
      .replaceAll(/15s/g, quick ? "1s" : "5s");
    writeFileSync(join(folder, "prometheus.yml"), scraped);
    const given = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/tsdb`];
    const prometheus = spawn("prometheus", [...given, `--web.listen-address=127.0.0.1:${prometheusPort}`], {
      stdio: logTo(folder, "prometheus"),
    });
    stops.push(() => ended(prometheus));
    return {
      ...{ url: `http://127.0.0.1:${port}`, prometheus: `http://127.0.0.1:${prometheusPort}`, key, folder, dataFolder },
      ...{ noDisk, startErp, stopErp, stop, erpControl: `http://127.0.0.1:${erpPort}/control` },
      killAdapter: () => ended(adapter, "SIGKILL"),
      startAdapter: () => {
        adapter = started({}, "adapter");
      },
      freeze: async (whom, ms) => {
        const pids = whom === "adapter" ? [adapter.pid ?? 0] : postgresProcesses(join(folder, "postgres"));
        for (const pid of pids) process.kill(pid, "SIGSTOP");
        await new Promise((next) => setTimeout(next, ms));
        for (const pid of pids) process.kill(pid, "SIGCONT");
      },
      crossdock: (...args) =>
        execFileSync(process.execPath, [program, ...args], { cwd: folder, env, encoding: "utf8" }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The alert rules. With `quick`, each minute of how long a condition must last becomes a second. */
function rules(quick: boolean): string {
  const text = textOf("deploy/prometheus/crossdock.rules.yml");
  return quick ? text.replaceAll(/^( +for: \d+)m$/gm, "$1s") : text;
}

function mountSmallDisk(folder: string): string | null {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMiB}m,mode=0700`, "tmpfs", folder], { stdio: "pipe" });
    return null;
  } catch (error) {
    return `a small disk cannot be mounted: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
  }
}

function logTo(folder: string, name: string): ["ignore", number, number] {
  const handle = openSync(join(folder, `${name}.log`), "a");
  return ["ignore", handle, handle];
}

/** The server and those that it has started. */
function postgresProcesses(folder: string): number[] {
  const [first = ""] = readFileSync(join(folder, "data/postmaster.pid"), "utf8").split("\n");
  const children = readFileSync(`/proc/${first}/task/${first}/children`, "utf8").split(" ");
  return [first, ...children].filter((pid) => pid !== "").map(Number);
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if ((await fetch(url).catch(() => null))?.ok) return;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error(`${url} does not answer`);
}

async function ended(child: ChildProcess | null, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise<void>((done) => child.once("exit", () => done()));
  child.kill(signal);
  await exit;
}
