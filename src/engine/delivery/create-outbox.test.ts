import { expect, test } from "vitest";
import { down, outboxHarness, type Script, silent } from "../../../test/support/floor/outbox-harness.ts";
import { unreadTracing } from "../../../test/support/floor/unread-tracing.ts";
import type { Journal } from "../../journal/journal.ts";
import { emptyTables } from "../../journal/memory/memory-tables.ts";
import { openMemoryJournal } from "../../journal/memory/open-memory-journal.ts";
import { type Log, silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { type AnyOutcome, ok, refuse } from "../../operation/outcome.ts";
import { handOver } from "../intake/accept.ts";
import { createOutbox } from "./create-outbox.ts";

const delivered: Script = () => ok(null);
const locked: Script = () => {
  throw new Fault("rejected", "locked", { answer: { status: 423, isPassing: true } });
};
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** A target whose calls the test answers one by one. */
function byHand() {
  const open = new Map<number, () => void>();
  const script: Script = (entry) => new Promise((resolve) => open.set(entry.seq, () => resolve(ok(null))));
  return { script, finish: (seq: number) => open.get(seq)?.() };
}

test("an entry is delivered as soon as it is added", async () => {
  const box = outboxHarness();
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([seq]);
  expect(box.stateOf(seq)).toBe("delivered");
  expect(box.journal().read.attempts(seq)).toMatchObject([{ n: 1, outcome: "delivered" }]);
});

test("entries of one lane go one at a time, in order", async () => {
  const box = outboxHarness();
  const hand = byHand();
  box.answer(hand.script);
  const seqs = await box.send(["wo:1"], ["wo:1"], ["wo:1"]);
  for (const [index, seq] of seqs.entries()) {
    await box.timers.settle();
    expect(box.receivedSeqs()).toEqual(seqs.slice(0, index + 1));
    hand.finish(seq);
  }
  await box.timers.settle();
  expect(box.mostInFlight()).toBe(1);
});

test("an entry of two lanes waits for both, and both wait for it", async () => {
  const box = outboxHarness();
  const hand = byHand();
  box.answer(hand.script);
  await box.send(["wo:1"], ["ct:9"], ["wo:1", "ct:9"], ["wo:1"], ["ct:9"]);
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([1, 2]);
  hand.finish(2);
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([1, 2]);
  hand.finish(1);
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([1, 2, 3]);
  hand.finish(3);
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([1, 2, 3, 4, 5]);
});

test("an error of our own during a delivery costs an attempt, and keeps neither the entry nor its lane", async () => {
  let failures = 2;
  const onAttempt = () => {
    if (failures-- > 0) throw new TypeError("a bug");
  };
  const box = outboxHarness({ onAttempt, settings: { concurrency: 1 } });
  const [first = 0, second = 0, other = 0] = await box.send(["wo:1"], ["wo:1"], ["wo:2"]);
  await box.timers.pass(minute);
  expect([first, second, other].map(box.stateOf)).toEqual(["delivered", "delivered", "delivered"]);
  expect(box.theTarget()).toMatchObject({ waiting: 0, inFlight: 0 });
  const errors = box.journal().read.attempts(first);
  expect(errors.map(({ outcome, error }) => [outcome, error])).toContainEqual(["retry", "a bug"]);
});

/** A bug that strikes the first so many times. */
function bug(times: number) {
  let left = times;
  return () => {
    if (left-- > 0) throw new TypeError("a bug");
  };
}

test("an entry that could not be leased because of an error of our own is tried again", async () => {
  const strike = bug(2);
  let tokens = 0;
  const newToken = () => {
    strike();
    return `token-${++tokens}`;
  };
  const box = outboxHarness({ newToken, settings: { concurrency: 1 } });
  const seqs = await box.send(["wo:1"], ["wo:1"], ["wo:2"]);
  await box.timers.pass(minute);
  expect(seqs.map(box.stateOf)).toEqual(["delivered", "delivered", "delivered"]);
  expect(box.theTarget()).toMatchObject({ waiting: 0, inFlight: 0 });
});

test.each(["starting the span", "asking whether it may deliver"])(
  "an error of our own while %s, after the lease, keeps neither the entry nor its lane",
  async (where) => {
    const strike = bug(2);
    const tracing = unreadTracing(strike);
    const mayDeliver = () => {
      strike();
      return true;
    };
    const box = outboxHarness({
      ...(where === "starting the span" ? { tracing } : { mayDeliver }),
      settings: { concurrency: 1 },
    });
    const [first = 0, ...others] = await box.send(["wo:1"], ["wo:1"], ["wo:2"]);
    await box.timers.pass(minute);
    expect([first, ...others].map(box.stateOf)).toEqual(["delivered", "delivered", "delivered"]);
    expect(box.theTarget()).toMatchObject({ waiting: 0, inFlight: 0 });
    const attempts = box.journal().read.attempts(first);
    expect(attempts.map(({ outcome, error }) => [outcome, error])).toContainEqual(["retry", "a bug"]);
  },
);

test("a call whose end fails by an error of our own is counted as ended once", async () => {
  let failures = 1;
  const info = (_fields: unknown, text: string) => {
    if (text.startsWith("the target answers again") && failures-- > 0) throw new TypeError("a bug");
  };
  const box = outboxHarness({ log: { ...silentLog, info } });
  box.answer(down);
  const [seq = 0] = await box.send(["wo:1"], ["wo:2"], ["wo:3"], ["wo:4"], ["wo:5"], ["wo:6"]);
  await box.timers.pass(minute);
  box.answer(() => ok(null));
  await box.timers.pass(hour);
  expect(failures).toBe(0);
  expect(box.stateOf(seq)).toBe("delivered");
  expect(box.theTarget()).toMatchObject({ waiting: 0, inFlight: 0 });
});

test("an entry that fails by an error of our own every time is given up, and the others go on", async () => {
  const box = outboxHarness({
    onAttempt: () => {
      throw new TypeError("a bug");
    },
  });
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.pass(hour);
  expect(box.stateOf(seq)).toBe("dead");
  expect(box.receivedSeqs()).toEqual([seq, seq, seq]);
  expect(box.theTarget()).toMatchObject({ waiting: 0, inFlight: 0 });
});

test("no more are in flight than the target may have", async () => {
  const box = outboxHarness({ settings: { concurrency: 3 } });
  box.answer(silent);
  await box.send(...Array.from({ length: 10 }, (_, i) => [`wo:${i}`]));
  await box.timers.settle();
  expect(box.inFlight()).toBe(3);
  expect(box.theTarget()).toMatchObject({ waiting: 7, inFlight: 3, concurrency: 3 });
});

test("a refused entry is dead at once and parks its own lanes only", async () => {
  const box = outboxHarness();
  box.answer(({ seq }) => (seq === 1 ? refuse("OperationFailed") : ok(null)));
  await box.send(["wo:1"], ["wo:1"], ["wo:2"]);
  await box.timers.settle();
  expect([1, 2, 3].map(box.stateOf)).toEqual(["dead", "accepted", "delivered"]);
  expect(box.journal().read.entry(1)?.reason).toBe("refused");
  await box.send(["wo:1"]);
  await box.timers.pass(hour);
  expect(box.receivedSeqs()).toEqual([1, 3]);
  expect(box.theTarget()?.waiting).toBe(0);
});

test("the error of a refused entry has the external system's own words, because lists show nothing else", async () => {
  const box = outboxHarness();
  box.answer(({ seq }) => refuse("OperationFailed", seq === 1 ? "Not enough stock in A-1." : say("http.refused")));
  await box.send(["wo:1"], ["wo:2"]);
  await box.timers.settle();
  const errors = [1, 2].map((seq) => box.journal().read.latestAttempt(seq)?.error);
  expect(errors).toEqual(["refused: OperationFailed: Not enough stock in A-1.", "refused: OperationFailed"]);
});

test("an entry that waits behind a dead entry in one lane blocks its other lanes too", async () => {
  const box = outboxHarness();
  box.answer(({ seq }) => (seq === 1 ? refuse("OperationFailed") : ok(null)));
  await box.send(["wo:1"], ["wo:1", "ct:9"], ["ct:9", "wo:2"], ["wo:2"], ["wo:3"]);
  await box.send(["wo:2"]);
  await box.timers.pass(minute);
  expect(box.receivedSeqs()).toEqual([1, 5]);
  box.answer(delivered);
  await box.outbox().act(1, { action: "retry" }, "kim", box.clock.now());
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([1, 5, 1, 2, 3, 4, 6]);
});

test("after an operator skips a dead entry, the rest of its lane follows", async () => {
  const box = outboxHarness();
  box.answer(({ seq }) => (seq === 1 ? refuse("OperationFailed") : ok(null)));
  await box.send(["wo:1"], ["wo:1"], ["wo:1"]);
  await box.timers.settle();
  await box.outbox().act(1, { action: "skip", reason: "booked by hand" }, "kim", box.clock.now());
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([1, 2, 3]);
  expect([1, 2, 3].map(box.stateOf)).toEqual(["discarded", "delivered", "delivered"]);
});

test("while an operator's decision is being stored, nothing overtakes the entries that it releases", async () => {
  let stored = () => {};
  const box = outboxHarness({
    wrap: (journal) => ({
      ...journal,
      act: async (...args) => {
        const released = await journal.act(...args);
        await new Promise<void>((resolve) => {
          stored = resolve;
        });
        return released;
      },
    }),
  });
  box.answer(() => refuse("OperationFailed"));
  await box.send(["wo:1"], ["wo:1", "ct:9"]);
  await box.timers.settle();
  box.answer(delivered);
  const acted = box.outbox().act(1, { action: "retry" }, "kim", box.clock.now());
  await box.send(["ct:9"]);
  await box.timers.pass(minute);
  stored();
  await acted;
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([1, 1, 2, 3]);
});

test("when an operator skips an entry that waits for its next attempt, its lane continues", async () => {
  const box = outboxHarness();
  box.answer(({ seq }) => (seq === 1 ? locked({} as never, {} as never) : ok(null)));
  const [first = 0] = await box.send(["wo:1"]);
  await box.timers.settle();
  await box.outbox().act(first, { action: "skip", reason: "twice" }, "kim", box.clock.now());
  const [second = 0] = await box.send(["wo:1"]);
  await box.timers.settle();
  expect(box.stateOf(second)).toBe("delivered");
});

test("a retry by an operator does not wait for the retry plan", async () => {
  const box = outboxHarness();
  box.answer(locked);
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.settle();
  box.answer(delivered);
  await box.outbox().act(seq, { action: "retry" }, "kim", box.clock.now());
  await box.timers.settle();
  expect(box.stateOf(seq)).toBe("delivered");
});

test("a delivered entry that is replayed goes out again under its id", async () => {
  const box = outboxHarness();
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.settle();
  await box.outbox().act(seq, { action: "replay", reason: "lost over there" }, "kim", box.clock.now());
  await box.timers.settle();
  expect(box.received.map(({ id }) => id)).toEqual(["evt_1", "evt_1"]);
  expect(box.journal().read.entry(seq)).toMatchObject({ state: "delivered", replays: 1 });
});

test("a temporary refusal is retried three times quickly", async () => {
  const box = outboxHarness();
  box.answer(locked);
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.pass(minute);
  expect(box.received.map(({ at }) => at - (box.received[0]?.at ?? 0))).toEqual([0, second, 6 * second]);
  expect(box.journal().read.entry(seq)).toMatchObject({ state: "dead", reason: "exhausted", attempts: 3 });
});

test("an entry that the target cannot process now is retried every minute, and blocks only its own lanes", async () => {
  const box = outboxHarness();
  const busy: Script = () => {
    throw new Fault("unreachable", "lock not given", { answer: { isBusy: true } });
  };
  box.answer((entry, signal) => (entry.lanes[0]?.lane === "wo:1" ? busy(entry, signal) : ok(null)));
  const [first = 0, behind = 0] = await box.send(["wo:1"], ["wo:1"]);
  for (let passed = 0; passed < 60; passed++) {
    await box.send([`wo:other-${passed}`]);
    await box.timers.pass(2 * minute);
  }
  expect(box.theTarget()).toMatchObject({ breaker: "closed", waiting: 2 });
  expect(box.stateOf(first)).toBe("retry");
  expect(box.journal().read.entry(first)).toMatchObject({ attempts: 0 });
  box.answer(delivered);
  await box.timers.pass(2 * minute);
  expect([first, behind].map(box.stateOf)).toEqual(["delivered", "delivered"]);
});

test("an outage of the target costs no attempts, opens the breaker, and the target is probed until it is back", async () => {
  const box = outboxHarness();
  box.answer(down);
  await box.send(...Array.from({ length: 40 }, (_, i) => [`wo:${i % 20}`]));
  await box.timers.settle();
  expect(box.theTarget()?.breaker).toBe("open");
  expect(box.received.length).toBeLessThanOrEqual(8);
  await box.timers.pass(hour);
  // One probe every 15 seconds, and no other call.
  expect(box.received.length).toBeLessThanOrEqual(8 + hour / (15 * second) + 2);
  expect(box.journal().read.counts()).toMatchObject({ dead: 0, delivered: 0 });
  const before = box.received.length;
  box.answer(delivered);
  await box.timers.pass(15 * second);
  expect(box.received.length).toBeGreaterThan(before);
  await box.timers.pass(30 * second);
  expect(box.journal().read.counts()).toMatchObject({ delivered: 40 });
  expect(
    box
      .journal()
      .read.list({ limit: 100 })
      .filter(({ attempts }) => attempts !== 1),
  ).toEqual([]);
});

test("after an outage deliveries start with one and double per round", async () => {
  const box = outboxHarness({ settings: { concurrency: 8 } });
  box.answer(down);
  await box.send(...Array.from({ length: 60 }, (_, i) => [`wo:${i}`]));
  await box.timers.pass(minute);
  const limits: number[] = [];
  box.answer(() => {
    limits.push(box.theTarget()?.concurrency ?? 0);
    return ok(null);
  });
  await box.timers.pass(15 * second);
  expect([...new Set(limits)]).toEqual([1, 2, 4, 8]);
});

test("an entry that makes the target fail does not delay the others", async () => {
  const box = outboxHarness();
  box.answer((entry, signal) => (entry.seq === 1 ? down(entry, signal) : ok(null)));
  await box.send(["wo:1"]);
  for (let i = 0; i < 50; i++) {
    const [seq = 0] = await box.send([`wo:${i + 2}`]);
    await box.timers.pass(second);
    expect(box.stateOf(seq)).toBe("delivered");
  }
  expect(box.stateOf(1)).toBe("retry");
  expect(box.theTarget()?.breaker).toBe("closed");
});

test("an outage ends although the oldest entry cannot be delivered", async () => {
  const box = outboxHarness();
  box.answer(down);
  await box.send(...Array.from({ length: 10 }, (_, i) => [`wo:${i}`]));
  await box.timers.pass(minute);
  box.answer((entry, signal) => (entry.seq === 1 ? down(entry, signal) : ok(null)));
  await box.timers.pass(minute);
  expect(box.journal().read.counts()).toMatchObject({ delivered: 9, retry: 1 });
});

test("a target that says when to come back is left alone until then", async () => {
  const box = outboxHarness();
  box.answer(() => {
    throw new Fault("unreachable", "too many requests", { answer: { status: 429, retryAfterMs: 5 * minute } });
  });
  await box.send(["wo:1"]);
  await box.timers.settle();
  await box.send(["wo:2"]);
  await box.timers.pass(5 * minute - 1);
  expect(box.received).toHaveLength(1);
  box.answer(delivered);
  await box.timers.pass(minute);
  expect(box.journal().read.counts()).toMatchObject({ delivered: 2 });
});

test("an entry waits seven days for a target that is down, and no longer", async () => {
  const box = outboxHarness({ settings: { horizonMs: hour } });
  box.answer(down);
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.pass(hour - second);
  expect(box.stateOf(seq)).toBe("retry");
  await box.timers.pass(minute);
  expect(box.journal().read.entry(seq)).toMatchObject({ state: "dead", reason: "target-unavailable" });
  // When a person retries the entry, its time limit starts again.
  await box.outbox().act(seq, { action: "retry" }, "kim", box.clock.now());
  await box.timers.pass(minute);
  expect(box.stateOf(seq)).toBe("retry");
});

test("no waiting entry is given up when the clock jumps eight days forward", async () => {
  const box = outboxHarness();
  box.answer(down);
  const seqs = await box.send(["wo:1"], ["wo:2"], ["wo:3"]);
  await box.timers.pass(minute);
  box.clock.advance({ days: 8 });
  await box.timers.pass(2 * hour);
  expect(seqs.map(box.stateOf)).toEqual(["retry", "retry", "retry"]);
  box.answer(delivered);
  await box.timers.pass(2 * hour);
  expect(seqs.map(box.stateOf)).toEqual(["delivered", "delivered", "delivered"]);
});

test("entries that waited while the adapter was stopped for long still have their seven days", async () => {
  const box = outboxHarness();
  box.answer(down);
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.pass(minute);
  box.clock.advance({ days: 30 });
  await box.restart();
  await box.timers.pass(hour);
  expect(box.stateOf(seq)).toBe("retry");
});

test("a missing answer counts as a failure of the target after the time limit, and the call is aborted", async () => {
  const box = outboxHarness({ timeoutMs: 15 * second });
  let aborted = false;
  box.answer((_, signal) => {
    signal.addEventListener("abort", () => {
      aborted = true;
    });
    return new Promise(() => {});
  });
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.pass(15 * second);
  expect(aborted).toBe(true);
  expect(box.journal().read.attempts(seq)).toMatchObject([{ outcome: "retry", error: "no answer within 15000 ms" }]);
});

test("a target's rate is kept", async () => {
  const box = outboxHarness({ ratePerSecond: 2 });
  await box.send(...Array.from({ length: 10 }, (_, i) => [`wo:${i}`]));
  await box.timers.pass(2 * second);
  expect(box.received.length).toBe(6);
  await box.timers.pass(2 * second);
  expect(box.received.length).toBe(10);
});

test("a paused target gets nothing until it is resumed", async () => {
  const box = outboxHarness();
  box.outbox().pause("erp");
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.pass(hour);
  expect(box.received).toEqual([]);
  expect(box.theTarget()).toMatchObject({ isPaused: true, isRemoved: false, waiting: 1 });
  box.outbox().resume("erp");
  await box.timers.settle();
  expect(box.stateOf(seq)).toBe("delivered");
});

test("a reserved lane makes later entries wait, and an entry that continues stays before them", async () => {
  const box = outboxHarness();
  await box.timers.settle();
  const reservation = box.outbox().reserve(["wo:1"], "erp");
  expect(box.outbox().reserve(["wo:1"], "erp")).toBeNull();
  const [held] = await box.journal().append([box.entry(["wo:1"], "hold")], "mine");
  const seq = held !== undefined && "seq" in held ? held.seq : 0;
  await box.send(["wo:1"]);
  await box.timers.settle();
  expect(box.received).toEqual([]);
  await box.journal().settle({ seq, token: "mine" }, { state: "accepted" }, null);
  reservation?.release(box.journal().read.open(seq - 1, 1)[0], "trouble");
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([seq, seq + 1]);
});

test.each([
  ["an entry is waiting", async (box: ReturnType<typeof outboxHarness>) => void (await box.send(["wo:1"]))],
  ["one is announced", async (box: ReturnType<typeof outboxHarness>) => void box.outbox().announce(["wo:1"], "erp")],
  ["its target is paused", async (box: ReturnType<typeof outboxHarness>) => box.outbox().pause("erp")],
])("a lane cannot be reserved while %s", async (_, arrange) => {
  const box = outboxHarness();
  await box.timers.settle();
  await arrange(box);
  expect(box.outbox().reserve(["wo:1"], "erp")).toBeNull();
});

test("a lane that is blocked by a dead entry cannot be reserved", async () => {
  const box = outboxHarness();
  box.answer(() => refuse("OperationFailed"));
  await box.send(["wo:1"]);
  await box.timers.settle();
  expect(box.outbox().reserve(["wo:1"], "erp")).toBeNull();
  expect(box.outbox().reserve(["wo:2"], "erp")).not.toBeNull();
});

test("no lane can be reserved while there is more in the journal than in memory", async () => {
  const box = outboxHarness({ settings: { window: 4 } });
  box.answer(silent);
  await box.send(...Array.from({ length: 6 }, (_, i) => [`wo:${i}`]));
  await box.timers.settle();
  expect(box.outbox().reserve(["wo:99"], "erp")).toBeNull();
});

test("entries that do not fit into memory are delivered in order too", async () => {
  const box = outboxHarness({ settings: { window: 10, concurrency: 4 } });
  box.outbox().pause("erp");
  const lanes = Array.from({ length: 200 }, (_, i) => [`wo:${i % 7}`]);
  for (const lane of lanes) await box.send(lane);
  expect(box.theTarget()?.waiting).toBe(200);
  box.outbox().resume("erp");
  await box.timers.settle();
  expect(box.journal().read.counts()).toMatchObject({ delivered: 200 });
  for (let lane = 0; lane < 7; lane++) {
    const seqs = box.receivedSeqs().filter((seq) => (seq - 1) % 7 === lane);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  }
});

test("while a target is down or paused, few of its entries are in memory, and the rest is read when it is back", async () => {
  let isRead = false;
  const wrap = (journal: Journal): Journal => ({
    ...journal,
    read: {
      ...journal.read,
      open: (after, limit) => {
        const found = journal.read.open(after, limit);
        isRead ||= found.length > 0;
        return found;
      },
    },
  });
  const box = outboxHarness({ settings: { window: 100, heldWindow: 3 }, wrap });
  await box.timers.settle();
  const orders = (count: number) => Array.from({ length: count }, (_, i) => [`wo:${i}`]);
  await box.send(...orders(20));
  await box.timers.settle();
  expect(isRead).toBe(false);
  box.outbox().pause("erp");
  await box.send(...orders(20));
  expect(box.theTarget()).toMatchObject({ waiting: 20 });
  box.outbox().resume("erp");
  await box.timers.settle();
  expect(isRead).toBe(true);
  expect(box.receivedSeqs()).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  expect(box.theTarget()).toMatchObject({ waiting: 0 });
});

test("an outage fills memory no more than a pause", async () => {
  const box = outboxHarness({ settings: { window: 100, heldWindow: 3, concurrency: 2 } });
  box.answer(down);
  await box.send(...Array.from({ length: 10 }, (_, i) => [`wo:${i}`]));
  await box.timers.settle();
  expect(box.theTarget()).toMatchObject({ breaker: "open" });
  await box.send(...Array.from({ length: 10 }, (_, i) => [`wo:${i}`]));
  expect(box.theTarget()).toMatchObject({ waiting: 20 });
  box.answer(delivered);
  await box.timers.pass(60_000);
  expect(box.journal().read.counts()).toMatchObject({ delivered: 20 });
});

test("a state that changes all the time is sent in its turn, also where more waits than fits into memory", async () => {
  const box = outboxHarness({ settings: { window: 20, heldWindow: 20, concurrency: 1 } });
  await box.timers.settle();
  box.outbox().pause("erp");
  const state = async (lanes: readonly string[]) => {
    const entry = { ...box.entry(lanes), supersedes: "level", stateAt: box.clock.now() };
    handOver(box.outbox(), await box.journal().append([entry]));
  };
  await box.send(...Array.from({ length: 100 }, (_, index) => [`wo:${index}`]));
  await state(["item:A"]);
  await box.send(...Array.from({ length: 100 }, (_, index) => [`wo:later-${index}`]));
  let levels = 0;
  let orders = 0;
  const taken: number[] = [];
  box.answer(async ({ lanes }) => {
    if (lanes[0]?.lane === "item:A") taken.push(orders);
    else orders++;
    // Before the next call, the item gets another stock level, and another order is added after it.
    if (levels++ < 300) {
      await state(["item:A"]);
      if (levels < 100) await box.send([`wo:new-${levels}`]);
    }
    return ok(null);
  });
  box.outbox().resume("erp");
  await box.timers.pass(10 * minute);
  expect(orders).toBe(299);
  // The first level is sent after the hundred entries that were already waiting. The next one was pushed while that one
  // was being sent, so it goes to the end.
  expect(taken.slice(0, 2)).toEqual([100, 299]);
});

test("superseded entries do not count as waiting, in memory or not", async () => {
  const box = outboxHarness({ settings: { window: 100, heldWindow: 3 } });
  await box.timers.settle();
  box.outbox().pause("erp");
  for (let i = 0; i < 50; i++) {
    const state = { ...box.entry([`wo:${i % 5}`]), supersedes: `wo:${i % 5}`, stateAt: i };
    handOver(box.outbox(), await box.journal().append([state]));
  }
  expect(box.journal().read.counts()).toMatchObject({ accepted: 5 });
  expect(box.theTarget()).toMatchObject({ waiting: 5 });
});

test("waiting entries are counted also while they are read back between entries of another target", async () => {
  const box = outboxHarness({ settings: { window: 600, heldWindow: 10 }, alsoTargets: ["other"] });
  await box.timers.settle();
  box.outbox().pause("erp");
  box.outbox().pause("other");
  for (let i = 0; i < 1000; i++) {
    await box.sendTo("erp", [`wo:${i}`]);
    await box.sendTo("other", [`wo:${i}`]);
  }
  expect(box.theTarget()).toMatchObject({ waiting: 1000 });
  box.answer(silent);
  box.outbox().resume("erp");
  await box.timers.settle();
  expect(box.theTarget()).toMatchObject({ waiting: 1000 - box.inFlight() });
});

test("of a backlog from before a restart those in memory count, and all that came since", async () => {
  const box = outboxHarness({ settings: { window: 510, heldWindow: 10 } });
  box.outbox().pause("erp");
  await box.send(...Array.from({ length: 2000 }, (_, i) => [`wo:${i}`]));
  await box.restart();
  box.outbox().pause("erp");
  await box.timers.settle();
  for (let i = 0; i < 500; i++) await box.send([`ct:${i}`]);
  expect(box.theTarget()).toMatchObject({ waiting: 10 + 500 });
  box.answer(silent);
  box.outbox().resume("erp");
  await box.timers.settle();
  expect(box.theTarget()).toMatchObject({ waiting: 510 + 500 - box.inFlight() });
});

test("where no target is configured none is made up", async () => {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_, text) => warnings.push(text) };
  const journal = openMemoryJournal({ tables: emptyTables() });
  const needs = { journal, targets: new Map(), clock, timers, random: () => 0.5, log };
  const outbox = createOutbox({ ...needs, newToken: () => "token", onTouched: () => {} });
  await timers.settle();
  expect(outbox.overview()).toEqual([]);
  expect(warnings).toEqual([]);
});

