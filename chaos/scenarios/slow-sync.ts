import { quantile } from "../../bench/harness/median.ts";
import { defineBothWays } from "../harness/define-both-ways.ts";
import { openFloor } from "../harness/floor.ts";
import { startReceiver } from "../harness/receiver.ts";
import { startService } from "../harness/service.ts";
import { promiseFigures, settleAndCheck } from "../harness/settle.ts";
import { openStatusProbe, statusFigures } from "../harness/status-probe.ts";
import { missingForTracing } from "../harness/tools.ts";
import { slowSyncs } from "../harness/tracer.ts";
import { pause } from "../harness/wait.ts";

export const slowSync = defineBothWays({
  name: "slow-sync",
  summary: "Every forced write takes 200 ms longer: events wait a little, everything else stays fast.",
  full: { forMs: 20_000, isAlone: true },
  short: { forMs: 4_000, isAlone: false },
  shortForward: { forMs: 2_000, isAlone: false },
  missing: missingForTracing,
  run: async ({ forMs, isAlone }, stage, way) => {
    const receiver = await startReceiver(stage);
    const wrapper = slowSyncs(200);
    const settings = { stage, folder: stage.folder("slow-sync"), ...way.service(receiver.url) };
    const service = await startService({ ...settings, wrapper });
    const probe = await openStatusProbe(stage);
    // 100 operators, each an event about every half second: 200 events a second.
    const floor = openFloor({ name: "S", connections: 100, eventsPerOrder: 20, mix: way.stored, paceMs: 250 });
    const shift = floor.work(service.url);
    await pause(1000);
    floor.takeLatencies();
    await probe.start(service.url);
    const before = floor.acknowledged();
    await pause(forMs);
    const perSecond = ((floor.acknowledged() - before) * 1000) / forMs;
    const status = await probe.stop();
    const eventMs = quantile(floor.takeLatencies(), 0.99);
    await shift.stop();
    // The rest is delivered at full speed: the effect of the slow disk is already measured.
    await service.end("SIGTERM");
    const quick = await startService(settings);
    const { direction } = way;
    const verdict = await settleAndCheck({ floor, service: quick, receiver, withinMs: 120_000, direction });
    return {
      figures: [
        ...promiseFigures(verdict),
        { what: "events per second", value: perSecond, unit: "1/s", bar: { at: "least", limit: 100 } },
        { what: "events, 99 of 100 within", value: eventMs, unit: "ms", bar: { at: "most", limit: 1000 } },
        ...statusFigures(status, isAlone),
      ],
      violations: verdict.violations,
    };
  },
});
