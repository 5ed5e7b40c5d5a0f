import { promiseFigures, settleAndCheck } from "../harness/checks/settle.ts";
import { missingForSmallDisk } from "../harness/disks/machine-rights.ts";
import { openSmallDisk } from "../harness/disks/volume.ts";
import { defineBothWays } from "../harness/floor/define-both-ways.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { startReceiver } from "../harness/receiver/receiver.ts";
import { startService } from "../harness/service/service.ts";
import { openStatusProbe, statusFigure } from "../harness/service/status-probe.ts";
import { pause, waitUntil } from "../harness/wait.ts";

/** Ends a run that hangs. Even a busy machine needs far less time. */
const longestMs = 60_000;

export const diskFull = defineBothWays({
  name: "disk-full",
  summary:
    "The disk is filled to the last byte and emptied again under load: no event is acknowledged that was not stored, the status stays fast, and events are accepted again at once, without a restart.",
  full: { cycles: 50, sizeMiB: 320, fullForMs: 700 },
  short: { cycles: 2, sizeMiB: 320, fullForMs: 500 },
  shortForward: { cycles: 1, sizeMiB: 320, fullForMs: 500 },
  missing: missingForSmallDisk,
  run: async ({ cycles, sizeMiB, fullForMs }, stage, way) => {
    const receiver = await startReceiver(stage);
    const disk = openSmallDisk(stage, sizeMiB);
    const dataFolder = `${disk.folder}/data`;
    const settings = { stage, folder: stage.folder("disk-full"), dataFolder, ...way.service(receiver.url) };
    const service = await startService(settings);
    const probe = await openStatusProbe(stage);
    // With pauses, because refusals are fast: without pauses the floor would get hardly anything but refusals.
    const floor = openFloor({ name: "D", connections: 8, eventsPerOrder: 20, mix: way.mix, paceMs: 5 });
    const shift = floor.work(service.url);
    await probe.start(service.url);
    let slowestRecoveryMs = 0;
    let failedWhileFull = 0;
    let takenAgain = 0;
    let filled = 0;
    for (const cycle of stage.rounds({ most: cycles })) {
      filled = cycle;
      await pause(100);
      const failedBefore = floor.failed();
      disk.fill();
      await pause(fullForMs);
      await waitUntil(() => floor.failed() > failedBefore, { withinMs: longestMs });
      failedWhileFull += floor.failed() - failedBefore;
      disk.free();
      const releasedAt = performance.now();
      const before = floor.acknowledged();
      await floor.untilAcknowledged(before + 1, longestMs);
      if (floor.acknowledged() > before) takenAgain++;
      slowestRecoveryMs = Math.max(slowestRecoveryMs, performance.now() - releasedAt);
    }
    const status = await probe.stop();
    const slowestAnswerMs = Math.max(...floor.takeLatencies());
    await shift.stop();
    const { direction } = way;
    const verdict = await settleAndCheck({ floor, service, receiver, withinMs: 300_000, direction });
    return {
      figures: [
        { what: "times the disk was filled and emptied", value: filled, unit: "", bar: { at: "least", limit: cycles } },
        ...promiseFigures(verdict),
        // If nothing was refused, the disk was never really full, and the run has proved nothing.
        { what: "events refused meanwhile", value: failedWhileFull, unit: "", bar: { at: "least", limit: filled } },
        { what: "times events were accepted again", value: takenAgain, unit: "", bar: { at: "least", limit: filled } },
        { what: "slowest answer", value: slowestAnswerMs, unit: "ms", bar: { at: "most", limit: 2000 } },
        statusFigure(status),
        {
          what: "first success after there was space again",
          value: slowestRecoveryMs,
          unit: "ms",
          bar: { at: "most", limit: 2000 },
        },
      ],
      violations: verdict.violations,
    };
  },
});