test("entries from before a restart are delivered, including those that were in flight", async () => {
  const box = outboxHarness();
  box.answer(silent);
  await box.send(["wo:1"], ["wo:1"], ["wo:2"]);
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([1, 3]);
  box.answer(delivered);
  await box.restart();
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([1, 3, 1, 3, 2]);
  expect(box.journal().read.counts()).toMatchObject({ delivered: 3 });
});

test("an entry that was not handed over is found in the journal", async () => {
  const box = outboxHarness();
  await box.timers.settle();
  await box.journal().append([box.entry(["wo:1"])]);
  await box.timers.pass(10 * minute);
  expect(box.stateOf(1)).toBe("delivered");
});

test("while the journal fails for a while, nothing is lost or stored twice", async () => {
  let fails = false;
  const failing =
    <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      fails ? Promise.reject(new Error("disk full")) : call(...args);
  const box = outboxHarness({
    wrap: (journal: Journal): Journal => ({
      ...journal,
      start: failing(journal.start),
      settle: failing(journal.settle),
    }),
  });
  const hand = byHand();
  box.answer(hand.script);
  await box.send(["wo:1"], ["wo:1"], ["wo:2"]);
  await box.timers.settle();
  fails = true;
  hand.finish(1);
  hand.finish(3);
  await box.send(["wo:3"]);
  await box.timers.pass(minute);
  expect(box.receivedSeqs()).toEqual([1, 3]);
  fails = false;
  box.answer(delivered);
  await box.timers.pass(10 * second);
  expect(box.receivedSeqs().sort()).toEqual([1, 2, 3, 4]);
  expect(box.journal().read.counts()).toMatchObject({ delivered: 4 });
});

