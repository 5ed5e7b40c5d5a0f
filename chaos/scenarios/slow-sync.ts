import { quantile } from "../../bench/harness/median.ts";
import { promiseFigures, settleAndCheck } from "../harness/checks/settle.ts";
import { missingForTracing } from "../harness/disks/machine-rights.ts";
import { slowSyncs } from "../harness/disks/tracer.ts";
import { defineBothWays } from "../harness/floor/define-both-ways.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { startReceiver } from "../harness/receiver/receiver.ts";
import { startService } from "../harness/service/service.ts";
import { openStatusProbe, statusFigure } from "../harness/service/status-probe.ts";
import { pause } from "../harness/wait.ts";

export const slowSync = defineBothWays({
  name: "slow-sync",
  summary: "Every forced write (fsync) takes 200 ms longer: events wait a little, everything else stays fast.",
  full: { forMs: 20_000 },
  short: { forMs: 2_000 },
  shortForward: { forMs: 1_500 },
  missing: missingForTracing,
  run: async ({ forMs }, stage, way) => {
    const receiver = await startReceiver(stage);
    const wrapper = slowSyncs(200);
    const settings = { stage, folder: stage.folder("slow-sync"), ...way.service(receiver.url) };
    // A new data folder is made at full speed: a hundred forced writes, at which nobody waits for an event.
    await (await startService(settings)).end("SIGTERM");
    const service = await startService({ ...settings, wrapper });
    const probe = await openStatusProbe(stage);
    // 100 operators who each send an event about every half second: 200 events per second.
    const floor = openFloor({ name: "S", connections: 100, eventsPerOrder: 20, mix: way.stored, paceMs: 250 });
    const shift = floor.work(service.url);
    await pause(1000);
    floor.takeLatencies();
    await probe.start(service.url);
    const before = floor.acknowledged();
    await pause(forMs);
    const perSecond = ((floor.acknowledged() - before) * 1000) / forMs;
    const status = await probe.stop();
    const latencies = floor.takeLatencies();
    const eventMs = quantile(latencies, 0.99);
    // Compared with two controls from the same run: how long events wait for the disk, and how long an idle server
    // takes here.
    const statusShare = (100 * (status.service.median - status.idle.median)) / quantile(latencies, 0.5);
    await shift.stop();
    // The rest is delivered at full speed, because the effect of the slow disk is already measured.
    await service.end("SIGTERM");
    const quick = await startService(settings);
    const { direction } = way;
    const verdict = await settleAndCheck({ floor, service: quick, receiver, withinMs: 300_000, direction });
    return {
      figures: [
        ...promiseFigures(verdict),
        { what: "events per second", value: perSecond, unit: "1/s", bar: { at: "least", limit: 100 } },
        { what: "events, 99 of 100 within", value: eventMs, unit: "ms", bar: { at: "most", limit: 1000 } },
        statusFigure(status),
        // A status that waited for the disk would take as long as the events.
        {
          what: "status, as a share of the time of events",
          value: statusShare,
          unit: "%",
          bar: { at: "most", limit: 50 },
        },
      ],
      violations: verdict.violations,
    };
  },
});
