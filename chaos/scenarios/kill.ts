import { promiseFigures, settleAndCheck } from "../harness/checks/settle.ts";
import { defineBothWays } from "../harness/floor/define-both-ways.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { startReceiver } from "../harness/receiver/receiver.ts";
import { openHardEnds } from "../harness/service/hard-ends.ts";
import { standByService } from "../harness/service/service.ts";
import { pause } from "../harness/wait.ts";

/** About as long as a start takes once the program is loaded. */
const startMs = 250;
/** The kill comes up to this long after the chosen event. Otherwise every kill would come right after an answer. */
const afterMs = 20;
const longestLifeMs = 20_000;
/** Short runs accept more than they deliver. The backlog is delivered at the end. */
const restWithinMs = 2_400_000;

export const kill = defineBothWays({
  name: "kill",
  summary:
    "kill -9 at random moments under load, some during the start: no acknowledged event is lost or stored twice, the events of an order arrive in order, and duplicates have the same id and are no more than were in flight.",
  // Some starts are killed before they serve, because recovery itself may be interrupted too.
  full: { cycles: 1000, startKillEvery: 10, upToEvents: 1200, connections: 48, leastAcknowledged: 500_000 },
  short: { cycles: 3, startKillEvery: 3, upToEvents: 100, connections: 16, leastAcknowledged: 30 },
  shortForward: { cycles: 2, startKillEvery: 2, upToEvents: 100, connections: 16, leastAcknowledged: 5 },
  run: async ({ cycles, startKillEvery, upToEvents, connections, leastAcknowledged }, stage, way) => {
    const receiver = await startReceiver(stage);
    const settings = { stage, folder: stage.folder("kill"), ...way.service(receiver.url) };
    const floor = openFloor({ name: "K", connections, eventsPerOrder: 20, mix: way.mix });
    const hardEnds = openHardEnds();
    let slowestStartMs = 0;
    let standby = standByService(settings);
    for (const cycle of stage.rounds({ most: cycles })) {
      if (cycle % 50 === 0) stage.say(`${cycle} kills, ${floor.acknowledged().toLocaleString("en")} acknowledged`);
      const startedAt = performance.now();
      const starting = standby.begin();
      // The next process loads its program while this one runs.
      standby = standByService(settings);
      if (cycle % startKillEvery === 0) {
        await pause(stage.random.below(startMs));
        await starting.kill();
        hardEnds.ended();
        continue;
      }
      const service = await starting.serving;
      slowestStartMs = Math.max(slowestStartMs, performance.now() - startedAt);
      hardEnds.serves();
      const shift = floor.work(service.url);
      await floor.untilAcknowledged(floor.acknowledged() + stage.random.below(upToEvents), longestLifeMs);
      await pause(stage.random.below(afterMs));
      await service.end("SIGKILL");
      hardEnds.ended();
      await shift.stop();
    }
    const service = await standby.begin().serving;
    hardEnds.serves();
    const verdict = await settleAndCheck({
      floor,
      receiver,
      service,
      hardEnds: hardEnds.list,
      withinMs: restWithinMs,
      direction: way.direction,
    });
    return {
      figures: [
        { what: "kills", value: hardEnds.list.length, unit: "", bar: { at: "least", limit: cycles } },
        ...promiseFigures(verdict, { unread: Math.ceil(cycles / 100) }),
        {
          what: "acknowledged events required",
          value: verdict.acknowledged,
          unit: "",
          bar: { at: "least", limit: leastAcknowledged },
        },
        {
          what: "delivered twice because of a kill",
          value: verdict.duplicates.afterHardEnd,
          unit: "",
          // The deliveries in progress at a kill: eight in the background, and one for each operator who waits for an
          // answer.
          bar: { at: "most", limit: hardEnds.list.length * (8 + connections) },
        },
        { what: "slowest start", value: slowestStartMs, unit: "ms" },
      ],
      violations: verdict.violations,
    };
  },
});