test("a settlement whose answer was lost is not mistaken for another one", async () => {
  let lost = 0;
  const box = outboxHarness({
    wrap: (journal) => ({
      ...journal,
      settle: async (...args) => {
        const settled = await journal.settle(...args);
        if (lost++ === 0) throw new Error("no answer");
        return settled;
      },
    }),
  });
  await box.send(["wo:1"], ["wo:1"]);
  await box.timers.pass(minute);
  expect(box.receivedSeqs()).toEqual([1, 2]);
});

test("a lease whose answer was lost is not waited for", async () => {
  let lost = 0;
  const box = outboxHarness({
    wrap: (journal) => ({
      ...journal,
      start: async (...args) => {
        const entry = await journal.start(...args);
        if (lost++ === 0) throw new Error("no answer");
        return entry;
      },
    }),
  });
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.pass(minute);
  expect(box.stateOf(seq)).toBe("delivered");
  expect(box.receivedSeqs()).toEqual([1]);
});

test.each([
  ["an hour back", -hour],
  ["ten years back", -10 * 365 * 24 * hour],
  ["ten years ahead", 10 * 365 * 24 * hour],
])("a clock set %s holds nothing up for more than a minute", async (_, jumpMs) => {
  const box = outboxHarness();
  box.answer(down);
  await box.send(...Array.from({ length: 20 }, (_, i) => [`wo:${i}`]));
  await box.timers.pass(minute);
  box.clock.advance({ ms: jumpMs });
  box.answer(delivered);
  await box.timers.pass(minute);
  expect(box.journal().read.counts()).toMatchObject({ delivered: 20, dead: 0 });
});

