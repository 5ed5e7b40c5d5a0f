import { promiseFigures, settleAndCheck } from "../harness/checks/settle.ts";
import { missingForTracing } from "../harness/disks/machine-rights.ts";
import { failSyncs, type SyncFault } from "../harness/disks/tracer.ts";
import { defineBothWays } from "../harness/floor/define-both-ways.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { startReceiver } from "../harness/receiver/receiver.ts";
import { openHardEnds } from "../harness/service/hard-ends.ts";
import { startService } from "../harness/service/service.ts";
import { pause, waitUntil } from "../harness/wait.ts";

const faults: readonly SyncFault[] = ["once", "sometimes", "always"];

/** Ends a run that hangs. Even a busy machine needs far less time. */
const longestMs = 60_000;
/** A failed write that an event waits for is refused much sooner. */
const refusedWithinMs = 2_000;
const mostTries = 30;

export const failingSync = defineBothWays({
  name: "failing-sync",
  summary:
    "Forced writes (fsync) fail with an I/O error, once, sometimes or always: no event is acknowledged that was not stored, and events are accepted again as soon as the disk works.",
  full: { runs: 300, failingForMs: 300 },
  short: { runs: 4, failingForMs: 300 },
  shortForward: { runs: 3, failingForMs: 300 },
  missing: missingForTracing,
  run: async ({ runs, failingForMs }, stage, way) => {
    const receiver = await startReceiver(stage);
    const settings = { stage, folder: stage.folder("failing-sync"), ...way.service(receiver.url) };
    let service = await startService(settings);
    const floor = openFloor({ name: "E", connections: 8, eventsPerOrder: 20, mix: way.mix, paceMs: 5 });
    let shift = floor.work(service.url);
    const hardEnds = openHardEnds();
    let slowestRecoveryMs = 0;
    let failures = 0;
    let healed = 0;
    let takenAgain = 0;
    const killAndStart = async () => {
      await service.end("SIGKILL");
      hardEnds.ended();
      await shift.stop();
      service = await startService(settings);
      hardEnds.serves();
      shift = floor.work(service.url);
    };
    for (const run of stage.rounds({ most: runs })) {
      failures = run;
      const fault = faults[(run - 1) % faults.length] ?? "once";
      let heal = await failSyncs(stage, service.pid, fault);
      const failedBefore = floor.failed();
      if (run % 4 === 0) {
        // Kills the service right after the refusal. Unless the service has repaired the log, the refused event is
        // still in it.
        const isRefused = () => floor.failed() > failedBefore;
        for (const _ of stage.rounds({ most: mostTries })) {
          if (await waitUntil(isRefused, { withinMs: refusedWithinMs, everyMs: 1 })) break;
          // The one write that failed was of a thread on which no event waits.
          await heal();
          heal = await failSyncs(stage, service.pid, fault);
        }
        await killAndStart();
        await heal();
        continue;
      }
      await pause(failingForMs);
      if (fault === "always") await waitUntil(() => floor.failed() > failedBefore, { withinMs: longestMs });
      await heal();
      healed++;
      const healedAt = performance.now();
      const before = floor.acknowledged();
      await floor.untilAcknowledged(before + 1, longestMs);
      if (floor.acknowledged() > before) takenAgain++;
      slowestRecoveryMs = Math.max(slowestRecoveryMs, performance.now() - healedAt);
      // Events that count as stored must be visible to another process too.
      if (run % 2 === 0) await killAndStart();
    }
    await shift.stop();
    const verdict = await settleAndCheck({
      ...{ floor, service, receiver, hardEnds: hardEnds.list, withinMs: 300_000 },
      direction: way.direction,
    });
    return {
      figures: [
        { what: "times the disk failed", value: failures, unit: "", bar: { at: "least", limit: runs } },
        ...promiseFigures(verdict),
        { what: "refused, but stored by an earlier request that got no answer", value: verdict.storedBefore, unit: "" },
        { what: "events refused meanwhile", value: floor.failed(), unit: "", bar: { at: "least", limit: 1 } },
        { what: "times events were accepted again", value: takenAgain, unit: "", bar: { at: "least", limit: healed } },
        {
          what: "first success after the disk worked again",
          value: slowestRecoveryMs,
          unit: "ms",
          bar: { at: "most", limit: 2000 },
        },
      ],
      violations: verdict.violations,
    };
  },
});
