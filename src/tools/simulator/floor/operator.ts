import { type Random, seededRandom } from "../../../kit/ids.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import type { Tally } from "../calls/call-tally.ts";
import type { FaultRates } from "../calls/fault-rates.ts";
import type { Caller, CallerNeeds } from "../calls/open-caller.ts";
import type { Phase } from "../changes/change-plan.ts";
import { pushDueChanges } from "../changes/push-changes.ts";
import { followUpNumber, type OrderGroup } from "../changes/simulated-order-group.ts";
import { aisles, baysPerAisle, type FloorItem } from "../orders/generate-items.ts";
import { openAmount, type RunningOrder } from "../orders/running-order.ts";
import { compareReport, expectedReport } from "../records/compare-journal.ts";
import type { PlatformRecords } from "../records/platform-records.ts";

/** One operator with everything needed to work. */
export interface Operator extends Caller {
  readonly index: number;
  readonly email: string;
  readonly storage: string;
  /**
   * Decides what the operator does. Faults have their own random source, so that they do not change these decisions.
   */
  readonly random: Random;
  readonly faultRandom: Random;
  readonly rates: FaultRates;
  readonly records: PlatformRecords;
  readonly tally: Tally;
  /** The location of this item. */
  readonly locationOf: (itemNumber: string) => string;
  /** Whether the item's master data was pushed by us, so that the adapter must have it. */
  readonly isOwnItem: (itemNumber: string) => boolean;
  /** What the external system wants of its own orders, by order number. */
  readonly orderGroups: ReadonlyMap<string, OrderGroup>;
  /** Whether orders change on this day, apart from the mid-pick cancellations of the faults. */
  readonly isChanging: boolean;
  /** Whether people change orders in the external system meanwhile. */
  readonly hasOffice: boolean;
  readonly itemList: readonly FloorItem[];
  /** Whether changes can be pushed. */
  readonly canPush: boolean;
  readonly at: OperatorState;
  /** Walks and handles goods; takes simulated time, and real time according to the speed. */
  readonly work: (where: string, task: string, handlingMs: number) => Promise<void>;
}

export interface OperatorState {
  where: string;
  task: string;
  /** Simulated time since the shift began. */
  floorMs: number;
}

/** Simulated time: drawn with the seed, and waited for at the given speed. Without a speed nothing waits. */
function floorTime(needs: {
  readonly at: OperatorState;
  readonly random: Random;
  readonly speed: number | null;
  readonly timers: Timers;
  readonly now: () => number;
}): Operator["work"] {
  const { at, random, speed, timers, now } = needs;
  const beganAt = now();
  return async (where, task, handlingMs) => {
    const walkingMs = where === at.where ? 0 : random.whole(4000, 25_000);
    at.where = where;
    at.task = task;
    at.floorMs += walkingMs + handlingMs;
    if (speed === null) return;
    const waitMs = at.floorMs / speed - (now() - beganAt);
    if (waitMs > 0) await new Promise<void>((resolve) => timers.after(waitMs, resolve));
  };
}

/** What the external system wants of this order; null if the order is not ours, or if nothing changes on this day. */
export const orderGroupOf = ({ orderGroups }: Pick<Operator, "orderGroups">, order: string): OrderGroup | null =>
  orderGroups.get(order) ?? orderGroups.get(order.replace(followUpNumber, "")) ?? null;

interface OperatorNeeds extends Pick<CallerNeeds, "rates" | "tally" | "timers" | "now"> {
  readonly index: number;
  readonly seed: number;
  readonly caller: Caller;
  readonly faultRandom: Operator["faultRandom"];
  readonly at: OperatorState;
  readonly records: PlatformRecords;
  readonly items: ReadonlyMap<string, FloorItem>;
  readonly orderGroups: Operator["orderGroups"];
  readonly isChanging: boolean;
  readonly hasOffice: boolean;
  readonly canPush: boolean;
  readonly storage: string;
  /** Factor of real time; null does not wait at all. */
  readonly speed: number | null;
}

export function openOperator(needs: OperatorNeeds): Operator {
  const { index, seed, caller, items, canPush } = needs;
  const random = seededRandom(seed, `operator ${index}`);
  return {
    ...caller,
    ...needs,
    random,
    itemList: [...items.values()],
    email: operatorEmail(index),
    locationOf: (item) => items.get(item)?.location ?? guessedLocation(item),
    isOwnItem: (item) => canPush && items.has(item),
    // Times have their own random source, so that they do not influence decisions.
    work: floorTime({ ...needs, random: seededRandom(seed, `times of operator ${index}`) }),
  };
}

const operatorEmail = (index: number): string => `op-${index + 1}@floor.example`;

/** Items that we did not create get a fixed location. */
function guessedLocation(item: string): string {
  const random = seededRandom(0, item);
  return `${random.oneOf(aisles)}-${String(random.whole(1, baysPerAisle)).padStart(2, "0")}`;
}

/** Sends the external system's changes that the day's plan has for this moment. */
export async function pushChangesNow(
  operator: Operator,
  { order, steps }: Pick<RunningOrder, "order" | "steps">,
  phase: Phase,
): Promise<void> {
  const orderGroup = orderGroupOf(operator, order.number);
  if (orderGroup === null) return;
  const isFollowUp = order.number !== orderGroup.number && followUpNumber.test(order.number);
  // A change of a follow-up is a change of its first order. Half of these changes come before the follow-up's first
  // step.
  const at = isFollowUp
    ? ({ phase: "follow-up", steps: 2 * steps + (phase === "during" ? 1 : 0) } as const)
    : { phase, steps };
  await pushDueChanges(
    { push: operator.push, items: operator.itemList, onPushed: (kind) => operator.tally.countChange(kind) },
    orderGroup,
    at,
  );
}

/**
 * Queries the completion report, as the platform does for finished orders, and compares it with the records at once.
 */
export async function queryReport(operator: Operator, orders: readonly RunningOrder[]): Promise<void> {
  if (operator.tally.notOffered.has("getReport")) return;
  const numbers = orders.map(({ order }) => order.number);
  const remainingRequests: Record<string, number> = {};
  for (const line of orders.flatMap(({ lines }) => lines)) {
    remainingRequests[line.itemNumber] = (remainingRequests[line.itemNumber] ?? 0) + openAmount(line);
  }
  const input = { workOrdersNumbers: numbers, storageId: operator.storage, remainingRequests };
  const answer = await operator.call("getReport", input, { orders: numbers, what: `of ${numbers.length}` });
  if (!answer.ok || answer.data === null) return;
  for (const finding of compareReport(expectedReport(operator.records, numbers), answer.data, {
    records: operator.records,
    numbers,
  })) {
    operator.tally.note(finding);
  }
}

/** Timers that end with the signal, so that a stop does not wait for an operator who is walking. */
export const timersUntil = (timers: Timers, over: AbortSignal): Timers => ({
  ...timers,
  after: (ms, run) => {
    const finish = () => {
      callOff();
      run();
    };
    const stop = timers.after(over.aborted ? 0 : ms, finish);
    const callOff = () => {
      stop();
      over.removeEventListener("abort", finish);
    };
    over.addEventListener("abort", finish);
    return callOff;
  },
});