test("stopping waits for what is under way, and starts nothing new", async () => {
  const box = outboxHarness();
  const hand = byHand();
  box.answer(hand.script);
  await box.send(["wo:1"], ["wo:1"]);
  await box.timers.settle();
  const stopped = box.outbox().stop(15 * second);
  hand.finish(1);
  await stopped;
  expect([1, 2].map(box.stateOf)).toEqual(["delivered", "accepted"]);
  expect(box.receivedSeqs()).toEqual([1]);
  expect(box.timers.count()).toBe(0);
});

test("the leases of unfinished deliveries are returned when the service stops", async () => {
  const box = outboxHarness({ timeoutMs: minute });
  box.answer(silent);
  const [seq = 0] = await box.send(["wo:1"]);
  await box.timers.settle();
  const stopped = box.outbox().stop(15 * second);
  await box.timers.pass(15 * second);
  await stopped;
  expect(box.stateOf(seq)).toBe("accepted");
});

test("abandoned deliveries are ended at once, those of callers too, and nothing more is started", async () => {
  const box = outboxHarness({ timeoutMs: minute });
  const ended: (number | "caller")[] = [];
  box.answer((entry, signal) => {
    signal.addEventListener("abort", () => ended.push(entry.seq));
    return silent(entry, signal);
  });
  await box.send(["wo:1"], ["wo:1"]);
  await box.timers.settle();
  const released = box.outbox().reserve(["wo:2"], "erp");
  const reservation = box.outbox().reserve(["wo:3"], "erp");
  for (const one of [released, reservation]) one?.onAbandoned(() => ended.push("caller"));
  expect(reservation?.mayCall()).toBe(true);
  released?.release();
  box.outbox().abandon();
  expect(ended).toEqual([1, "caller"]);
  expect(reservation?.mayCall()).toBe(false);
  await box.send(["wo:4"]);
  await box.outbox().stop(15 * second);
  expect(box.receivedSeqs()).toEqual([1]);
});

