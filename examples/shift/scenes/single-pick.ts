import assert from "node:assert/strict";
import { WorkOrderStatus } from "../../../src/contract/enums.ts";
import { type Floor, granted, refused } from "../floor.ts";
import { type RunningOrder, runningOrder } from "../running-order.ts";
import { scan } from "../scan.ts";

/** Order 4711 is picked into a tote, and loses its second line while it is. */
export async function singlePick(floor: Floor): Promise<RunningOrder> {
  const { client, erp, say, happened, until, look } = floor;
  const order = runningOrder(await scan(floor, "4711"), 1);
  granted(await client.attachWorkOrder({ workOrderNumber: "4711", containerCode: "TOTE-1" }));
  happened({ what: "attach", order: "4711", tote: "TOTE-1" });
  const taken = await client.attachWorkOrder({ workOrderNumber: "4712", containerCode: "TOTE-1" });
  refused("attachWorkOrder", taken, "ContainerAlreadyAttached", /\w/);
  say(`attach: 4711 to TOTE-1; 4712 to the same one: "${taken.externalMessage}"`);

  const first = { line: "10", amount: 2, container: "TOTE-1", from: "M-01-01" };
  assert.equal(granted(await client.confirmStep(order.step(first))).updateWorkOrderRequest, null);
  happened(order.booking(first));

  await erp.cancelLine("4711", "20");
  await until("the cancellation from the ERP", async () => {
    const { entries } = (await look("/admin/journal?topic=cancellations")) as { entries: unknown[] };
    return entries.length > 0;
  });
  const second = { line: "10", amount: 3, container: "TOTE-1", from: "M-01-01" };
  const answer = await client.confirmStep(order.step(second));
  happened(order.booking(second));
  order.apply(granted(answer).updateWorkOrderRequest);
  assert.deepEqual(order.cancelledLines(), ["20"]);
  say(`line 20 of 4711 was cancelled in the ERP; the next step says: "${answer.externalMessage}"`);

  granted(await client.changeStatus({ number: "4711", status: WorkOrderStatus.CompletedWithCancelations }));
  happened({ what: "state", order: "4711", note: "completed" });
  // The office learns what became of its cancellation.
  happened({ what: "note", order: "4711", line: "20", note: "applied" });
  return order;
}
