import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { seededRandom } from "../../kit/seeded-random.ts";
import type { Caller } from "../calls/open-caller.ts";
import type { Tally } from "../calls/tally.ts";
import type { Phase } from "../changes/change-plan.ts";
import { expectContent } from "../changes/expect-content.ts";
import { carrierOf, type Family, followUpNumber, noteServed } from "../changes/family.ts";
import { speakDue } from "../changes/speak.ts";
import type { FloorItem } from "../orders/generate-items.ts";
import { type RunningOrder, runningOrder } from "../orders/running-order.ts";
import { familyOf } from "./family-of.ts";
import { type Job, makeJobs, planShift } from "./plan-shift.ts";
import { followUpId } from "./work-follow-ups.ts";

interface Rounds {
  readonly office: Caller;
  readonly families: ReadonlyMap<string, Family>;
  readonly items: readonly FloorItem[];
  readonly tally: Tally;
  readonly seed: number;
  readonly operators: number;
  /** The orders of the day, as they were listed first. */
  readonly orders: readonly RunningOrder[];
  readonly work: (plan: readonly (readonly Job[])[], orders: readonly RunningOrder[]) => Promise<void>;
}

/** Every round works off what the one before has left; words are said in two of them, and a follow-up may follow. */
const mostRounds = 8;

/** After the day's orders: what was added to them, or is wanted again, is listed and worked on until nothing is left. */
export async function workRounds(rounds: Rounds): Promise<void> {
  const { office, families, items, tally, seed, operators } = rounds;
  const ids = new Map(rounds.orders.map(({ order, id }) => [order.number, id]));
  let freeId = Math.max(0, ...ids.values()) + 1;
  const speaker = { push: office.push, items, onSpoken: (kind: string) => tally.countChange(kind) };
  for (let round = 1; round <= mostRounds; round++) {
    // What was to happen to follow-ups happens to those of the first round, or after it.
    const phase: Phase = round === 1 ? "after" : "follow-up";
    for (const family of families.values()) await speakDue(speaker, family, { phase, steps: round === 1 ? 0 : 99 });
    const { data } = await office.call("listWorkOrders", undefined, { orders: [], what: `round ${round}` });
    const offered: RunningOrder[] = [];
    for (const order of (data ?? []).toSorted((a, b) => (a.number < b.number ? -1 : 1))) {
      const family = familyOf({ families }, order.number);
      if (family === null) continue;
      expectContent(family, order, tally);
      noteServed(family, order);
      if (carrierOf(family, order.number).state !== "waiting") noteBegun(family, order, tally);
      else offered.push(runningOrder(order, idOf(order.number), "list"));
    }
    const isOver = [...families.values()].every(({ plan }) => plan.words.length === 0);
    if (offered.length === 0 && isOver) return;
    const jobs = makeJobs(offered, seededRandom(seed, `jobs of round ${round}`));
    await rounds.work(planShift(jobs, { operators, shiftMs: Number.POSITIVE_INFINITY }), offered);
  }

  function idOf(number: string): number {
    const position = Number(/\d+$/.exec(followUpNumber.exec(number)?.[0] ?? "")?.[0] ?? 0);
    const main = ids.get(number.replace(followUpNumber, ""));
    return main === undefined ? freeId++ : followUpId(main, position);
  }
}

function noteBegun(family: Family, { number }: WorkOrder, tally: Tally): void {
  tally.note({
    kind: "look-up",
    order: number,
    item: null,
    text: "an order that was begun is offered as new",
    expected: "nothing",
    found: number,
    calls: [...family.history],
  });
}