test("nothing is sent while this process may not be the owner, and what waited follows if it still is", async () => {
  let isOurs = false;
  const box = outboxHarness({ mayDeliver: () => isOurs });
  await box.send(["wo:1"], ["wo:1"]);
  await box.timers.settle();
  expect(box.outbox().reserve(["wo:2"], "erp")?.mayCall()).toBe(false);
  expect(box.receivedSeqs()).toEqual([]);
  isOurs = true;
  await box.timers.pass(minute);
  expect(box.receivedSeqs()).toEqual([1, 2]);
});

test("entries for a target that is no longer configured wait and stay visible", async () => {
  const box = outboxHarness();
  await box.journal().append([{ ...box.entry(["wo:1"]), target: "old" }]);
  await box.restart();
  await box.timers.pass(hour);
  expect(box.outbox().overview()).toContainEqual(
    expect.objectContaining({ target: "old", isPaused: true, isRemoved: true, waiting: 1, inFlight: 0 }),
  );
  expect(box.stateOf(1)).toBe("accepted");
});

test("a target that is paused with more than fits into memory never starves another", async () => {
  const box = outboxHarness({ settings: { window: 4 }, alsoTargets: ["other"] });
  box.outbox().pause("erp");
  await box.timers.settle();
  const held = await box.sendTo("erp", ...Array.from({ length: 20 }, (_, i) => [`wo:${i}`]));
  const free = await box.sendTo("other", ["wo:0"], ["wo:50"], ["wo:0"]);
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual(free);
  await box.restart();
  box.outbox().pause("erp");
  const later = await box.sendTo("other", ["wo:1"], ["wo:51"]);
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([...free, ...later]);
  expect(box.outbox().reserve(["wo:2"], "other")).not.toBeNull();
  box.outbox().resume("erp");
  await box.timers.settle();
  expect(box.receivedSeqs()).toEqual([...free, ...later, ...held]);
});

