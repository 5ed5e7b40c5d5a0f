import { expect, onTestFinished, test, vi } from "vitest";
import { embeddedStore, workOrder } from "../../test/support/floor/embedded-store.ts";
import type { WorkOrder } from "../contract/schemas/work-order.ts";
import { silentLog } from "../kit/log.ts";
import { limitsMark } from "../sdk/servable-record.ts";
import { withDefaults } from "./option-defaults.ts";
import { openProjection } from "./store-projection.ts";
import { checkedLimits, storedSoundness } from "./stored-soundness.ts";

const dates = { timeZone: "UTC", timeOfDay: "00:00" };

function shop() {
  const { file, writer, reader } = embeddedStore();
  const projection = openProjection(writer, withDefaults({}));
  const notes = new Map<string, string>();
  let seq = 0;
  const push = (number: string, members: Partial<WorkOrder> = {}) => {
    seq += 1;
    const payload = workOrder({ number, ...members });
    projection.apply({ id: `evt_${seq}`, seq, topic: "workOrders", payload, receivedAt: seq });
  };
  const connectorState = {
    read: (key: string) => notes.get(key),
    write: async (key: string, value: string) => void notes.set(key, value),
  };
  const open = () => {
    const soundness = storedSoundness(reader, { connectorState, databaseFile: file, log: silentLog }, dates);
    onTestFinished(soundness.close);
    return soundness;
  };
  return { push, open, notes, writer };
}

const manyOrders = Array.from({ length: 300 }, (_, index) => `N-${index}`);

test("an empty store counts as checked, however much is pushed before the first query", () => {
  const { open, push, notes } = shop();
  const soundness = open();
  for (const number of manyOrders) push(number);
  expect(soundness.isSound()).toBe(true);
  expect(notes.get(checkedLimits)).toBe(limitsMark());
  expect(open().isSound()).toBe(true);
});

test("a store of few records is checked by the first query", () => {
  const { open, push, notes } = shop();
  push("A");
  expect(open().isSound()).toBe(true);
  expect(notes.get(checkedLimits)).toBe(limitsMark());
});

test("a large store is checked in another thread, and queries do not wait for it", async () => {
  const { open, push, notes } = shop();
  for (const number of manyOrders) push(number);
  const soundness = open();
  expect(soundness.isSound()).toBe(false);
  await vi.waitFor(() => expect(soundness.isSound()).toBe(true), 60_000);
  expect(notes.get(checkedLimits)).toBe(limitsMark());
});

test("so is a store of a few long orders", async () => {
  const { open, push, notes } = shop();
  const externalData = JSON.stringify("x".repeat(60_000));
  for (let index = 0; index < 10; index++) push(`N-${index}`, { externalData });
  const soundness = open();
  expect(soundness.isSound()).toBe(false);
  await vi.waitFor(() => expect(soundness.isSound()).toBe(true), 60_000);
  expect(notes.get(checkedLimits)).toBe(limitsMark());
});

test("a large store with an order beyond the limits is not sound until that order is replaced", async () => {
  const { open, push, notes, writer } = shop();
  for (const number of manyOrders) push(number);
  const change = (from: string, to: string) =>
    writer.exec(`UPDATE work_order SET json = replace(json, '${from}', '${to}') WHERE number = 'N-290'`);
  change('"requestedAmount":2', '"requestedAmount":3000000000');
  const warn = vi.spyOn(silentLog, "warn");
  onTestFinished(() => warn.mockRestore());
  const soundness = open();
  soundness.isSound();
  await vi.waitFor(() => expect(warn).toHaveBeenCalledWith({ records: 1 }, expect.any(String)), 60_000);
  expect(soundness.isSound()).toBe(false);
  expect(notes.has(checkedLimits)).toBe(false);
  change('"requestedAmount":3000000000', '"requestedAmount":2');
  soundness.checkAgain();
  expect(soundness.isSound()).toBe(true);
});
