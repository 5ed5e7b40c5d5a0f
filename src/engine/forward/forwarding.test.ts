import { describe, expect, test } from "vitest";
import { forwardDesk, inMemory, onDisk } from "../../../test/support/forward-desk.ts";
import { Fault } from "../../sdk/fault.ts";
import { ok } from "../../sdk/outcome.ts";
import { checkEdit } from "../overview/check-edit.ts";

const order = (number: string) => ({
  number,
  dueDate: "2030-01-31",
  requests: [{ itemNumber: "A", requestedAmount: 2 }],
});
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

  test("of stock that waits only the newest of each item, location and lot is sent", async () => {
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

  test("a count of an earlier time that arrives late does not take the place of the later one", async () => {
    const desk = await forwardDesk(open(), { modes: { stock: "forward" } });
    desk.answer(down);
    const count = (amount: number, asOf: string) => desk.push("stock", { itemNumber: "A", amount, asOf });
    await count(0, "2030-01-30T06:00:00Z");
    const [evening = ""] = await count(46, "2030-01-30T18:00:00+01:00");
    await count(50, "2030-01-30T16:59:00Z");
    desk.answer(() => ok(null));
    await desk.pass(60_000);
    expect(desk.journal().read.entry(evening)?.state).toBe("delivered");
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
    // The first of them may have been on its way when the next came: then it is sent, and nothing is lost.
    expect(desk.sent.map(({ payload }) => (payload as { name: string }).name).slice(-2)).toEqual([
      "pictured",
      "newest",
    ]);
  });

  test("orders and cancellations never take each other's place", async () => {
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

  test("a push that the platform refuses holds up its own order on the way there, and nothing the other way", async () => {
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

  test("a refused push can be mended, but not made one about another order", async () => {
    const desk = await forwardDesk(open(), { modes: { workOrders: "forward" } });
    desk.answer(() => {
      throw new Fault("rejected", "unknown customer", { answer: { status: 422 } });
    });
    const [id = ""] = await desk.push("workOrders", order("1"));
    await desk.pass(100);
    const entry = desk.journal().read.entry(id);
    if (entry === null) throw new Error("it is gone");
    const mended = (number: string) => ({ value: order(number), text: JSON.stringify(order(number)) });
    expect(checkEdit(entry, mended("2"))).toEqual({ otherLanes: ["wo:1", "wo:2"] });
    expect(checkEdit(entry, mended("1"))).toEqual({ body: mended("1").text });
  });

  test("what was queued goes on after the mode was set back to serve", async () => {
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
