import { spawn } from "node:child_process";
import { once } from "node:events";
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
  /** How often the adapter is killed, spread over the day. */
  readonly kills: number;
  readonly onBegin?: (view: FloorView) => void;
}

/** Simulates a whole day against its own adapter, which is killed and started again during the day. */
export async function killedDay({
  folder,
  simulation,
  kills,
  onBegin,
}: Day): Promise<SimulationResult & { readonly killed: number }> {
  const port = await freePort();
  let adapter = await startAdapter(folder, port);
  let view: FloorView | null = null;
  let killed = 0;
  let isOver = false;
  const killer = async () => {
    while (!isOver && killed < kills) {
      await new Promise((looked) => setTimeout(looked, 5));
      if (view === null || view.ordersTotal === 0) continue;
      if (view.ordersDone / Math.max(simulation.orders, view.ordersTotal) < (killed + 1) / (kills + 1)) continue;
      killed++;
      await adapter.end("SIGKILL");
      adapter = await startAdapter(folder, port);
    }
  };
  const killing = killer();
  try {
    const played = await simulate(
      { ...simulation, baseUrl: `http://127.0.0.1:${port}`, apiKey },
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
    await adapter.end("SIGTERM");
  }
}

async function startAdapter(folder: string, port: number) {
  const env = { CROSSDOCK_SAMPLE: "false", CROSSDOCK_API_KEY: apiKey, CROSSDOCK_DATA_DIR: join(folder, "data") };
  const child = spawn(process.execPath, [program, "start"], {
    cwd: folder,
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
