import { describe, expect, test } from "vitest";
import { forwardSetup, inMemory, onDisk, type Sent } from "../../../test/support/receivers/forward-setup.ts";
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
    const setup = await forwardSetup(open(), { modes: { workOrders: "forward", items: "both" } });
    const [sentOn = ""] = await setup.push("workOrders", order("1"));
    const [both = ""] = await setup.push("items", { number: "A" });
    const [kept = ""] = await setup.push("cancellations", { workOrderNumber: "1" });
    await setup.pass(1000);
    expect(setup.sent.map(({ id, topic }) => [id, topic])).toEqual([
      [sentOn, "workOrders"],
      [both, "items"],
    ]);
    const entries = [sentOn, both, kept].map((id) => setup.journal().read.entry(id));
    expect(entries.map((entry) => [entry?.state, entry?.target])).toEqual([
      ["delivered", "platform"],
      ["delivered", "platform"],
      ["delivered", null],
    ]);
    expect(entries.every((entry) => entry?.direction === "in")).toBe(true);
  });

  test("the platform gets a push in documented spelling, dates with offset", async () => {
    const setup = await forwardSetup(open(), { modes: { workOrders: "forward" } });
    await setup.push("workOrders", { NUMBER: "7", duedate: "2030-01-31", requests: order("7").requests });
    await setup.pass(0);
    expect(setup.sent[0]?.payload).toMatchObject({ number: "7", dueDate: "2030-01-31T00:00:00Z" });
  });

  test("of waiting stock levels only the newest per item, location and lot is sent", async () => {
    const setup = await forwardSetup(open(), { modes: { stock: "both" } });
    setup.answer(down);
    const place = { itemNumber: "A", locationName: "R1" };
    const [first = ""] = await setup.push("stock", { ...place, amount: 1 });
    await setup.pass(100);
    await setup.push("stock", [
      { ...place, amount: 2 },
      { ...place, lotNumber: "L", amount: 3 },
      { ...place, amount: 4 },
    ]);
    await setup.push("stock", { itemNumber: "A", amount: 9 });
    expect(setup.outbox().overview()).toMatchObject([{ waiting: 3 }]);
    setup.answer(() => ok(null));
    setup.sent.length = 0;
    await setup.pass(60_000);
    expect(setup.sent.map(({ payload }) => (payload as { amount: number }).amount)).toEqual([3, 4, 9]);
    expect(setup.journal().read.entry(first)).toMatchObject({ state: "discarded", reason: "superseded" });
    expect(setup.journal().read.counts()).toMatchObject({ accepted: 0, retry: 0, dead: 0, discarded: 2 });
  });

  test("a count of an earlier time that arrives late is not sent, whether the later one waits or has arrived", async () => {
    const setup = await forwardSetup(open(), { modes: { stock: "forward" } });
    const count = (amount: number, asOf: string) => setup.push("stock", { itemNumber: "A", amount, asOf });
    setup.answer(down);
    const [evening = ""] = await count(46, "2025-01-30T18:00:00+01:00");
    const [afternoon = ""] = await count(50, "2025-01-30T16:59:00Z");
    setup.answer(() => ok(null));
    await setup.pass(60_000);
    const [noon = ""] = await count(60, "2025-01-30T12:00:00Z");
    await setup.pass(60_000);
    expect(amountsTaken(setup.sent)).toEqual([46]);
    for (const late of [afternoon, noon]) {
      expect(pushProgress(setup.journal().read, late)).toMatchObject({ state: "superseded", supersededBy: evening });
    }
  });

  test("a count that a wrong clock dates in the future does not block the counts after it", async () => {
    const setup = await forwardSetup(open(), { modes: { stock: "forward" } });
    await setup.push("stock", { itemNumber: "A", amount: 1, asOf: "2099-01-01T00:00:00Z" });
    await setup.pass(60_000);
    await setup.push("stock", { itemNumber: "A", amount: 2, asOf: new Date(setup.clock.now()).toISOString() });
    await setup.pass(60_000);
    expect(amountsTaken(setup.sent)).toEqual([1, 2]);
  });

  test("a stock level that the platform refuses does not block others of its item, and the next one replaces it", async () => {
    const setup = await forwardSetup(open(), { modes: { stock: "forward", items: "forward" } });
    const level = (locationName: string, amount: number) =>
      setup.push("stock", { itemNumber: "A", locationName, amount });
    setup.answer(() => {
      throw new Fault("rejected", "no such place", { answer: { status: 422 } });
    });
    const [refused = ""] = await level("R1", 1);
    await setup.pass(1000);
    expect(pushProgress(setup.journal().read, refused)).toMatchObject({ state: "refused" });
    setup.answer(() => ok(null));
    await level("R2", 2);
    await setup.pass(1000);
    expect(amountsTaken(setup.sent)).toEqual([2]);
    const [next = ""] = await level("R1", 3);
    await setup.pass(1000);
    expect(amountsTaken(setup.sent)).toEqual([2, 3]);
    expect(pushProgress(setup.journal().read, refused)).toMatchObject({ state: "superseded", supersededBy: next });
  });

  test("a newer state gets the turn of the one that it replaces, however often that happens", async () => {
    const setup = await forwardSetup(open(), { modes: { stock: "forward", workOrders: "forward" }, concurrency: 1 });
    setup.outbox().pause("platform");
    const level = (amount: number) => setup.push("stock", { itemNumber: "A", amount });
    await setup.push("workOrders", order("1"));
    await level(1);
    for (const number of ["2", "3", "4"]) {
      await setup.push("workOrders", order(number));
      await setup.push("stock", [
        { itemNumber: "A", amount: Number(number) },
        { itemNumber: "A", amount: 10 * Number(number) },
      ]);
    }
    setup.outbox().resume("platform");
    await setup.pass(1000);
    expect(setup.sent.map(({ payload }) => Object(payload).number ?? Object(payload).amount)).toEqual([
      ...["1", 40],
      ...["2", "3", "4"],
    ]);
  });

  test("within its item a newer state keeps its order: it comes after what was pushed in between", async () => {
    const setup = await forwardSetup(open(), { modes: { stock: "forward", items: "forward" } });
    setup.outbox().pause("platform");
    await setup.push("stock", { itemNumber: "A", amount: 1 });
    await setup.push("items", { number: "A", name: "changed" });
    await setup.push("stock", { itemNumber: "A", amount: 2 });
    setup.outbox().resume("platform");
    await setup.pass(1000);
    expect(setup.sent.map(({ payload }) => Object(payload).name ?? Object(payload).amount)).toEqual(["changed", 2]);
  });

  test("an item without an image does not take the place of one that brings it", async () => {
    const setup = await forwardSetup(open(), { modes: { items: "forward" } });
    setup.answer(down);
    const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const [old = ""] = await setup.push("items", { number: "A", name: "old" });
    await setup.push("items", { number: "A", name: "pictured", image });
    await setup.push("items", { number: "A", name: "new" });
    await setup.push("items", { number: "A", name: "newest", image: null });
    setup.answer(() => ok(null));
    setup.sent.length = 0;
    await setup.pass(60_000);
    expect(setup.journal().read.entry(old)?.state).toBe("discarded");
    // The first one may have been in flight when the next came. Then it is sent too, and nothing is lost.
    expect(setup.sent.map(({ payload }) => (payload as { name: string }).name).slice(-2)).toEqual([
      "pictured",
      "newest",
    ]);
  });

  test("orders and cancellations never replace each other", async () => {
    const setup = await forwardSetup(open(), { modes: { workOrders: "both", cancellations: "both" } });
    setup.answer(down);
    await setup.push("workOrders", order("1"));
    await setup.push("workOrders", { ...order("1"), description: "changed" });
    for (const requestedAmount of [3, 2, 1]) {
      await setup.push("cancellations", { workOrderNumber: "1", itemNumber: "A", requestedAmount });
    }
    setup.answer(() => ok(null));
    await setup.pass(60_000);
    const accepted = setup.sent.filter(({ acceptedTick }) => acceptedTick !== null);
    const topics = accepted.map(({ topic }) => topic);
    expect(topics).toEqual(["workOrders", "workOrders", "cancellations", "cancellations", "cancellations"]);
  });

  test("a push that the platform refuses blocks its own order in that direction, and nothing in the other", async () => {
    const setup = await forwardSetup(open(), { modes: { cancellations: "forward", workOrders: "forward" } });
    setup.answer(() => {
      throw new Fault("rejected", "too late", { answer: { status: 409 } });
    });
    const [refused = ""] = await setup.push("cancellations", { workOrderNumber: "1" });
    await setup.pass(100);
    const [behind = ""] = await setup.push("workOrders", order("1"));
    setup.answer(() => ok(null));
    await setup.push("workOrders", order("2"));
    await setup.pass(60_000);
    const { read } = setup.journal();
    expect(read.entry(refused)).toMatchObject({ state: "dead", reason: "refused" });
    expect(read.entry(behind)?.state).toBe("accepted");
    expect(read.heldBy("wo:1")).toBeNull();
    expect(setup.sent.at(-1)?.payload).toMatchObject({ number: "2" });
    await setup.outbox().act(read.entry(refused)?.seq ?? 0, { action: "skip", reason: "known there" }, "kim", 1);
    await setup.pass(1000);
    expect(read.entry(behind)?.state).toBe("delivered");
  });

  test("a refused push can be corrected, but not changed to another order", async () => {
    const setup = await forwardSetup(open(), { modes: { workOrders: "forward" } });
    setup.answer(() => {
      throw new Fault("rejected", "unknown customer", { answer: { status: 422 } });
    });
    const [id = ""] = await setup.push("workOrders", order("1"));
    await setup.pass(100);
    const entry = setup.journal().read.entry(id);
    if (entry === null) throw new Error("it is gone");
    const mended = (number: string) => JSON.stringify(order(number));
    expect(checkEdit(entry, mended("2"))).toEqual({ otherLanes: ["wo:1", "wo:2"] });
    expect(checkEdit(entry, mended("1"))).toEqual({ body: mended("1") });
  });

  test.each([
    ["stock", { itemNumber: "A", locationName: "L", amount: 5 }, "amount"],
    ["workOrders", order("1"), "requests[0].requestedAmount"],
    ["cancellations", { workOrderNumber: "1", itemNumber: "A", requestedAmount: 5 }, "requestedAmount"],
  ] as const)("a corrected push of %s is not rounded", async (topic, element, field) => {
    const setup = await forwardSetup(open(), { modes: { [topic]: "forward" } });
    setup.answer(() => {
      throw new Fault("rejected", "no", { answer: { status: 422 } });
    });
    const [id = ""] = await setup.push(topic, element);
    await setup.pass(100);
    const entry = setup.journal().read.entry(id);
    if (entry === null) throw new Error("it is gone");
    const amounts = /("(?:amount|requestedAmount)":)\d+/;
    for (const digits of ["1.0000000000000001", "12345678901234567890"]) {
      const text = JSON.stringify(element).replace(amounts, `$1${digits}`);
      expect(checkEdit(entry, text)).toMatchObject({ problems: [{ field, found: digits }] });
    }
    const right = JSON.stringify(element).replace(amounts, "$17");
    expect(checkEdit(entry, right)).toEqual({ body: right });
  });

  test("queued entries are still delivered after the mode was set back to serve", async () => {
    const setup = await forwardSetup(open(), { modes: { workOrders: "forward" } });
    setup.answer(down);
    const [queued = ""] = await setup.push("workOrders", order("1"));
    await setup.pass(10);
    setup.mode({});
    const [kept = ""] = await setup.push("workOrders", { ...order("1"), description: "changed" });
    setup.answer(() => ok(null));
    await setup.restart();
    await setup.pass(60_000);
    const { read } = setup.journal();
    expect([read.entry(queued)?.state, read.entry(kept)?.target]).toEqual(["delivered", null]);
  });
});
