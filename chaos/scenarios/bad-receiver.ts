import { hasOpen } from "../harness/checks/read-journal.ts";
import { promiseFigures, settleAndCheck } from "../harness/checks/settle.ts";
import { defineBothWays } from "../harness/floor/define-both-ways.ts";
import { openFloor } from "../harness/floor/floor.ts";
import { retryDead } from "../harness/floor/retry-dead.ts";
import type { Way } from "../harness/floor/way.ts";
import { type Misbehaviour, misbehaviours } from "../harness/receiver/misbehave.ts";
import { startReceiver } from "../harness/receiver/receiver.ts";
import { type Service, startService } from "../harness/service/service.ts";
import { pause, waitUntil } from "../harness/wait.ts";

/** The keys of the object; Object.keys loses their type. */
const all = Object.keys(misbehaviours) as Misbehaviour[];
/** Good answers come in between. Otherwise the circuit breaker would open, and hardly anything would be sent. */
const mixed = all.flatMap((misbehaviour) => [misbehaviour, null, null]);

const mostLeftOver = 5;

export const badReceiver = defineBothWays({
  name: "bad-receiver",
  summary:
    "The receiver hangs, resets connections, or answers with errors, login pages, garbage, 1 GB or a redirect: a failed delivery never counts as delivered, everything arrives in the end, and no socket stays open.",
  full: { events: 40, eachAloneForMs: 2000 },
  short: { events: 8, eachAloneForMs: 0 },
  shortForward: { events: 6, eachAloneForMs: 0 },
  run: async ({ events, eachAloneForMs }, stage, way) => {
    const receiver = await startReceiver(stage);
    const timeouts = { connectMs: 500, headersMs: 1000, totalMs: 1500 };
    const folder = stage.folder("bad-receiver");
    const service = await startService({ stage, folder, ...way.service(receiver.url, timeouts) });
    const floor = openFloor({ name: "R", connections: 16, eventsPerOrder: 10, mix: way.mix });
    // Connections that are kept open for reuse belong to the baseline.
    await floor.work(service.url, { events: 5 }).done;
    await waitUntil(() => !hasOpen(service.dataFolder), { withinMs: 300_000 });
    const descriptorsBefore = service.descriptors();

    await receiver.behave({ misbehaviour: mixed });
    await floor.work(service.url, { events }).done;
    await settleByPerson(service, way);
    for (const misbehaviour of eachAloneForMs === 0 ? [] : all) {
      stage.say(`a receiver that ${misbehaviour}`);
      await receiver.behave({ misbehaviour: [misbehaviour], always: true });
      const shift = floor.work(service.url, { events: 5 });
      await pause(eachAloneForMs);
      await shift.stop();
    }
    await receiver.behave({});
    await settleByPerson(service, way);
    await waitUntil(() => service.descriptors() - descriptorsBefore <= mostLeftOver, { withinMs: 60_000 });
    const descriptorsAfter = service.descriptors();
    const memoryMiB = service.memoryMiB();
    const { elsewhereVisits } = await receiver.count();
    const misbehaved = (await receiver.arrivals()).filter((arrival) => arrival.misbehaved !== null).length;
    const verdict = await settleAndCheck({ floor, service, receiver, withinMs: 300_000, direction: way.direction });
    return {
      figures: [
        { what: "kinds of misbehaviour", value: all.length, unit: "" },
        { what: "bad answers", value: misbehaved, unit: "", bar: { at: "least", limit: all.length } },
        ...promiseFigures(verdict),
        {
          what: "requests to the target of a redirect",
          value: elsewhereVisits,
          unit: "",
          bar: { at: "most", limit: 0 },
        },
        {
          what: "file descriptors left open",
          value: descriptorsAfter - descriptorsBefore,
          unit: "",
          bar: { at: "most", limit: mostLeftOver },
        },
        { what: "memory afterwards, MiB", value: memoryMiB, unit: "", bar: { at: "most", limit: 512 } },
      ],
      violations: verdict.violations,
    };
  },
});

/** Acts as an operator who retries refused entries as long as there are any. */
const settleByPerson = (service: Service, { direction }: Way) =>
  waitUntil(async () => (await retryDead(service, direction)) === 0 && !hasOpen(service.dataFolder), {
    withinMs: 600_000,
    everyMs: 300,
  });
