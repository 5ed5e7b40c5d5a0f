import { systemTimers } from "../../src/kit/time/timers.ts";
import { simulate } from "../../src/tools/simulator/simulate.ts";
import type { FloorView, Simulation, SimulationResult } from "../../src/tools/simulator/simulation.ts";
import { adapterKey, freePort, startAdapter } from "./own-adapter.ts";

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
  let adapter = await startAdapter({ folder, port });
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
      adapter = await startAdapter({ folder, port });
    }
  };
  const killing = killer();
  try {
    const played = await simulate(
      { ...simulation, baseUrl: `http://127.0.0.1:${port}`, apiKey: adapterKey },
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
