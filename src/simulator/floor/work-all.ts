import { WorkOrderStatus } from "../../contract/enums.ts";
import type { FloorView } from "../simulation.ts";
import type { Desk } from "./desk.ts";
import type { ErpOutage } from "./erp-outage.ts";
import { familyOf } from "./family-of.ts";
import type { Job } from "./plan-shift.ts";
import { statusAtTheEnd, tellStatus } from "./tell-status.ts";
import { workCart } from "./work-cart.ts";
import { workPutWall } from "./work-put-wall.ts";
import { workSingle } from "./work-single.ts";

interface Crew {
  readonly desks: readonly Desk[];
  readonly view: FloorView;
  readonly outage: ErpOutage;
  readonly stopped: AbortSignal;
}

/** Everybody does their own jobs, at the same time and one after the other. */
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
  if (hasStatus) for (const order of job.orders) await tellStatus(desk, order, WorkOrderStatus.Assigned);
  if (job.kind === "single") await workSingle(desk, job.orders[0]);
  else if (job.kind === "cart") await workCart(desk, job.orders);
  else await workPutWall(desk, job.code, job.orders);
  if (!hasStatus) return;
  for (const order of job.orders) {
    const isUntouched = order.steps === 0 && familyOf(desk, order.order.number) !== null;
    await tellStatus(desk, order, isUntouched ? WorkOrderStatus.Canceled : statusAtTheEnd(order));
  }
}
