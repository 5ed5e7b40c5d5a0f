import { expect, test } from "vitest";
import { embeddedStore, workOrder } from "../../test/support/floor/embedded-store.ts";
import { openOrderStore } from "./order-store.ts";

const store = () => openOrderStore(embeddedStore().writer);
const order = workOrder({ number: "WO-1", externalData: '{"a":1}' });

test("an order comes back as it was given, members unknown to the contract included", () => {
  const orders = store();
  const given = { ...order, colour: "red", __proto__: { inherited: true } };
  orders.insert(given, 1);
  expect(orders.find("WO-1")?.workOrder).toEqual({ ...order, colour: "red" });
  expect(orders.find("wo-1")).toBeUndefined();
});

test("a replaced order has its new content", () => {
  const orders = store();
  orders.insert(order, 1);
  orders.replace("WO-1", { ...order, description: "second" });
  expect(orders.find("WO-1")?.workOrder.description).toBe("second");
});

test("a released order waits again, and the next sign of work starts it again", () => {
  const orders = store();
  orders.insert(order, 1);
  orders.recordWork("WO-1");
  orders.release("WO-1");
  expect(orders.find("WO-1")).toMatchObject({ state: "waiting", worked: false });
  orders.recordWork("WO-1");
  expect(orders.find("WO-1")).toMatchObject({ state: "started", worked: true });
});

test("the first sign of work starts a waiting order", () => {
  const orders = store();
  orders.insert(order, 1);
  expect(orders.find("WO-1")).toMatchObject({ state: "waiting", worked: false });
  orders.recordWork("WO-1");
  expect(orders.find("WO-1")).toMatchObject({ state: "started", worked: true });
});

test("a sign of work on a cancelled order is remembered and leaves its state", () => {
  const orders = store();
  orders.insert(order, 1);
  orders.setState("WO-1", "cancelled");
  expect(orders.find("WO-1")).toMatchObject({ state: "cancelled", worked: false });
  orders.recordWork("WO-1");
  expect(orders.find("WO-1")).toMatchObject({ state: "cancelled", worked: true });
});

test("an order that was finished was worked on, whether or not a step was seen", () => {
  const orders = store();
  orders.insert(order, 1);
  orders.setState("WO-1", "finished");
  orders.recordWork("WO-1");
  expect(orders.find("WO-1")).toMatchObject({ state: "finished", worked: true });
});

test("numbers of imported files are known without being orders", () => {
  const orders = store();
  orders.insert(order, 1);
  orders.remember(["F-1", "F-2", "F-1"]);
  expect(["WO-1", "F-1", "F-2", "F-3"].map(orders.isKnown)).toEqual([true, true, true, false]);
  expect(orders.find("F-1")).toBeUndefined();
});

test("readers hear of new content and of closed orders, and are left alone by signs of work", () => {
  const orders = store();
  orders.insert(order, 1);
  expect(orders.drainCachesOutdated()).toBe(true);
  expect(orders.drainCachesOutdated()).toBe(false);
  orders.recordWork("WO-1");
  orders.remember(["F-1"]);
  orders.setState("WO-1", "started");
  expect(orders.drainCachesOutdated()).toBe(false);
  orders.setState("WO-1", "finished");
  expect(orders.drainCachesOutdated()).toBe(true);
  orders.replace("WO-1", order);
  expect(orders.drainCachesOutdated()).toBe(true);
});

test("a number of blanks only is stored like any other", () => {
  const orders = store();
  orders.insert(workOrder({ number: " " }), 1);
  expect(orders.find(" ")?.number).toBe(" ");
});
