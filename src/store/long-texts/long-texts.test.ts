import { expect, test } from "vitest";
import { embeddedStore, workOrder } from "../../../test/support/floor/embedded-store.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers, systemTimers } from "../../kit/time/timers.ts";
import type { ReadyJsonSlices } from "../../operation/outcome.ts";
import { openOrderStore } from "../order-store.ts";
import { openLongTexts } from "./long-texts.ts";
import { type SliceJob, storedSlices } from "./stored-slices.ts";

const description = "größe ".repeat(150_000);
const text = JSON.stringify(workOrder({ number: "N", description }));
const bytes = Buffer.byteLength(text);

/** One long order, read without a thread of its own; every job is noted. */
function warehouse() {
  const { file, writer, reader } = embeddedStore();
  const orders = openOrderStore(writer);
  orders.insert(workOrder({ number: "N", description }), 1);
  const timers = manualTimers(manualClock(0));
  const jobs: SliceJob[] = [];
  const answer = storedSlices(reader);
  const run = async (job: SliceJob) => {
    jobs.push(job);
    return answer(job);
  };
  const longTexts = openLongTexts({ databaseFile: file, timers, thread: { run, close: async () => {} } });
  const count = (kind: "next" | "end") => jobs.filter((job) => kind in job).length;
  return { file, orders, timers, longTexts, count };
}
const given = (slices: ReadyJsonSlices | undefined) => {
  if (slices === undefined) throw new Error("the order is gone");
  return slices;
};
const begun = (slices: ReadyJsonSlices | undefined) => given(slices).slices[Symbol.asyncIterator]();

test("the slices of a long order are its text, and none is longer than a quarter of a megabyte", async () => {
  const { longTexts } = warehouse();
  const slices: Uint8Array[] = [];
  for await (const slice of longTexts.later({ order: 1, must: "be open", bytes }).slices) slices.push(slice);
  expect(slices.length).toBe(Math.ceil(bytes / (256 * 1024)));
  expect(Math.max(...slices.map(({ length }) => length))).toBe(256 * 1024);
  expect(Buffer.concat(slices).toString()).toBe(text);
});

test("a thread of its own reads the same", async () => {
  const { file } = warehouse();
  const longTexts = openLongTexts({ databaseFile: file, timers: systemTimers });
  expect((await given(await longTexts.open({ order: 1, must: "be open", bytes })).bytes()).toString()).toBe(text);
  expect(await longTexts.open({ order: 2, must: "be open", bytes })).toBeUndefined();
  await longTexts.close();
});

test("all slices are of the same state of the order, whatever is stored while they are sent", async () => {
  const { longTexts, orders } = warehouse();
  const reading = begun(await longTexts.open({ order: 1, must: "be open", bytes }));
  const slices = [(await reading.next()).value];
  orders.replace("N", workOrder({ number: "N", description: "other ".repeat(150_000) }));
  for (let next = await reading.next(); next.done !== true; next = await reading.next()) slices.push(next.value);
  expect(Buffer.concat(slices).toString()).toBe(text);
});

test("an order that has ended is not opened as an open one, and one that is not listed any more is left out of a list", async () => {
  const { longTexts, orders } = warehouse();
  const listed = { oldestDueAt: 0, dayBegan: 0, timeOfDay: "06:00" };
  orders.recordWork("N");
  expect((await longTexts.later({ order: 1, must: listed, bytes }).bytes()).length).toBe(0);
  expect((await given(await longTexts.open({ order: 1, must: "be open", bytes })).bytes()).length).toBe(bytes);
  orders.setState("N", "finished");
  expect(await longTexts.open({ order: 1, must: "be open", bytes })).toBeUndefined();
  expect((await given(await longTexts.open({ order: 1, must: null, bytes })).bytes()).length).toBe(bytes);
});

test("a slow reader has no more than the next slice waiting", async () => {
  const { longTexts, timers, count } = warehouse();
  const reading = begun(await longTexts.open({ order: 1, must: "be open", bytes }));
  await reading.next();
  await timers.settle();
  expect(count("next")).toBe(1);
});

test("the text is let go if the reader leaves", async () => {
  const { longTexts, timers, count } = warehouse();
  const reading = begun(await longTexts.open({ order: 1, must: "be open", bytes }));
  await reading.next();
  await reading.return?.();
  await timers.pass(120_000);
  expect(count("end")).toBe(1);
  expect(timers.count()).toBe(0);
});

test("the text is let go if nobody reads for a minute, and the answer is broken off then", async () => {
  const { longTexts, timers, count } = warehouse();
  await longTexts.open({ order: 1, must: "be open", bytes });
  const reading = begun(await longTexts.open({ order: 1, must: "be open", bytes }));
  await timers.pass(59_000);
  await reading.next();
  await timers.pass(59_000);
  await reading.next();
  expect(count("end")).toBe(1);
  await timers.pass(61_000);
  expect(count("end")).toBe(2);
  await expect(reading.next()).rejects.toThrow("nobody has read");
});
