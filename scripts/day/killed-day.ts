import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemTimers } from "../../src/kit/time/timers.ts";
import { simulate } from "../../src/tools/simulator/simulate.ts";
import type { FloorView, Simulation, SimulationResult } from "../../src/tools/simulator/simulation.ts";
import { freePort } from "../../test/peers/free-port.ts";
import { adapterKey, startAdapter as startOwnAdapter } from "./own-adapter.ts";

interface Day {
  /** An empty folder for the adapter's data. */
  readonly folder: string;
  readonly simulation: Omit<Simulation, "baseUrl" | "apiKey">;
  /**
   * How often an adapter is killed, spread over the day. Of several processes, it is the one that owns the deployment.
   */
  readonly kills: number;
  /**
   * The PostgreSQL that several processes share. The platform calls the last process, which passes requests on to the
   * owner.
   */
  readonly cluster?: { readonly store: string; readonly processes: number };
  /** The adapter to start; absent: that of this checkout. */
  readonly program?: string;
  readonly onBegin?: (view: FloorView) => void;
}

/** Simulates a whole day against an adapter of its own, which is killed and started again during the day. */
export async function killedDay({
  folder,
  simulation,
  kills,
  cluster,
  program,
  onBegin,
}: Day): Promise<SimulationResult & { readonly killed: number }> {
  const adapters: Adapter[] = [];
  for (let nth = 1; nth <= (cluster?.processes ?? 1); nth++) {
    adapters.push(
      await startAdapter({
        ...{ data: join(folder, `data-${nth}`), port: await freePort(), store: cluster?.store, program },
      }),
    );
  }
  const platformCalls = adapters.at(-1)?.url;
  if (platformCalls === undefined) throw new Error("a day needs at least one process");
  // The first request loads the most. On a busy machine it may take longer than the simulation waits for a first answer.
  for (let checks = 0; checks < 600 && (await ownerAmong(adapters)) < 0; checks++) {
    await new Promise((looked) => setTimeout(looked, 100));
  }
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
      { ...simulation, baseUrl: platformCalls, apiKey: adapterKey },
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

/** Returns the index of the owner; -1 while nobody serves. */
async function ownerAmong(adapters: readonly Adapter[]): Promise<number> {
  const isOwner = async ({ url }: Adapter) => (await fetch(`${url}/health/ready`).catch(() => null))?.ok === true;
  return (await Promise.all(adapters.map(isOwner))).indexOf(true);
}

interface Given {
  readonly data: string;
  readonly port: number;
  readonly store: string | undefined;
  readonly program: string | undefined;
}

interface Adapter extends Given {
  readonly url: string;
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

async function startAdapter({ data, port, store, program }: Given): Promise<Adapter> {
  mkdirSync(data, { recursive: true });
  const env = { CROSSDOCK_DATA_DIR: data, ...(store === undefined ? {} : { CROSSDOCK_STORE: store }) };
  // Beside the data: whoever looks into a finding needs to know when which process owned the deployment.
  const onOutput = (chunk: Buffer) => appendFileSync(join(data, "adapter.log"), chunk);
  const { end } = await startOwnAdapter({ folder: data, port, env, program, onOutput });
  return { ...{ data, port, store, program, url: `http://127.0.0.1:${port}` }, end };
}
