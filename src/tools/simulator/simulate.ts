import { createHash } from "node:crypto";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { seededRandom } from "../../kit/ids.ts";
import { openTally, type Tally } from "./calls/call-tally.ts";
import { openPace } from "./calls/channel.ts";
import { AdapterSilent, type Caller, openCaller } from "./calls/open-caller.ts";
import { noChanges } from "./changes/change-plan.ts";
import { compareOrderGroups, expectContent, isWanted } from "./changes/expect-order.ts";
import { pushDueChanges } from "./changes/push-changes.ts";
import { noteServed, type OrderGroup, openOrderGroups } from "./changes/simulated-order-group.ts";
import { closeShift, compareInside, type Job, makeJobs, openShift, planShift } from "./floor/office-work.ts";
import { type OperatorState, openOperator, timersUntil } from "./floor/operator.ts";
import { openErpOutage, workAll } from "./floor/work-all.ts";
import { workRounds } from "./floor/work-rounds.ts";
import { dueDate, generateItems, generateOrders, generateTeaching } from "./orders/generate-items.ts";
import type { RunningOrder } from "./orders/running-order.ts";
import { openPlatformRecords } from "./records/platform-records.ts";
import type { FloorView, Simulation, SimulationNeeds, SimulationResult } from "./simulation.ts";

const languages = ["en", "de", "fr", "it", "es", "nl", "pl"] as const;
const filedOrders = 3;
const itemsPerOrder = 0.2;
const fewestItems = 40;
const mostItems = 2000;

/** Simulates a shift against an adapter, keeps records, and compares them with the adapter's own. */
export async function simulate(simulation: Simulation, needs: SimulationNeeds): Promise<SimulationResult> {
  const { seed, operators, baseUrl, apiKey, rates, storage, speed } = simulation;
  const { timers, now, today, stopped = new AbortController().signal } = needs;
  const run = `S${seed}`;
  const beganAt = now();
  const began = today();
  const tally = openTally({ now });
  const records = openPlatformRecords();
  const floorTimers = timersUntil(timers, stopped);
  const pace = openPace({ perSecond: simulation.callsPerSecond, timers: floorTimers, now });
  const operatorStates = Array.from(
    { length: operators },
    (): OperatorState => ({ where: "desk", task: "", floorMs: 0 }),
  );
  const view: FloorView = {
    simulation,
    tally,
    operatorStates,
    phase: "before the shift",
    ordersDone: 0,
    ordersTotal: 0,
  };
  needs.onBegin?.(view);

  const { patienceMs } = simulation;
  const common = { baseUrl, apiKey, rates, tally, records, pace, timers, now, patienceMs, stopped };
  const callerOf = (name: string, language: string): Caller =>
    openCaller({
      ...common,
      language,
      keyPrefix: simulation.hasKeys ? `${run} ${name}` : null,
      random: seededRandom(seed, `faults of ${name}`),
    });
  const office = callerOf("office", "en");
  const callers = operatorStates.map((_, index) =>
    callerOf(`operator ${index}`, languages[index % languages.length] ?? "en"),
  );

  const random = seededRandom(seed, "orders");
  const itemCount = Math.min(mostItems, fewestItems + Math.ceil(simulation.orders * itemsPerOrder));
  const [first, ...others] = generateItems({ run, count: itemCount, random });
  if (first === undefined) throw new Error("the floor has no items");
  const items = [first, ...others] as const;
  // At least one item; the type of a spread does not show that.
  const made = { items: [first, ...others] as [typeof first, ...typeof others], random, storage };
  const pushed = apiKey === null ? [] : generateOrders({ ...made, run, count: simulation.orders });
  const isChanging = Object.values(simulation.changes ?? noChanges).some((share) => share > 0);
  const orderGroups = openOrderGroups(pushed, { seed, rates: simulation.changes, isTaught: isChanging });
  const teaching = isChanging ? generateTeaching(run, items, dueDate) : [];
  const filed = generateOrders({ ...made, run: `${run}F`, count: Math.min(filedOrders, simulation.orders) });

  let worked: readonly RunningOrder[] = [];
  let reportedOrders = 0;
  let journalLines: number | null = null;
  let gaveUp: string | null = null;
  const outage = openErpOutage({ controlUrl: simulation.erpControlUrl, share: rates["erp-down"], tally });
  try {
    const onProgress = (text: string) => {
      view.phase = text;
    };
    const sender = { push: office.push, items, onPushed: (kind: string) => tally.countChange(kind) };
    const onPushed = async () => {
      const at = { phase: "before the list", steps: 99 } as const;
      for (const orderGroup of orderGroups.values()) await pushDueChanges(sender, orderGroup, at);
    };
    const orders = await openShift({ office, items, pushed: [...teaching, ...pushed], filed, onProgress, onPushed });
    for (const { order } of orders) noteListed(orderGroups, order, tally);
    const problem = missingOrders({ pushed, orders, tally, seed, orderGroups });
    if (problem !== null) throw new NothingToDo(problem);
    const isFirst = new Set(teaching.map(({ number }) => number));
    const jobs = makeJobs(
      orders.filter(({ order }) => !isFirst.has(order.number)),
      seededRandom(seed, "jobs"),
    );
    const plan = planShift(jobs, { operators, shiftMs: simulation.shiftMs });
    const itemsByNumber = new Map(items.map((item) => [item.number, item]));
    const crew = callers.flatMap((caller, index) => {
      const at = operatorStates[index];
      if (at === undefined) return [];
      const faultRandom = seededRandom(seed, `changes of operator ${index}`);
      const own = { index, seed, caller, faultRandom, at, storage, speed, timers: floorTimers };
      const hasOffice = simulation.hasOffice === true;
      const isOurs = { items: itemsByNumber, orderGroups, isChanging, hasOffice, canPush: apiKey !== null };
      return [openOperator({ ...common, ...own, ...isOurs })];
    });
    const work = async (planned: readonly (readonly Job[])[]) => {
      const those = planned.flatMap((own) => own.flatMap((job) => job.orders));
      worked = [...worked, ...those];
      view.ordersTotal += those.length;
      await workAll({ operators: crew, view, outage, stopped }, planned);
    };
    view.phase = "the floor works";
    const [callsBefore, workingFrom] = [tally.all.count(), now()];
    const before = orders.filter(({ order }) => isFirst.has(order.number));
    await work([before.map((running) => ({ kind: "single", orders: [running] }))]);
    await work(plan);
    const isWhole = isChanging && !stopped.aborted && simulation.shiftMs === Number.POSITIVE_INFINITY;
    if (isWhole) await workRounds({ office, orderGroups, items, tally, seed, operators, orders, work });
    view.load = { calls: tally.all.count() - callsBefore, ms: now() - workingFrom };
    await outage.end();
    view.phase = "comparing";
    reportedOrders = await closeShift({ office, records, tally, storage, worked });
    if (isWhole) compareOrderGroups(orderGroups.values(), tally);
    if (apiKey !== null)
      journalLines = await compareInside({ baseUrl, apiKey, records, tally, since: began, orderGroups });
    view.phase = "done";
  } catch (error) {
    if (!(error instanceof AdapterSilent || error instanceof NothingToDo)) throw error;
    gaveUp = error.message;
  } finally {
    await outage.end();
    await Promise.all([office, ...callers].map((caller) => caller.close()));
  }
  const callsDigest = digestOf([office, ...callers]);
  return { view, records, callsDigest, durationMs: now() - beganAt, reportedOrders, journalLines, gaveUp };
}

