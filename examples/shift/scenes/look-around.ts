import assert from "node:assert/strict";
import { type Floor, granted, refused } from "../floor.ts";
import { scan } from "../scan.ts";

const orders = ["4711", "4712", "4713", "4714", "4715", "4716", "4717", "4718"];
const pictureBegins = /^(\x89PNG|GIF8)/;

/** The shift begins: orders, a scan, the put wall's batch, items and a picture. */
export async function lookAround(floor: Floor): Promise<void> {
  const { client, say, until } = floor;
  const listed = async () => (granted(await client.listWorkOrders()) ?? []).map(({ number }) => number).toSorted();
  await until("the orders of the ERP", async () => (await listed()).length >= orders.length);
  assert.deepEqual(await listed(), orders);
  say(`list: ${orders.length} orders; 4719 is not among them`);

  const order = await scan(floor, "4711");
  assert.match(order.dueDate, /^2030-01-31T\d\d:00:00(Z|\+01:00)$/);
  assert.deepEqual(
    order.requests.map((line) => [line.itemNumber, line.requestedAmount, line.requestExternalIdentifier]),
    [
      ["100100", 5, "10"],
      ["100200", 4, "20"],
    ],
  );
  const unknown = await client.findWorkOrderByCode({ Code: "0815", StorageName: "Main" });
  refused("findWorkOrderByCode", unknown, "WorkOrderDoesNotExist", /\w/);
  const elsewhere = await client.findWorkOrderByCode({ Code: "4718", StorageName: "Main" });
  refused("findWorkOrderByCode", elsewhere, "WorkOrderDoesNotExist", /Annex/);
  say(`scans: 4711 is found; 0815: "${unknown.externalMessage}"; 4718: "${elsewhere.externalMessage}"`);

  const batch = granted(await client.findPutWallOrders({ code: "B-77" }));
  assert.deepEqual(batch.map(({ number }) => number).toSorted(), ["4714", "4715"]);
  await until("the items of the ERP", async () => (await client.getItem({ number: "100100" })).isResultSuccess);
  const item = granted(await client.getItem({ number: "100100" }));
  assert.equal(item.name, "Claw hammer");
  assert.equal(item.weight, 0.68);
  refused("getItem", await client.getItem({ number: "999999" }), "ItemDoesNotExist");
  const image = granted(await client.getItemImage({ number: "100100" }));
  assert.match(Buffer.from(image, "base64").toString("latin1"), pictureBegins);
  refused("getItemImage", await client.getItemImage({ number: "999999" }), "ImageDoesNotExist");
  say("put wall batch B-77: two orders; item 100100 with its picture");
}
