import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import type { PushedEntry } from "../../engine/intake/read-push.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { imageKind } from "../../operation/outcome.ts";
import { sampleItems, sampleStock } from "./items.ts";
import { loadSampleWarehouse } from "./load.ts";
import { putWallBatch, sampleOrders } from "./orders.ts";

const clock = manualClock();
const items = sampleItems();
const orders = sampleOrders(clock.now(), items);
const dates = { timeZone: "UTC", timeOfDay: "00:00" };

test("there are twelve items with an image each, no two alike", () => {
  expect(items).toHaveLength(12);
  expect(new Set(items.map(({ image }) => image)).size).toBe(12);
  for (const { image } of items) expect(imageKind(Buffer.from(image ?? "", "base64"))).toBe("png");
});

test("an image is a whole PNG: 48 by 48 pixels, opaque in the middle, clear in the corner", () => {
  const bytes = Buffer.from(items[0]?.image ?? "", "base64");
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([48, 48]);
  const rows = inflateSync(bytes.subarray(41, 41 + bytes.readUInt32BE(33)));
  expect(rows).toHaveLength(48 * (48 * 4 + 1));
  const opacity = (x: number, y: number) => rows[y * (48 * 4 + 1) + 1 + x * 4 + 3];
  expect([opacity(0, 0), opacity(24, 24)]).toEqual([0, 255]);
});

test("there are ten orders over two storages, several of them in one batch for the put wall", () => {
  expect(orders).toHaveLength(10);
  expect(new Set(orders.map(({ designatedStorageName }) => designatedStorageName)).size).toBe(2);
  expect(orders.filter(({ deliveryNumber }) => deliveryNumber === putWallBatch).length).toBeGreaterThan(1);
});

test("no code starts two orders", () => {
  const codes = orders.flatMap((order) => [order.number, order.alternativeStartNumber, order.externalIdentifier]);
  expect(new Set(codes).size).toBe(3 * orders.length);
});

test("every line and every stock level refers to an existing item", () => {
  const numbers = new Set(items.map(({ number }) => number));
  const asked = [...orders.flatMap(({ requests }) => requests), ...sampleStock(clock.now())];
  expect(asked.filter(({ itemNumber }) => !numbers.has(itemNumber))).toEqual([]);
});

test("there is stock for every line", () => {
  const onHand = new Map<string, number>();
  for (const { itemNumber, amount } of sampleStock(clock.now())) {
    onHand.set(itemNumber, (onHand.get(itemNumber) ?? 0) + amount);
  }
  for (const { itemNumber, requestedAmount } of orders.flatMap(({ requests }) => requests)) {
    onHand.set(itemNumber, (onHand.get(itemNumber) ?? 0) - requestedAmount);
  }
  expect([...onHand].filter(([, left]) => left < 0)).toEqual([]);
});

test.each([0, 9, 23.99])("at %s o'clock every order is due later", (hour) => {
  const now = Date.UTC(2026, 1, 28) + hour * 3_600_000;
  expect(sampleOrders(now, items).filter(({ dueDate }) => Date.parse(dueDate) <= now)).toEqual([]);
});

test("everything passes the checks of a push and is stored at once", async () => {
  const batches: (readonly PushedEntry[])[] = [];
  const loaded = await loadSampleWarehouse({
    engine: {
      accept: async (entries) => {
        batches.push(entries);
        return { ids: [], unchanged: 0 };
      },
    },
    clock,
    dates,
  });
  expect(loaded).toEqual({ orders: 10, items: 12, scanCode: "SO-1001", storage: "Main" });
  expect(batches).toHaveLength(1);
  expect(batches[0]?.map(({ topic }) => topic)).toEqual([
    ...Array(12).fill("items"),
    ...Array(14).fill("stock"),
    ...Array(10).fill("workOrders"),
  ]);
});

test("a warehouse that cannot be stored stops the start instead of passing for an empty one", async () => {
  const engine = { accept: async () => ({ notStored: "full" }) };
  await expect(loadSampleWarehouse({ engine, clock, dates })).rejects.toThrow(/could not be stored/);
});
