import { request } from "undici";
import { WorkOrderStatus } from "../../../contract/enums.ts";
import type { Tally } from "../calls/call-tally.ts";
import { begin, bookEnd } from "../changes/book-work.ts";
import { noteHistory } from "../changes/simulated-order-group.ts";
import type { RunningOrder } from "../orders/running-order.ts";
import type { FloorView } from "../simulation.ts";
import { fetchOrder } from "./fetch-order.ts";
import type { Job } from "./office-work.ts";
import { type Operator, orderGroupOf, pushChangesNow, queryReport } from "./operator.ts";
import { pickLines } from "./pick-lines.ts";
import { workCart } from "./work-cart.ts";
import { workPutWall } from "./work-put-wall.ts";
import { workFollowUps, workMeanwhile } from "./work-rounds.ts";

interface Crew {
  readonly operators: readonly Operator[];
  readonly view: FloorView;
  readonly outage: ErpOutage;
  readonly stopped: AbortSignal;
}

/** All operators do their own jobs, at the same time, each one job after another. */
export async function workAll(
  { operators, view, outage, stopped }: Crew,
  plan: readonly (readonly Job[])[],
): Promise<void> {
  await Promise.all(
    operators.map(async (operator, index) => {
      for (const job of plan[index] ?? []) {
        if (stopped.aborted) break;
        await workJob(operator, job, view.simulation.hasStatus === true);
        view.ordersDone += job.orders.length;
        await outage.at(view.ordersDone / view.ordersTotal);
      }
      operator.at.task = "done";
    }),
  );
}

async function workJob(operator: Operator, job: Job, hasStatus: boolean): Promise<void> {
  if (hasStatus) for (const order of job.orders) await reportStatus(operator, order, WorkOrderStatus.Assigned);
  if (job.kind === "single") await workSingle(operator, job.orders[0]);
  else if (job.kind === "cart") await workCart(operator, job.orders);
  else await workPutWall(operator, job.code, job.orders);
  if (!hasStatus) return;
  for (const order of job.orders) {
    const isUntouched = order.steps === 0 && orderGroupOf(operator, order.order.number) !== null;
    await reportStatus(operator, order, isUntouched ? WorkOrderStatus.Canceled : statusAtTheEnd(order));
  }
}

/** Reports every change of an order's status, as older platforms do. */
async function reportStatus(operator: Operator, { order }: RunningOrder, status: WorkOrderStatus): Promise<void> {
  if (operator.tally.notOffered.has("changeStatus")) return;
  const about = { orders: [order.number], what: `to ${status}` };
  const answer = await operator.call("changeStatus", { number: order.number, status }, about);
  if (!answer.ok) return;
  operator.records.event(order.number, "changeStatus");
  const orderGroup = orderGroupOf(operator, order.number);
  if (orderGroup === null) return;
  if (status === WorkOrderStatus.Assigned) begin(orderGroup, order.number);
  else bookEnd(orderGroup, order.number);
}

/** The status of an order when its job is done. */
function statusAtTheEnd({ lines }: Pick<RunningOrder, "lines">): WorkOrderStatus {
  if (lines.every(({ isCancelled }) => isCancelled)) return WorkOrderStatus.Canceled;
  return lines.some(({ isCancelled }) => isCancelled)
    ? WorkOrderStatus.CompletedWithCancelations
    : WorkOrderStatus.Completed;
}

/** One order from scan to report, including lines that are added meanwhile. */
async function workSingle(operator: Operator, running: RunningOrder): Promise<void> {
  const { number } = running.order;
  await operator.work("desk", `${number} begins`, 2000);
  if (!(await fetchOrder(operator, running))) return;
  await pickSingle(operator, running);
  await pushChangesNow(operator, running, "after");
  if (operator.random.chance(0.15)) await queryReport(operator, [running]);
  await workFollowUps(operator, running, (followUp) => pickSingle(operator, followUp));
}

async function pickSingle(operator: Operator, running: RunningOrder): Promise<void> {
  const { number } = running.order;
  let container: string | null = `T-${number}`;
  if (operator.random.chance(0.6)) {
    if (!(await attach(operator, number, container))) container = null;
    // The order is interrupted and continued later with another tote.
    else if (operator.random.chance(0.05)) {
      await attach(operator, number, container, true);
      container = `T-${number}-2`;
      await operator.work("desk", `${number} begins again`, 30_000);
      if (!(await attach(operator, number, container))) container = null;
    }
  } else container = null;
  const stops = running.lines.toSorted((a, b) => a.order - b.order).map((line) => ({ running, line }));
  await pickLines(operator, stops, {
    isCart: false,
    containersOf: () => [container],
    meanwhile: (one) => workMeanwhile(operator, one, (followUp) => pickSingle(operator, followUp)),
  });
  const isCancelled = running.lines.every((line) => line.isCancelled);
  if (isCancelled && container !== null) await attach(operator, number, container, true);
}

/** Attaches an order to a container, or releases it. Returns true if the adapter agrees. */
async function attach(operator: Operator, order: string, containerCode: string, isReleased = false): Promise<boolean> {
  if (operator.tally.notOffered.has("attachWorkOrder")) return false;
  const input = { workOrderNumber: order, containerCode, isAbandonedOrCancelled: isReleased };
  const what = `${isReleased ? "off" : "on"} ${containerCode}`;
  const answer = await operator.call("attachWorkOrder", input, { orders: [order], what });
  if (!answer.ok) return false;
  operator.records.event(order, "attachWorkOrder");
  const { containers } = operator.records.of(order);
  if (isReleased) containers.delete(containerCode);
  else containers.set(containerCode, "");
  const orderGroup = orderGroupOf(operator, order);
  if (orderGroup !== null && !isReleased) {
    begin(orderGroup, order);
    noteHistory(orderGroup, `${order} attached to ${containerCode}`);
  }
  return true;
}

interface OutageNeeds {
  /** The control address that takes the external system down and brings it up again. */
  readonly controlUrl: string | null;
  /** The share of orders for which it is down. */
  readonly share: number;
  readonly tally: Tally;
}

const beginsAt = 0.4;

/** Takes the external system down during the shift and brings it up again. Called with the share of finished orders. */
interface ErpOutage {
  readonly at: (done: number) => Promise<void>;
  readonly end: () => Promise<void>;
}

export function openErpOutage({ controlUrl, share, tally }: OutageNeeds): ErpOutage {
  let state: "before" | "down" | "over" = controlUrl === null || share === 0 ? "over" : "before";
  const event = async (isDown: boolean) => {
    const answer = await request(`${controlUrl}/down`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ down: isDown }),
    }).catch((error: unknown) => ({ statusCode: String(error), body: null }));
    await answer.body?.dump();
    if (Number(answer.statusCode) < 300) return;
    tally.note({
      kind: "answer",
      order: null,
      item: null,
      text: `the external system could not be told to ${isDown ? "go down" : "come back"}`,
      expected: "a status below 300",
      found: String(answer.statusCode),
      calls: [],
    });
  };
  const end = async () => {
    if (state === "down") await event(false);
    state = "over";
  };
  return {
    at: async (done) => {
      if (state === "before" && done >= beginsAt) {
        state = "down";
        tally.countFault("erp-down");
        await event(true);
      } else if (state === "down" && done >= beginsAt + share) await end();
    },
    end,
  };
}
