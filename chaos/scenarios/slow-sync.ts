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

/** A status that waited for the disk would take as long as the events. */
const mostShare = 50;

export const slowSync = defineBothWays({
  name: "slow-sync",
  summary: "Every forced write (fsync) takes 200 ms longer: events wait a little, everything else stays fast.",
  full: { forMs: 20_000, operators: 100, mostRuns: 1 },
  // Few operators: on a machine without a free core, 100 would keep the service so busy that a status waits for its turn.
  // What still comes from the machine differs from run to run; what comes from the disk is in each of them.
  short: { forMs: 2_000, operators: 20, mostRuns: 5 },
  shortForward: { forMs: 1_500, operators: 20, mostRuns: 5 },
  missing: missingForTracing,
  run: async ({ forMs, operators, mostRuns }, stage, way) => {
    const receiver = await startReceiver(stage);
    const wrapper = slowSyncs(200);
    const settings = { stage, folder: stage.folder("slow-sync"), ...way.service(receiver.url) };
    // A new data folder is made at full speed: a hundred forced writes, at which nobody waits for an event.
    await (await startService(settings)).end("SIGTERM");
    const service = await startService({ ...settings, wrapper });
    const probe = await openStatusProbe(stage);
    // Each sends an event about every half second: 100 operators send 200 events per second.
    const floor = openFloor({ name: "S", connections: operators, eventsPerOrder: 20, mix: way.stored, paceMs: 250 });
    const shift = floor.work(service.url);
    await pause(1000);
    const measure = async () => {
      floor.takeLatencies();
      await probe.start(service.url);
      const before = floor.acknowledged();
      await pause(forMs);
      const perSecond = ((floor.acknowledged() - before) * 1000) / forMs;
      const status = await probe.stop();
      const latencies = floor.takeLatencies();
      // Compared with two controls from the same run: how long events wait for the disk, and how long an idle server
      // takes here.
      const share = (100 * (status.service.median - status.idle.median)) / quantile(latencies, 0.5);
      return { share, status, perSecond, eventMs: quantile(latencies, 0.99) };
    };
    let measured = await measure();
    for (let run = 1; run < mostRuns && !(measured.share <= mostShare); run++) measured = await measure();
    await shift.stop();
    // The rest is delivered at full speed, because the effect of the slow disk is already measured.
    await service.end("SIGTERM");
    const quick = await startService(settings);
    const { direction } = way;
    const verdict = await settleAndCheck({ floor, service: quick, receiver, withinMs: 300_000, direction });
    return {
      figures: [
        ...promiseFigures(verdict),
        { what: "events per second", value: measured.perSecond, unit: "1/s", bar: { at: "least", limit: 100 } },
        { what: "events, 99 of 100 within", value: measured.eventMs, unit: "ms", bar: { at: "most", limit: 1000 } },
        statusFigure(measured.status),
        {
          what: "status, as a share of the time of events",
          value: measured.share,
          unit: "%",
          bar: { at: "most", limit: mostShare },
        },
      ],
      violations: verdict.violations,
    };
  },
});