test("a target that is removed from the configuration is logged if entries wait for it", async () => {
  const missing: unknown[] = [];
  const warn = (fields: object) => void missing.push(fields);
  const box = outboxHarness({ alsoTargets: ["idle", "other"], log: { ...silentLog, warn } });
  box.outbox().pause("other");
  await box.sendTo("other", ["wo:1"]);
  await box.timers.settle();
  box.outbox().retarget(new Map());
  expect(missing).toEqual([{ target: "other" }]);
});

test("entries of a target that was removed from the configuration wait, stay visible, and continue when it is back", async () => {
  const box = outboxHarness({ alsoTargets: ["other"] });
  const [before = 0] = await box.sendTo("other", ["wo:1"]);
  await box.timers.settle();
  box.outbox().retarget(new Map());
  const [waiting = 0] = await box.sendTo("other", ["wo:1"]);
  await box.timers.pass(hour);
  expect(box.receivedSeqs()).toEqual([before]);
  expect(box.outbox().overview()).toContainEqual(
    expect.objectContaining({ target: "other", isPaused: true, isRemoved: true, waiting: 1 }),
  );
  const seen: number[] = [];
  const operate = async ({ seq }: { seq: number }) => {
    seen.push(seq);
    return ok(null);
  };
  box.outbox().retarget(new Map([["other", { timeoutMs: 1000, operate }]]));
  await box.timers.settle();
  expect(seen).toEqual([waiting]);
});

