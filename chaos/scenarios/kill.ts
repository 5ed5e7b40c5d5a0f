import { openFloor } from "../harness/floor.ts";
import { startReceiver } from "../harness/receiver.ts";
import { defineScenario } from "../harness/scenario.ts";
import { beginService, startService } from "../harness/service.ts";
import { promiseFigures, settleAndCheck } from "../harness/settle.ts";
import { pause } from "../harness/wait.ts";

/** Every tenth life ends before it serves: recovery itself may be interrupted. */
const startKillEvery = 10;

export const kill = defineScenario({
  name: "kill",
  summary:
    "kill -9 at random moments under load, some during start: nothing acknowledged is lost or stored twice, each order arrives in order, duplicates only under the same id and no more than were in flight.",
  full: { cycles: 1000, leastCycles: 1000, upToMs: 1500, connections: 32, leastAcknowledged: 500_000 },
  short: { cycles: 50, leastCycles: 5, withinS: 30, upToMs: 300, connections: 16, leastAcknowledged: 100 },
  run: async ({ cycles, leastCycles, upToMs, connections, leastAcknowledged, ...limits }, stage) => {
    const receiver = await startReceiver(stage);
    const settings = { stage, folder: stage.folder("kill"), target: receiver.url };
    const floor = openFloor({ name: "K", connections, eventsPerOrder: 20, mix: "mixed" });
    let slowestStartMs = 0;
    let kills = 0;
    for (const cycle of stage.rounds({ most: cycles, ...limits })) {
      kills = cycle;
      if (cycle % 100 === 0) stage.say(`${cycle} kills, ${floor.acknowledged().toLocaleString("en")} acknowledged`);
      if (cycle % startKillEvery === 0) {
        const starting = beginService(settings);
        await pause(stage.random.below(400));
        await starting.kill();
        continue;
      }
      const startedAt = performance.now();
      const service = await startService(settings);
      slowestStartMs = Math.max(slowestStartMs, performance.now() - startedAt);
      const shift = floor.work(service.url);
      await pause(stage.random.below(upToMs));
      await service.end("SIGKILL");
      await shift.stop();
    }
    const verdict = await settleAndCheck({ floor, receiver, service: await startService(settings), withinMs: 120_000 });
    return {
      figures: [
        { what: "kills", value: kills, unit: "", bar: { at: "least", limit: leastCycles } },
        ...promiseFigures(verdict),
        {
          what: "acknowledged events wanted",
          value: verdict.acknowledged,
          unit: "",
          bar: { at: "least", limit: leastAcknowledged },
        },
        // At most eight are on their way to one target at the same time.
        {
          what: "duplicates under the same id",
          value: verdict.duplicates,
          unit: "",
          bar: { at: "most", limit: kills * 8 },
        },
        { what: "slowest start", value: slowestStartMs, unit: "ms" },
      ],
      violations: verdict.violations,
    };
  },
});
