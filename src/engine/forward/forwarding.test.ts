import { describe, expect, test } from "vitest";
import { forwardDesk, inMemory, onDisk, type Sent } from "../../../test/support/receivers/forward-desk.ts";
import { Fault } from "../../operation/fault.ts";
import { ok } from "../../operation/outcome.ts";
import { checkEdit } from "../journal-view/entries/check-edit.ts";
import { pushProgress } from "./forwarded.ts";

const order = (number: string) => ({
  number,
  dueDate: "2030-01-31",
  requests: [{ itemNumber: "A", requestedAmount: 2 }],
});
/** The stock levels that the platform accepted, in order. */
const amountsTaken = (sent: readonly Sent[]) =>
  sent.flatMap(({ payload, acceptedTick }) => (acceptedTick === null ? [] : [Object(payload).amount]));
const down = () => {
  throw new Fault("unreachable", "connection refused");
};

describe.each([
  ["in memory", inMemory],
  ["on disk", onDisk],
])("with the journal %s", (_, open) => {
  test("a topic is kept for pulls, sent on, or both, as its mode says", async () => {
    const desk = await forwardDesk(open(), { modes: { workOrders: "forward", items: "both" } });
    const [sentOn = ""] = await desk.push("workOrders", order("1"));
    const [both = ""] = await desk.push("items", { number: "A" });
    const [kept = ""] = await desk.push("cancellations", { workOrderNumber: "1" });
    await desk.pass(1000);
    expect(desk.sent.map(({ id, topic }) => [id, topic])).toEqual([
      [sentOn, "workOrders"],
      [both, "items"],
    ]);
    const entries = [sentOn, both, kept].map((id) => desk.journal().read.entry(id));
    expect(entries.map((entry) => [entry?.state, entry?.target])).toEqual([
      ["delivered", "platform"],
      ["delivered", "platform"],
      ["delivered", null],
    ]);
    expect(entries.every((entry) => entry?.direction === "in")).toBe(true);
  });

  test("the platform gets a push in documented spelling, dates with offset", async () => {
    const desk = await forwardDesk(open(), { modes: { workOrders: "forward" } });
    await desk.push("workOrders", { NUMBER: "7", duedate: "2030-01-31", requests: order("7").requests });
    await desk.pass(0);
    expect(desk.sent[0]?.payload).toMatchObject({ number: "7", dueDate: "2030-01-31T00:00:00Z" });
  });

  test("of waiting stock levels only the newest per item, location and lot is sent", async () => {
    const desk = await forwardDesk(open(), { modes: { stock: "both" } });
    desk.answer(down);
    const place = { itemNumber: "A", locationName: "R1" };
    const [first = ""] = await desk.push("stock", { ...place, amount: 1 });
    await desk.pass(100);
    await desk.push("stock", [
      { ...place, amount: 2 },
      { ...place, lotNumber: "L", amount: 3 },
      { ...place, amount: 4 },
    ]);
    await desk.push("stock", { itemNumber: "A", amount: 9 });
    expect(desk.outbox().overview()).toMatchObject([{ waiting: 3 }]);
    desk.answer(() => ok(null));
    desk.sent.length = 0;
    await desk.pass(60_000);
    expect(desk.sent.map(({ payload }) => (payload as { amount: number }).amount)).toEqual([3, 4, 9]);
    expect(desk.journal().read.entry(first)).toMatchObject({ state: "discarded", reason: "superseded" });
    expect(desk.journal().read.counts()).toMatchObject({ accepted: 0, retry: 0, dead: 0, discarded: 2 });
  });

  test("a count of an earlier time that arrives late is not sent, whether the later one waits or has arrived", async () => {
    const desk = await forwardDesk(open(), { modes: { stock: "forward" } });
    const count = (amount: number, asOf: string) => desk.push("stock", { itemNumber: "A", amount, asOf });
    desk.answer(down);
    const [evening = ""] = await count(46, "2025-01-30T18:00:00+01:00");
    const [afternoon = ""] = await count(50, "2025-01-30T16:59:00Z");
    desk.answer(() => ok(null));
    await desk.pass(60_000);
    const [noon = ""] = await count(60, "2025-01-30T12:00:00Z");
    await desk.pass(60_000);
    expect(amountsTaken(desk.sent)).toEqual([46]);
    for (const late of [afternoon, noon]) {
      expect(pushProgress(desk.journal().read, late)).toMatchObject({ state: "superseded", supersededBy: evening });
    }
  });

  test("a count that a wrong clock dates in the future does not block the counts after it", async () => {
    const desk = await forwardDesk(open(), { modes: { stock: "forward" } });
    await desk.push("stock", { itemNumber: "A", amount: 1, asOf: "2099-01-01T00:00:00Z" });
    await desk.pass(60_000);
    await desk.push("stock", { itemNumber: "A", amount: 2, asOf: new Date(desk.clock.now()).toISOString() });
    await desk.pass(60_000);
    expect(amountsTaken(desk.sent)).toEqual([1, 2]);
  });

  test("a stock level that the platform refuses does not block others of its item, and the next one replaces it", async () => {
    const desk = await forwardDesk(open(), { modes: { stock: "forward", items: "forward" } });
    const level = (locationName: string, amount: number) =>
      desk.push("stock", { itemNumber: "A", locationName, amount });
    desk.answer(() => {
      throw new Fault("rejected", "no such place", { answer: { status: 422 } });
    });
    const [refused = ""] = await level("R1", 1);
    await desk.pass(1000);
    expect(pushProgress(desk.journal().read, refused)).toMatchObject({ state: "refused" });
    desk.answer(() => ok(null));
    await level("R2", 2);
    await desk.pass(1000);
    expect(amountsTaken(desk.sent)).toEqual([2]);
    const [next = ""] = await level("R1", 3);
    await desk.pass(1000);
    expect(amountsTaken(desk.sent)).toEqual([2, 3]);
    expect(pushProgress(desk.journal().read, refused)).toMatchObject({ state: "superseded", supersededBy: next });
  });

  test("a newer state gets the turn of the one that it replaces, however often that happens", async () => {
    const desk = await forwardDesk(open(), { modes: { stock: "forward", workOrders: "forward" }, concurrency: 1 });
    desk.outbox().pause("platform");
    const level = (amount: number) => desk.push("stock", { itemNumber: "A", amount });
    await desk.push("workOrders", order("1"));
    await level(1);
    for (const number of ["2", "3", "4"]) {
      await desk.push("workOrders", order(number));
      await desk.push("stock", [
        { itemNumber: "A", amount: Number(number) },
        { itemNumber: "A", amount: 10 * Number(number) },
      ]);
    }
    desk.outbox().resume("platform");
    await desk.pass(1000);
    expect(desk.sent.map(({ payload }) => Object(payload).number ?? Object(payload).amount)).toEqual([
      ...["1", 40],
      ...["2", "3", "4"],
    ]);
  });

  test("within its item a newer state keeps its order: it comes after what was pushed in between", async () => {
    const desk = await forwardDesk(open(), { modes: { stock: "forward", items: "forward" } });
    desk.outbox().pause("platform");
    await desk.push("stock", { itemNumber: "A", amount: 1 });
    await desk.push("items", { number: "A", name: "changed" });
    await desk.push("stock", { itemNumber: "A", amount: 2 });
    desk.outbox().resume("platform");
    await desk.pass(1000);
    expect(desk.sent.map(({ payload }) => Object(payload).name ?? Object(payload).amount)).toEqual(["changed", 2]);
  });

  test("an item without an image does not take the place of one that brings it", async () => {
    const desk = await forwardDesk(open(), { modes: { items: "forward" } });
    desk.answer(down);
    const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const [old = ""] = await desk.push("items", { number: "A", name: "old" });
    await desk.push("items", { number: "A", name: "pictured", image });
    await desk.push("items", { number: "A", name: "new" });
    await desk.push("items", { number: "A", name: "newest", image: null });
    desk.answer(() => ok(null));
    desk.sent.length = 0;
    await desk.pass(60_000);
    expect(desk.journal().read.entry(old)?.state).toBe("discarded");
    // The first one may have been in flight when the next came. Then it is sent too, and nothing is lost.
    expect(desk.sent.map(({ payload }) => (payload as { name: string }).name).slice(-2)).toEqual([
      "pictured",
      "newest",
    ]);
  });

  test("orders and cancellations never replace each other", async () => {
    const desk = await forwardDesk(open(), { modes: { workOrders: "both", cancellations: "both" } });
    desk.answer(down);
    await desk.push("workOrders", order("1"));
    await desk.push("workOrders", { ...order("1"), description: "changed" });
    for (const requestedAmount of [3, 2, 1]) {
      await desk.push("cancellations", { workOrderNumber: "1", itemNumber: "A", requestedAmount });
    }
    desk.answer(() => ok(null));
    await desk.pass(60_000);
    const accepted = desk.sent.filter(({ acceptedTick }) => acceptedTick !== null);
    const topics = accepted.map(({ topic }) => topic);
    expect(topics).toEqual(["workOrders", "workOrders", "cancellations", "cancellations", "cancellations"]);
  });

  test("a push that the platform refuses blocks its own order in that direction, and nothing in the other", async () => {
    const desk = await forwardDesk(open(), { modes: { cancellations: "forward", workOrders: "forward" } });
    desk.answer(() => {
      throw new Fault("rejected", "too late", { answer: { status: 409 } });
    });
    const [refused = ""] = await desk.push("cancellations", { workOrderNumber: "1" });
    await desk.pass(100);
    const [behind = ""] = await desk.push("workOrders", order("1"));
    desk.answer(() => ok(null));
    await desk.push("workOrders", order("2"));
    await desk.pass(60_000);
    const { read } = desk.journal();
    expect(read.entry(refused)).toMatchObject({ state: "dead", reason: "refused" });
    expect(read.entry(behind)?.state).toBe("accepted");
    expect(read.heldBy("wo:1")).toBeNull();
    expect(desk.sent.at(-1)?.payload).toMatchObject({ number: "2" });
    await desk.outbox().act(read.entry(refused)?.seq ?? 0, { action: "skip", reason: "known there" }, "kim", 1);
    await desk.pass(1000);
    expect(read.entry(behind)?.state).toBe("delivered");
  });

  test("a refused push can be corrected, but not changed to another order", async () => {
    const desk = await forwardDesk(open(), { modes: { workOrders: "forward" } });
    desk.answer(() => {
      throw new Fault("rejected", "unknown customer", { answer: { status: 422 } });
    });
    const [id = ""] = await desk.push("workOrders", order("1"));
    await desk.pass(100);
    const entry = desk.journal().read.entry(id);
    if (entry === null) throw new Error("it is gone");
    const mended = (number: string) => JSON.stringify(order(number));
    expect(checkEdit(entry, mended("2"))).toEqual({ otherLanes: ["wo:1", "wo:2"] });
    expect(checkEdit(entry, mended("1"))).toEqual({ body: mended("1") });
  });

  test("queued entries are still delivered after the mode was set back to serve", async () => {
    const desk = await forwardDesk(open(), { modes: { workOrders: "forward" } });
    desk.answer(down);
    const [queued = ""] = await desk.push("workOrders", order("1"));
    await desk.pass(10);
    desk.mode({});
    const [kept = ""] = await desk.push("workOrders", { ...order("1"), description: "changed" });
    desk.answer(() => ok(null));
    await desk.restart();
    await desk.pass(60_000);
    const { read } = desk.journal();
    expect([read.entry(queued)?.state, read.entry(kept)?.target]).toEqual(["delivered", null]);
  });
});
