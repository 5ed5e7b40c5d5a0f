import { countOpen, hasOpen } from "../harness/checks/read-journal.ts";
import { promiseFigures, settleAndCheck } from "../harness/checks/settle.ts";
import { defineBothWays } from "../harness/floor/define-both-ways.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { startReceiver } from "../harness/receiver/receiver.ts";
import { startService } from "../harness/service/service.ts";
import { waitUntil } from "../harness/wait.ts";

/** Ends a run that hangs. The time it may take is a figure of the report. */
const longestMs = 1_200_000;

export const outage = defineBothWays({
  name: "outage",
  summary:
    "The receiver is down while events accumulate: all are accepted, delivery is retried soon after it is back, and the backlog is delivered in order.",
  full: { backlog: 100_000, drainWithinS: 600 },
  short: { backlog: 800, drainWithinS: 60 },
  shortForward: { backlog: 400, drainWithinS: 60 },
  run: async ({ backlog, drainWithinS }, stage, way) => {
    const receiver = await startReceiver(stage);
    const service = await startService({ stage, folder: stage.folder("outage"), ...way.service(receiver.url) });
    const connections = 32;
    const floor = openFloor({ name: "O", connections, ordersPerOperator: 10, eventsPerOrder: 20, mix: way.mix });
    await floor.work(service.url, { events: 5 }).done;
    await receiver.goDown();
    const begunAt = performance.now();
    await floor.work(service.url, { events: Math.ceil(backlog / connections) }).done;
    const takenPerSecond = (backlog * 1000) / (performance.now() - begunAt);
    const waiting = countOpen(service.dataFolder);
    const { arrivals: before } = await receiver.count();
    await receiver.comeUp();
    const backAt = performance.now();
    await waitUntil(async () => (await receiver.count()).arrivals > before, { withinMs: longestMs });
    const probeS = (performance.now() - backAt) / 1000;
    stage.say(`retried after ${probeS.toFixed(1)} s; ${waiting.toLocaleString("en")} entries wait`);
    await waitUntil(() => !hasOpen(service.dataFolder), { withinMs: longestMs, everyMs: 500 });
    const drainS = (performance.now() - backAt) / 1000;
    const memoryMiB = service.memoryMiB();
    const verdict = await settleAndCheck({ floor, service, receiver, withinMs: 1000, direction: way.direction });
    return {
      figures: [
        {
          what: "entries waiting when the receiver is back",
          value: waiting,
          unit: "",
          bar: { at: "least", limit: backlog * 0.99 },
        },
        { what: "events accepted meanwhile", value: takenPerSecond, unit: "1/s" },
        ...promiseFigures(verdict),
        { what: "first attempt after the receiver is back", value: probeS, unit: "s", bar: { at: "most", limit: 15 } },
        { what: "backlog delivered within", value: drainS, unit: "s", bar: { at: "most", limit: drainWithinS } },
        { what: "memory with the backlog, MiB", value: memoryMiB, unit: "", bar: { at: "most", limit: 512 } },
      ],
      violations: verdict.violations,
    };
  },
});
