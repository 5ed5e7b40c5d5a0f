import { promiseFigures, settleAndCheck } from "../../harness/checks/settle.ts";
import { openFloor } from "../../harness/floor/floor.ts";
import { toExternalSystem } from "../../harness/floor/way.ts";
import { startReceiver } from "../../harness/receiver/receiver.ts";
import { defineScenario } from "../../harness/scenario.ts";
import { openHardEnds } from "../../harness/service/hard-ends.ts";
import { startPostgres } from "../../harness/service/postgres.ts";
import { type Service, startService } from "../../harness/service/service.ts";
import { pause, waitUntil } from "../../harness/wait.ts";

const connections = 16;
/** The kill comes up to this long after the chosen event. Otherwise every kill would come right after an answer. */
const afterMs = 20;
const longestLifeMs = 20_000;
const restWithinMs = 600_000;

/** Two processes and a PostgreSQL: the process that owns the deployment is killed, and the other one goes on. */
export const clusterKill = defineScenario({
  name: "cluster-kill",
  summary:
    "Two processes share a PostgreSQL, and the owner is killed again and again under load: the standby takes over, nothing acknowledged is lost or stored twice, each order arrives in order.",
  full: { cycles: 500, upToEvents: 1200 },
  short: { cycles: 2, upToEvents: 200 },
  run: async ({ cycles, upToEvents }, stage) => {
    const receiver = await startReceiver(stage);
    const { url: store } = await startPostgres(stage);
    const way = toExternalSystem;
    const start = (name: string) =>
      startService({ stage, folder: stage.folder(name), ...way.service(receiver.url), config: { store } });
    const floor = openFloor({ name: "C", connections, eventsPerOrder: 20, mix: way.mix });
    const hardEnds = openHardEnds();
    const gaps: number[] = [];
    let owner = await start("a");
    let standby = await start("b");
    for (const cycle of stage.rounds({ most: cycles })) {
      if (cycle % 20 === 0) stage.say(`${cycle} kills, ${floor.acknowledged().toLocaleString("en")} acknowledged`);
      const shift = floor.work(owner.url);
      await floor.untilAcknowledged(floor.acknowledged() + stage.random.below(upToEvents), longestLifeMs);
      await pause(stage.random.below(afterMs));
      await owner.end("SIGKILL");
      const killedAt = performance.now();
      hardEnds.ended();
      await shift.stop();
      await untilReady(standby);
      gaps.push(performance.now() - killedAt);
      hardEnds.serves();
      owner = standby;
      // After the last kill nobody would need another one.
      if (cycle < cycles) standby = await start(cycle % 2 === 1 ? "a" : "b");
    }
    const verdict = await settleAndCheck({
      ...{ floor, receiver, service: owner, hardEnds: hardEnds.list, withinMs: restWithinMs, direction: way.direction },
    });
    gaps.sort((a, b) => a - b);
    return {
      figures: [
        { what: "kills of the owner", value: gaps.length, unit: "", bar: { at: "least", limit: cycles } },
        ...promiseFigures(verdict, { unread: Math.ceil(cycles / 100) }),
        {
          what: "until the standby served, median",
          value: gaps[gaps.length >> 1] ?? 0,
          unit: "ms",
          bar: { at: "most", limit: 3_000 },
        },
        {
          what: "until the standby served, worst",
          value: gaps.at(-1) ?? 0,
          unit: "ms",
          bar: { at: "most", limit: 10_000 },
        },
      ],
      violations: verdict.violations,
    };
  },
});

async function untilReady({ url, output }: Service): Promise<void> {
  const isReady = async () => (await fetch(`${url}/health/ready`)).ok;
  if (!(await waitUntil(isReady, { withinMs: 60_000, everyMs: 20 }))) {
    throw new Error(`the standby did not take over:\n${output()}`);
  }
}
