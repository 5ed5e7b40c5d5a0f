import { median, quantile } from "../../bench/harness/median.ts";
import { hasOpen, readJournal } from "../harness/checks/read-journal.ts";
import { promiseFigures, settleAndCheck } from "../harness/checks/settle.ts";
import { defineBothWays } from "../harness/floor/define-both-ways.ts";
import { type Floor, openFloor } from "../harness/floor/floor.ts";
import { startReceiver } from "../harness/receiver/receiver.ts";
import { startService } from "../harness/service/service.ts";
import { pause, waitUntil } from "../harness/wait.ts";

const connections = 40;
const ordersPerOperator = 5;

/** Ends a run that hangs. Even a busy machine needs far less time. */
const longestMs = 60_000;

const hasAcknowledged = ({ ledger }: Floor, order: string) =>
  ledger.orders.get(order)?.some((sending) => sending?.outcome === "success") === true;

const least = (values: readonly number[]) => Math.min(...values);

export const poisoned = defineBothWays({
  name: "poisoned",
  summary:
    "One order in a hundred is refused permanently: it needs operator action, and the other orders are not delayed.",
  full: { rounds: 5, forMs: 8_000, share: 0.99, slowerBy: 20, roundsBy: median, paceMs: 75, leastMs: 10 },
  // Other tests run at the same time and slow down single deliveries, and sometimes whole rounds. A real jam slows down
  // the median of every round with refused orders, and much more.
  short: { rounds: 2, forMs: 700, share: 0.5, slowerBy: 1_000, roundsBy: least, paceMs: 150, leastMs: 100 },
  shortForward: { rounds: 2, forMs: 700, share: 0.5, slowerBy: 1_000, roundsBy: least, paceMs: 150, leastMs: 100 },
  run: async ({ rounds, forMs, share, slowerBy, roundsBy, paceMs, leastMs }, stage, way) => {
    const receiver = await startReceiver(stage);
    const service = await startService({ stage, folder: stage.folder("poisoned"), ...way.service(receiver.url) });
    const cleanMs: number[] = [];
    const poisonedMs: number[] = [];
    const violations: string[] = [];
    let refused = 0;
    const play = async (name: string, isPoisoned: boolean) => {
      const floor = openFloor({
        name,
        connections,
        ordersPerOperator,
        eventsPerOrder: 1000,
        mix: way.stored,
        paceMs,
      });
      const orders = Array.from(
        { length: connections * ordersPerOperator },
        (_, index) => `${name}-${index % connections}-${Math.floor(index / connections)}`,
      );
      const bad = isPoisoned ? orders.filter((_, index) => index % 100 === 50) : [];
      await receiver.behave({ poisoned: bad });
      const shift = floor.work(service.url);
      await pause(forMs);
      // On a busy machine the operators may not have reached these orders yet. Then nothing would have been refused.
      await waitUntil(() => bad.every((order) => hasAcknowledged(floor, order)), { withinMs: longestMs });
      await shift.stop();
      await waitUntil(() => !hasOpen(service.dataFolder), { withinMs: 300_000 });
      const arrivals = new Map((await receiver.arrivals()).map(({ id, at }) => [id, at]));
      const { entries: all } = readJournal(service.dataFolder, way.direction);
      const entries = all.filter(({ order }) => order.startsWith(`${name}-`));
      refused += entries.filter(({ state }) => state === "dead").length;
      const strayed = entries.filter(
        ({ order, state, isParked }) => state !== "delivered" && !isParked && !bad.includes(order),
      );
      if (strayed.length > 0) violations.push(`${strayed.length} entries of other orders were not delivered`);
      const waits = entries
        .filter(({ state }) => state === "delivered")
        .map(({ id, receivedAt }) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - receivedAt);
      return { waitMs: quantile(waits, share), floor };
    };
    await play("warm", false);
    let last = await play("clean-0", false);
    for (let round = 1; round <= rounds; round++) {
      last = await play(`clean-${round}`, false);
      cleanMs.push(last.waitMs);
      last = await play(`poison-${round}`, true);
      poisonedMs.push(last.waitMs);
    }
    // Below this, differences are not noticeable.
    const clean = Math.max(leastMs, roundsBy(cleanMs));
    const slow = roundsBy(poisonedMs);
    const slower = (slow / clean - 1) * 100;
    const within = `${share * 100} of 100 within`;
    const { direction } = way;
    const verdict = await settleAndCheck({ floor: last.floor, service, receiver, withinMs: 1000, direction });
    return {
      figures: [
        { what: "orders that need operator action", value: refused, unit: "", bar: { at: "least", limit: rounds * 2 } },
        ...promiseFigures(verdict),
        { what: `delivery without refused orders, ${within}`, value: clean, unit: "ms" },
        { what: `delivery with refused orders, ${within}`, value: slow, unit: "ms" },
        { what: "slower with refused orders by", value: slower, unit: "%", bar: { at: "most", limit: slowerBy } },
      ],
      violations: [...violations, ...verdict.violations],
    };
  },
});
