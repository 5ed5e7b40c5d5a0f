import { promiseFigures, settleAndCheck } from "../harness/checks/settle.ts";
import { defineBothWays } from "../harness/floor/define-both-ways.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { startReceiver } from "../harness/receiver/receiver.ts";
import { standByService } from "../harness/service/service.ts";
import { pause } from "../harness/wait.ts";

/** The stop comes up to this long after the chosen event. Otherwise every stop would come right after an answer. */
const afterMs = 20;
const longestLifeMs = 20_000;

export const shutdown = defineBothWays({
  name: "shutdown",
  summary: "SIGTERM under load: the service exits with code 0 in time, nothing is lost, and nothing arrives twice.",
  full: { most: 200, upToEvents: 400 },
  short: { most: 2, upToEvents: 80 },
  shortForward: { most: 1, upToEvents: 80 },
  run: async ({ most, upToEvents }, stage, way) => {
    const receiver = await startReceiver(stage);
    await receiver.behave({ latencyMs: 20 });
    const settings = { stage, folder: stage.folder("shutdown"), ...way.service(receiver.url) };
    const floor = openFloor({ name: "T", connections: 16, eventsPerOrder: 20, mix: way.mix });
    const violations: string[] = [];
    let slowestMs = 0;
    let stops = 0;
    let standby = standByService(settings);
    for (const stop of stage.rounds({ most })) {
      stops = stop;
      const starting = standby.begin();
      // The next process loads its program while this one runs.
      standby = standByService(settings);
      const service = await starting.serving;
      const shift = floor.work(service.url);
      await floor.untilAcknowledged(floor.acknowledged() + stage.random.below(upToEvents), longestLifeMs);
      await pause(stage.random.below(afterMs));
      const signalledAt = performance.now();
      const code = await service.end("SIGTERM");
      slowestMs = Math.max(slowestMs, performance.now() - signalledAt);
      if (code !== 0) violations.push(`SIGTERM ended with ${code}: ${service.output().slice(-300)}`);
      await shift.stop();
    }
    const last = await standby.begin().serving;
    const verdict = await settleAndCheck({
      ...{ floor, receiver, service: last, withinMs: 300_000 },
      direction: way.direction,
    });
    return {
      figures: [
        { what: "clean stops", value: stops, unit: "", bar: { at: "least", limit: most } },
        ...promiseFigures(verdict),
        { what: "slowest stop", value: slowestMs / 1000, unit: "s", bar: { at: "most", limit: 30 } },
      ],
      violations: [...new Set(violations), ...verdict.violations],
    };
  },
});
