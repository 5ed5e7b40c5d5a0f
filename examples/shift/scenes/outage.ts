import assert from "node:assert/strict";
import { type Floor, granted } from "../floor.ts";
import { runningOrder } from "../running-order.ts";

/** The ERP is out of order. The floor works on; when it is back, everything arrives. */
export async function outage({ client, erp, say, happened, until, look }: Floor): Promise<void> {
  await erp.goDown();
  const scanned = await client.findWorkOrderByCode({ Code: "4717", StorageName: "Main" });
  const order = runningOrder(granted(scanned), 7);
  if (erp.isAskedLive) {
    assert.match(scanned.externalMessage ?? "", /as of \d\d:\d\d/);
    assert.match((await client.listWorkOrders()).externalMessage ?? "", /as of \d\d:\d\d/);
  }
  granted(await client.getItemImage({ number: "100100" }));
  say(`the ERP is down; a scan of 4717 says: "${scanned.externalMessage ?? "nothing unusual"}"`);

  granted(await client.attachWorkOrder({ workOrderNumber: "4717", containerCode: "TOTE-7" }));
  happened({ what: "attach", order: "4717", tote: "TOTE-7" });
  for (const amount of [1, 2]) {
    const pick = { line: "10", amount, container: "TOTE-7", from: "M-03-01" };
    granted(await client.confirmStep(order.step(pick)));
    happened(order.booking(pick));
  }
  const waiting = async () =>
    ((await look("/admin/journal?state=accepted,inflight,retry&direction=out")) as { entries: { orders: string[] }[] })
      .entries;
  const ofOrder = (await waiting()).filter(({ orders }) => orders.includes("4717"));
  assert.equal(ofOrder.length, 3, "the events of 4717 wait in the journal");
  say(`${ofOrder.length} events of 4717 wait in the journal`);

  await erp.comeBack();
  await until("all events at the ERP", async () => (await waiting()).length === 0);
  await until("answers of the ERP itself", async () => {
    const found = await client.findWorkOrderByCode({ Code: "4718", StorageName: "Annex" });
    return found.isResultSuccess && found.externalMessage === null;
  });
  say("the ERP is back; nothing waits any more");
}
