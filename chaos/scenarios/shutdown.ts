import { openFloor } from "../harness/floor.ts";
import { startReceiver } from "../harness/receiver.ts";
import { defineScenario } from "../harness/scenario.ts";
import { startService } from "../harness/service.ts";
import { promiseFigures, settleAndCheck } from "../harness/settle.ts";
import { pause } from "../harness/wait.ts";

export const shutdown = defineScenario({
  name: "shutdown",
  summary: "SIGTERM under load: it ends with code 0 in time, nothing is lost, and nothing arrives twice.",
  full: { most: 200, least: 200, upToMs: 400 },
  short: { most: 15, least: 2, withinS: 15, upToMs: 300 },
  run: async ({ most, least, upToMs, ...limits }, stage) => {
    const receiver = await startReceiver(stage);
    await receiver.behave({ latencyMs: 20 });
    // Patient: an answer that came too late on a busy machine is no fault of the stop.
    const config = { budgets: { eventMs: 10_000, stepMs: 10_000 } };
    const settings = { stage, folder: stage.folder("shutdown"), target: receiver.url, config };
    const floor = openFloor({ name: "T", connections: 16, eventsPerOrder: 20, mix: "mixed" });
    const violations: string[] = [];
    let slowestMs = 0;
    let stops = 0;
    for (const stop of stage.rounds({ most, ...limits })) {
      stops = stop;
      const service = await startService(settings);
      const shift = floor.work(service.url);
      await pause(stage.random.below(upToMs));
      const toldAt = performance.now();
      const code = await service.end("SIGTERM");
      slowestMs = Math.max(slowestMs, performance.now() - toldAt);
      if (code !== 0) violations.push(`SIGTERM ended with ${code}: ${service.output().slice(-300)}`);
      await shift.stop();
    }
    const verdict = await settleAndCheck({ floor, receiver, service: await startService(settings), withinMs: 60_000 });
    return {
      figures: [
        { what: "clean stops", value: stops, unit: "", bar: { at: "least", limit: least } },
        ...promiseFigures(verdict),
        { what: "duplicates", value: verdict.duplicates, unit: "", bar: { at: "most", limit: 0 } },
        { what: "slowest stop", value: slowestMs / 1000, unit: "s", bar: { at: "most", limit: 30 } },
      ],
      violations: [...new Set(violations), ...verdict.violations],
    };
  },
});