class NothingToDo extends Error {}

/** Without orders, finding no difference would prove nothing. */
function missingOrders(needs: {
  readonly pushed: readonly WorkOrder[];
  readonly orders: readonly RunningOrder[];
  readonly tally: Tally;
  readonly seed: number;
  readonly orderGroups: ReadonlyMap<string, OrderGroup>;
}): string | null {
  const { pushed, orders, tally, seed, orderGroups } = needs;
  if (orders.length === 0) return "the adapter offers no orders: push some with --orders and --api-key";
  const listed = new Set(orders.map(({ order }) => order.number));
  const missing = pushed.filter(({ number }) => !listed.has(number));
  if (missing.length > 0 && missing.length === pushed.length) {
    return `none of the pushed orders is listed: if the adapter has seen seed ${seed} before, take another one`;
  }
  for (const { number } of missing) {
    const orderGroup = orderGroups.get(number);
    if (orderGroup !== undefined && !isWanted(orderGroup, number)) continue;
    const text = "an order that was pushed is not listed";
    tally.note({ kind: "look-up", order: number, item: null, text, expected: number, found: "nothing", calls: [] });
  }
  return null;
}

/** Compares listed orders of our own with what is wanted of them. */
function noteListed(orderGroups: ReadonlyMap<string, OrderGroup>, order: WorkOrder, tally: Tally): void {
  const orderGroup = orderGroups.get(order.number);
  if (orderGroup === undefined) return;
  expectContent(orderGroup, order, tally);
  noteServed(orderGroup, order);
}

const digestOf = (callers: readonly Caller[]): string =>
  createHash("sha256")
    .update(callers.map((caller) => caller.digest()).join("\n"))
    .digest("hex");
