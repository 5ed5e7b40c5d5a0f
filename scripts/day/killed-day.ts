import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { systemTimers } from "../../src/kit/time/timers.ts";
import { simulate } from "../../src/tools/simulator/simulate.ts";
import type { FloorView, Simulation, SimulationResult } from "../../src/tools/simulator/simulation.ts";

const program = resolve(import.meta.dirname, "../../bin/crossdock.js");
const apiKey = "day-key";

interface Day {
  /** An empty folder for the adapter's data. */
  readonly folder: string;
  readonly simulation: Omit<Simulation, "baseUrl" | "apiKey">;
  /** How often the adapter is killed, spread over the day: of several processes the one that owns the deployment. */
  readonly kills: number;
  /** The PostgreSQL that several processes share. The platform calls the last one, which passes on to the owner. */
  readonly cluster?: { readonly store: string; readonly processes: number };
  readonly onBegin?: (view: FloorView) => void;
}

/** Simulates a whole day against its own adapter, which is killed and started again during the day. */
export async function killedDay({
  folder,
  simulation,
  kills,
  cluster,
  onBegin,
}: Day): Promise<SimulationResult & { readonly killed: number }> {
  const adapters: Adapter[] = [];
  for (let nth = 1; nth <= (cluster?.processes ?? 1); nth++) {
    adapters.push(
      await startAdapter({ data: join(folder, `data-${nth}`), port: await freePort(), store: cluster?.store }),
    );
  }
  const platformCalls = adapters.at(-1)?.url;
  if (platformCalls === undefined) throw new Error("a day needs at least one process");
  let view: FloorView | null = null;
  let killed = 0;
  let isOver = false;
  const killer = async () => {
    while (!isOver && killed < kills) {
      await new Promise((looked) => setTimeout(looked, 5));
      if (view === null || view.ordersTotal === 0) continue;
      if (view.ordersDone / Math.max(simulation.orders, view.ordersTotal) < (killed + 1) / (kills + 1)) continue;
      const at = await ownerAmong(adapters);
      const owner = adapters[at];
      if (owner === undefined) continue;
      killed++;
      await owner.end("SIGKILL");
      adapters[at] = await startAdapter(owner);
    }
  };
  const killing = killer();
  try {
    const played = await simulate(
      { ...simulation, baseUrl: platformCalls, apiKey },
      {
        timers: systemTimers,
        now: () => performance.now(),
        today: () => new Date(),
        onBegin: (begun) => {
          view = begun;
          onBegin?.(begun);
        },
      },
    );
    return { ...played, killed };
  } finally {
    isOver = true;
    await killing;
    for (const adapter of adapters) await adapter.end("SIGTERM");
  }
}

/** Its place; -1 while nobody serves. */
async function ownerAmong(adapters: readonly Adapter[]): Promise<number> {
  const isOwner = async ({ url }: Adapter) => (await fetch(`${url}/health/ready`).catch(() => null))?.ok === true;
  return (await Promise.all(adapters.map(isOwner))).indexOf(true);
}

interface Given {
  readonly data: string;
  readonly port: number;
  readonly store: string | undefined;
}

interface Adapter extends Given {
  readonly url: string;
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

async function startAdapter({ data, port, store }: Given): Promise<Adapter> {
  mkdirSync(data, { recursive: true });
  const env = {
    ...{ CROSSDOCK_SAMPLE: "false", CROSSDOCK_API_KEY: apiKey, CROSSDOCK_DATA_DIR: data },
    ...(store === undefined ? {} : { CROSSDOCK_STORE: store }),
  };
  const child = spawn(process.execPath, [program, "start"], {
    cwd: data,
    env: { ...process.env, NODE_OPTIONS: "", VITEST: "", PORT: String(port), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let output = "";
  await new Promise<void>((serves, failed) => {
    const read = (chunk: Buffer) => {
      // Only until it serves, because the log of a day is long.
      if (output !== "serves") output += chunk;
      if (!output.includes(`http://127.0.0.1:${port}`)) return;
      output = "serves";
      serves();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => failed(new Error(`the adapter ended with ${code} before it served:\n${output}`)));
  });
  return {
    ...{ data, port, store, url: `http://127.0.0.1:${port}` },
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
