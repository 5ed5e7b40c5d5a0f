import { request } from "undici";
import { WorkOrderStatus } from "../../../contract/enums.ts";
import type { Tally } from "../calls/call-tally.ts";
import { begin, bookEnd } from "../changes/book-work.ts";
import { event } from "../changes/order-group.ts";
import type { RunningOrder } from "../orders/running-order.ts";
import type { FloorView } from "../simulation.ts";
import { type Desk, orderGroupOf, pushChangesNow, queryReport } from "./desk.ts";
import { fetchOrder } from "./fetch-order.ts";
import type { Job } from "./office-work.ts";
import { pickLines } from "./pick-lines.ts";
import { workCart } from "./work-cart.ts";
import { workPutWall } from "./work-put-wall.ts";
import { workBesides, workFollowUps } from "./work-rounds.ts";

interface Crew {
  readonly desks: readonly Desk[];
  readonly view: FloorView;
  readonly outage: ErpOutage;
  readonly stopped: AbortSignal;
}

/** All operators do their own jobs, at the same time, each one job after another. */
export async function workAll(
  { desks, view, outage, stopped }: Crew,
  plan: readonly (readonly Job[])[],
): Promise<void> {
  await Promise.all(
    desks.map(async (desk, index) => {
      for (const job of plan[index] ?? []) {
        if (stopped.aborted) break;
        await workJob(desk, job, view.simulation.hasStatus === true);
        view.ordersDone += job.orders.length;
        await outage.at(view.ordersDone / view.ordersTotal);
      }
      desk.at.task = "done";
    }),
  );
}

async function workJob(desk: Desk, job: Job, hasStatus: boolean): Promise<void> {
  if (hasStatus) for (const order of job.orders) await eventStatus(desk, order, WorkOrderStatus.Assigned);
  if (job.kind === "single") await workSingle(desk, job.orders[0]);
  else if (job.kind === "cart") await workCart(desk, job.orders);
  else await workPutWall(desk, job.code, job.orders);
  if (!hasStatus) return;
  for (const order of job.orders) {
    const isUntouched = order.steps === 0 && orderGroupOf(desk, order.order.number) !== null;
    await eventStatus(desk, order, isUntouched ? WorkOrderStatus.Canceled : statusAtTheEnd(order));
  }
}

/** Reports every change of an order's status, as older platforms do. */
async function eventStatus(desk: Desk, { order }: RunningOrder, status: WorkOrderStatus): Promise<void> {
  if (desk.tally.notOffered.has("changeStatus")) return;
  const about = { orders: [order.number], what: `to ${status}` };
  const answer = await desk.call("changeStatus", { number: order.number, status }, about);
  if (!answer.ok) return;
  desk.books.event(order.number, "changeStatus");
  const orderGroup = orderGroupOf(desk, order.number);
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
async function workSingle(desk: Desk, running: RunningOrder): Promise<void> {
  const { number } = running.order;
  await desk.work("desk", `${number} begins`, 2000);
  if (!(await fetchOrder(desk, running))) return;
  await pickSingle(desk, running);
  await pushChangesNow(desk, running, "after");
  if (desk.random.chance(0.15)) await queryReport(desk, [running]);
  await workFollowUps(desk, running, (followUp) => pickSingle(desk, followUp));
}

async function pickSingle(desk: Desk, running: RunningOrder): Promise<void> {
  const { number } = running.order;
  let container: string | null = `T-${number}`;
  if (desk.random.chance(0.6)) {
    if (!(await attach(desk, number, container))) container = null;
    // The order is interrupted and continued later with another tote.
    else if (desk.random.chance(0.05)) {
      await attach(desk, number, container, true);
      container = `T-${number}-2`;
      await desk.work("desk", `${number} begins again`, 30_000);
      if (!(await attach(desk, number, container))) container = null;
    }
  } else container = null;
  const stops = running.lines.toSorted((a, b) => a.order - b.order).map((line) => ({ running, line }));
  await pickLines(desk, stops, {
    isCart: false,
    containersOf: () => [container],
    meanwhile: (one) => workBesides(desk, one, (followUp) => pickSingle(desk, followUp)),
  });
  const isCancelled = running.lines.every((line) => line.isCancelled);
  if (isCancelled && container !== null) await attach(desk, number, container, true);
}

/** Attaches an order to a container, or releases it. Returns true if the adapter agrees. */
async function attach(desk: Desk, order: string, containerCode: string, isReleased = false): Promise<boolean> {
  if (desk.tally.notOffered.has("attachWorkOrder")) return false;
  const input = { workOrderNumber: order, containerCode, isAbandonedOrCancelled: isReleased };
  const what = `${isReleased ? "off" : "on"} ${containerCode}`;
  const answer = await desk.call("attachWorkOrder", input, { orders: [order], what });
  if (!answer.ok) return false;
  desk.books.event(order, "attachWorkOrder");
  const { containers } = desk.books.of(order);
  if (isReleased) containers.delete(containerCode);
  else containers.set(containerCode, "");
  const orderGroup = orderGroupOf(desk, order);
  if (orderGroup !== null && !isReleased) {
    begin(orderGroup, order);
    event(orderGroup, `${order} attached to ${containerCode}`);
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
