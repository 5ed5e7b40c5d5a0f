import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { seededRandom } from "../../../kit/ids.ts";
import type { Tally } from "../calls/call-tally.ts";
import type { Caller } from "../calls/open-caller.ts";
import type { Phase } from "../changes/change-plan.ts";
import { expectContent, hasWaiting } from "../changes/expect-order.ts";
import { pushDueChanges } from "../changes/push-changes.ts";
import { followUpNumber, memberOf, noteServed, type OrderGroup } from "../changes/simulated-order-group.ts";
import type { FloorItem } from "../orders/generate-items.ts";
import { type RunningOrder, runningOrder } from "../orders/running-order.ts";
import { scan } from "./fetch-order.ts";
import { type Job, makeJobs, planShift } from "./office-work.ts";
import { type Operator, orderGroupOf, pushChangesNow } from "./operator.ts";

interface Rounds {
  readonly office: Caller;
  readonly orderGroups: ReadonlyMap<string, OrderGroup>;
  readonly items: readonly FloorItem[];
  readonly tally: Tally;
  readonly seed: number;
  readonly operators: number;
  /** The orders of the day, as first listed. */
  readonly orders: readonly RunningOrder[];
  readonly work: (plan: readonly (readonly Job[])[], orders: readonly RunningOrder[]) => Promise<void>;
}

/**
 * Every round processes what the previous one has left. Changes are sent in two of the rounds, and each may cause a
 * follow-up.
 */
const mostRounds = 8;

/** After the day's orders, lines that were added or are wanted again are listed and processed until nothing is left. */
export async function workRounds(rounds: Rounds): Promise<void> {
  const { office, orderGroups, items, tally, seed, operators } = rounds;
  const ids = new Map(rounds.orders.map(({ order, id }) => [order.number, id]));
  let freeId = Math.max(0, ...ids.values()) + 1;
  const sender = { push: office.push, items, onPushed: (kind: string) => tally.countChange(kind) };
  for (let round = 1; round <= mostRounds; round++) {
    // Changes of follow-ups are sent while those of the first round are worked on, or after that round.
    const phase: Phase = round === 1 ? "after" : "follow-up";
    for (const orderGroup of orderGroups.values())
      await pushDueChanges(sender, orderGroup, { phase, steps: round === 1 ? 0 : 99 });
    const { data } = await office.call("listWorkOrders", undefined, { orders: [], what: `round ${round}` });
    const offered: RunningOrder[] = [];
    for (const order of (data ?? []).toSorted((a, b) => (a.number < b.number ? -1 : 1))) {
      const orderGroup = orderGroupOf({ orderGroups }, order.number);
      if (orderGroup === null) continue;
      expectContent(orderGroup, order, tally);
      noteServed(orderGroup, order);
      if (memberOf(orderGroup, order.number).state !== "waiting") noteBegun(orderGroup, order, tally);
      else offered.push(runningOrder(order, idOf(order.number), "list"));
    }
    const isOver = [...orderGroups.values()].every(({ plan }) => plan.changes.length === 0);
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

function noteBegun(orderGroup: OrderGroup, { number }: WorkOrder, tally: Tally): void {
  tally.note({
    kind: "look-up",
    order: number,
    item: null,
    text: "an order that was begun is offered as new",
    expected: "nothing",
    found: number,
    calls: [...orderGroup.history],
  });
}

/** The most follow-ups that are worked on right after one order. The rest is found in the list. */
const mostFollowUps = 9;

/** Processes what was added to an order meanwhile, if the plan says so. */
export async function workFollowUps(
  operator: Operator,
  { order, id }: RunningOrder,
  work: (followUp: RunningOrder) => Promise<void>,
): Promise<void> {
  const orderGroup = orderGroupOf(operator, order.number);
  if (
    orderGroup === null ||
    !operator.isChanging ||
    orderGroup.number !== order.number ||
    !orderGroup.plan.followsAtOnce
  )
    return;
  await workWaiting(operator, { orderGroup, id }, work);
}

/** A second cart picks lines that were added during the tour of the first one. */
export async function workMeanwhile(
  operator: Operator,
  { order, id, steps }: RunningOrder,
  work: (followUp: RunningOrder) => Promise<void>,
): Promise<void> {
  const orderGroup = orderGroupOf(operator, order.number);
  if (orderGroup === null || orderGroup.number !== order.number || !orderGroup.plan.hasSecondCart || steps === 0)
    return;
  if (!hasWaiting(orderGroup)) return;
  operator.tally.countChange("several-carts");
  await workWaiting(operator, { orderGroup, id }, work);
}

async function workWaiting(
  operator: Operator,
  { orderGroup, id }: { readonly orderGroup: OrderGroup; readonly id: number },
  work: (followUp: RunningOrder) => Promise<void>,
): Promise<void> {
  for (let position = 1; position <= mostFollowUps && hasWaiting(orderGroup); position++) {
    const number = `${orderGroup.number}-F${position}`;
    if (orderGroup.members.some((one) => one.number === number && one.state !== "waiting")) continue;
    const content = await scan(operator, orderGroup, { order: { ...orderGroup.order, number }, source: "list" }, false);
    if (content === null) continue;
    const followUp = runningOrder(content, followUpId(id, position), "list");
    memberOf(orderGroup, number).floor = followUp;
    await pushChangesNow(operator, followUp, "fetched");
    await work(followUp);
    await pushChangesNow(operator, followUp, "during");
    if (memberOf(orderGroup, number).state === "waiting") return;
  }
}

/** The platform's own number for a follow-up; it must differ from those of all orders. */
const followUpId = (id: number, position: number): number => id + position * 1_000_000;
