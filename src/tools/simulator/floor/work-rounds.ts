import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { seededRandom } from "../../../kit/ids.ts";
import type { Tally } from "../calls/call-tally.ts";
import type { Caller } from "../calls/open-caller.ts";
import type { Phase } from "../changes/change-plan.ts";
import { expectContent, hasWaiting } from "../changes/expect-order.ts";
import { carrierOf, type Family, followUpNumber, noteServed } from "../changes/order-family.ts";
import { speakDue } from "../changes/speak.ts";
import type { FloorItem } from "../orders/generate-items.ts";
import { type RunningOrder, runningOrder } from "../orders/running-order.ts";
import { type Desk, familyOf, speakUp } from "./desk.ts";
import { scan } from "./fetch-order.ts";
import { type Job, makeJobs, planShift } from "./office-work.ts";

interface Rounds {
  readonly office: Caller;
  readonly families: ReadonlyMap<string, Family>;
  readonly items: readonly FloorItem[];
  readonly tally: Tally;
  readonly seed: number;
  readonly operators: number;
  /** The orders of the day, as first listed. */
  readonly orders: readonly RunningOrder[];
  readonly work: (plan: readonly (readonly Job[])[], orders: readonly RunningOrder[]) => Promise<void>;
}

/**
 * Every round processes what the previous one has left; changes are sent in two of them, and a follow-up may come
 * after.
 */
const mostRounds = 8;

/** After the day's orders, lines that were added or are wanted again are listed and processed until nothing is left. */
export async function workRounds(rounds: Rounds): Promise<void> {
  const { office, families, items, tally, seed, operators } = rounds;
  const ids = new Map(rounds.orders.map(({ order, id }) => [order.number, id]));
  let freeId = Math.max(0, ...ids.values()) + 1;
  const speaker = { push: office.push, items, onSpoken: (kind: string) => tally.countChange(kind) };
  for (let round = 1; round <= mostRounds; round++) {
    // Changes of follow-ups happen to those of the first round, or after it.
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

/** Limit for additions to one order; the rest is found in the list. */
const mostFollowUps = 9;

/** Processes what was added to an order meanwhile, if the plan says so. */
export async function workFollowUps(
  desk: Desk,
  { order, id }: RunningOrder,
  work: (followUp: RunningOrder) => Promise<void>,
): Promise<void> {
  const family = familyOf(desk, order.number);
  if (family === null || !desk.isChanging || family.number !== order.number || !family.plan.followsAtOnce) return;
  await workWaiting(desk, { family, id }, work);
}

/** A second cart picks lines that were added during the tour of the first one. */
export async function workBesides(
  desk: Desk,
  { order, id, steps }: RunningOrder,
  work: (followUp: RunningOrder) => Promise<void>,
): Promise<void> {
  const family = familyOf(desk, order.number);
  if (family === null || family.number !== order.number || !family.plan.hasSecondCart || steps === 0) return;
  if (!hasWaiting(family)) return;
  desk.tally.countChange("several-carts");
  await workWaiting(desk, { family, id }, work);
}

async function workWaiting(
  desk: Desk,
  { family, id }: { readonly family: Family; readonly id: number },
  work: (followUp: RunningOrder) => Promise<void>,
): Promise<void> {
  for (let position = 1; position <= mostFollowUps && hasWaiting(family); position++) {
    const number = `${family.number}-F${position}`;
    if (family.carriers.some((one) => one.number === number && one.state !== "waiting")) continue;
    const content = await scan(desk, family, { order: { ...family.order, number }, source: "list" }, false);
    if (content === null) continue;
    const followUp = runningOrder(content, followUpId(id, position), "list");
    carrierOf(family, number).floor = followUp;
    await speakUp(desk, followUp, "fetched");
    await work(followUp);
    await speakUp(desk, followUp, "during");
    if (carrierOf(family, number).state === "waiting") return;
  }
}

/** The platform's own number for a follow-up; it must differ from those of all orders. */
const followUpId = (id: number, position: number): number => id + position * 1_000_000;
