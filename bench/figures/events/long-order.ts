import { setTimeout as sleep } from "node:timers/promises";
import { operations } from "../../../src/contract/operations.ts";
import { pushRow } from "../../../src/contract/pushes.ts";
import type { FloorJob, FloorResult } from "../../clients/floor.ts";
import { benchKey } from "../../data/bench-key.ts";
import { median, quantile } from "../../harness/median.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startAdapter, startFloor, startLongOrder, withChildren } from "../../harness/programs.ts";
import type { Figure, Measurement } from "../../harness/report/measurement.ts";
import type { LongOrderJob, LongOrderTimes } from "../../servers/long-order-writer.ts";
import { listStore } from "../sizes.ts";
import { longOrder, longOrderCancellation, longOrderStep } from "./long-order-requests.ts";

const perSecond = 100;
/** Long enough for a thousand events to compare with. */
const quietMs = 10_000;
/** Rounds of a step, a push and a cancellation, with a pause after each. */
const rounds = 10;
const pauseMs = 330;
const changesBefore = 8;

export const longOrderFigure: Figure = {
  name: "long-order",
  chapter: "Bulk",
  summary:
    "An order of 10,000 lines that is being picked and was changed 1, 8 and 64 times: processor time of the writer for one " +
    "push of the whole order, one cancellation of a line, and one confirmed step without a model and with a model of all lines, " +
    "each with its commit, against reading and writing the JSON text of the order once. Then the put-wall events of other orders, 100 per second, while such steps, pushes and " +
    "cancellations come three times a second, against the same ten seconds before.",
  measure: async (workshop) => [
    ...(await inWriter(1)),
    ...(await inWriter(8)),
    ...(await inWriter(64)),
    ...(await meanwhile(workshop)),
  ],
};

async function inWriter(changes: number): Promise<Measurement[]> {
  const child = await startLongOrder();
  const times = await withChildren([child], () => child.run<LongOrderTimes>({ changes } satisfies LongOrderJob));
  const after = `10,000 lines, changed ${changes} times, in the writer`;
  const measurement = (what: string, values: readonly number[], limit?: number): Measurement => ({
    ...{ what: `${what}: ${after}`, unit: "ms", ours: median(values), bare: median(times.texts) },
    ...(limit === undefined ? {} : { bar: { of: "figure", at: "most", limit } }),
  });
  return [
    measurement("Push", times.pushes, 150),
    measurement("Cancelled line", times.cancellations, 150),
    measurement("Step without a model", times.steps, 20),
    measurement("Step with a model of all lines", times.modelSteps),
  ];
}

async function meanwhile(workshop: Workshop): Promise<Measurement[]> {
  const adapter = await startAdapter(await workshop.ownStore(listStore));
  const floor = await startFloor();
  return await withChildren([adapter, floor], async () => {
    const { url } = adapter;
    const during = async (work: () => Promise<unknown>) => {
      await floor.run({ start: url, perSecond } satisfies FloorJob);
      await work();
      return await floor.run<FloorResult>("stop" satisfies FloorJob);
    };
    const push = (nth: number) => sent(url + pushRow("workOrders").path, longOrder(nth));
    const step = (nth: number) => sent(url + operations.confirmStep.path, longOrderStep(nth, nth % 2 === 0));
    const cancel = (nth: number) => sent(url + pushRow("cancellations").path, longOrderCancellation(nth));
    await push(0);
    await step(-2);
    for (let nth = 1; nth <= changesBefore; nth++) await push(nth);
    const quiet = await during(() => sleep(quietMs));
    const busy = await during(async () => {
      for (let nth = 0; nth < rounds; nth++) {
        for (const send of [step, () => push(changesBefore + 1 + nth), cancel]) {
          await send(nth);
          await sleep(pauseMs);
        }
      }
    });
    return [
      {
        what: "Event of another order while a long order is picked and changed (p99)",
        unit: "ms",
        ours: quantile(busy.latenciesMs, 0.99),
        bare: quantile(quiet.latenciesMs, 0.99),
      },
      { what: "The slowest of them", unit: "ms", ours: quantile(busy.latenciesMs, 1) },
      {
        what: "Events refused meanwhile",
        unit: "events",
        ours: busy.refused,
        bar: { of: "figure", at: "most", limit: 0 },
      },
    ];
  });
}

async function sent(url: string, payload: object): Promise<void> {
  const headers = { "content-type": "application/json", "x-api-key": benchKey };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(payload) });
  const text = await response.text();
  const isTaken = response.status === 202 || text.includes('"isResultSuccess":true');
  if (!isTaken) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
}