test("a delivery in flight ends at the target it began with while later ones go to the new one", async () => {
  const box = outboxHarness({ settings: { concurrency: 2 } });
  const { promise, resolve } = Promise.withResolvers<AnyOutcome>();
  box.answer(() => promise);
  const [first = 0, second = 0] = await box.send(["wo:1"], ["wo:1"]);
  await box.timers.settle();
  const seen: number[] = [];
  const operate = async ({ seq }: { seq: number }) => {
    seen.push(seq);
    return ok(null);
  };
  box.outbox().retarget(new Map([["erp", { timeoutMs: 1000, operate }]]));
  await box.timers.settle();
  expect(box.stateOf(first)).toBe("inflight");
  resolve(ok(null));
  await box.timers.settle();
  expect([box.stateOf(first), box.stateOf(second)]).toEqual(["delivered", "delivered"]);
  expect(box.receivedSeqs()).toEqual([first]);
  expect(seen).toEqual([second]);
});

test("the state of a target is kept if the new one calls the same systems within the same limits, and only then", async () => {
  const box = outboxHarness();
  const system = {};
  const unreached = async () => {
    throw new Fault("unreachable", "connection refused");
  };
  const target = (systems: readonly object[], timeoutMs = 1000) =>
    new Map([["erp", { timeoutMs, systems, operate: unreached }]]);
  box.outbox().retarget(target([system]));
  await box.send(...Array.from({ length: 8 }, (_, index) => [`wo:${index}`]));
  await box.timers.settle();
  expect(box.theTarget()?.breaker).toBe("open");
  box.outbox().retarget(target([system]));
  expect(box.theTarget()?.breaker).toBe("open");
  for (const other of [target([{}]), target([system], 2000), target([system, {}])]) {
    box.outbox().retarget(other);
    expect(box.theTarget()?.breaker).toBe("closed");
    await box.timers.pass(hour);
    expect(box.theTarget()?.breaker).not.toBe("closed");
  }
});

test("an entry that could not be started is not overtaken while the journal cannot be read", async () => {
  let isFailing = false;
  const box = outboxHarness({
    wrap: (journal) => ({
      ...journal,
      start: (seq, token) => (isFailing ? Promise.resolve(null) : journal.start(seq, token)),
      read: {
        ...journal.read,
        open: (afterSeq, limit) => {
          if (isFailing) throw new Error("disk I/O error");
          return journal.read.open(afterSeq, limit);
        },
      },
    }),
  });
  await box.timers.settle();
  isFailing = true;
  const seqs = await box.send(["wo:1"], ["wo:1"]);
  await box.timers.settle();
  isFailing = false;
  await box.timers.pass(10 * second);
  expect(box.receivedSeqs()).toEqual(seqs);
});
