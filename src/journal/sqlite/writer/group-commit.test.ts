import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { JournalBusy, JournalDoubtful, JournalFailed } from "../../journal.ts";
import type { WriterPort } from "../prepare-writer.ts";
import { groupCommit } from "./group-commit.ts";
import type { FromWriter, ToWriter } from "./writer-messages.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

/** A writer that keeps the batches it receives and answers when the test says so. */
function byHand() {
  const worker = new EventEmitter();
  const batches: (string | number)[][] = [];
  const clock = { nowMs: 0 };
  const commits = groupCommit(
    Object.assign(worker, {
      postMessage: (message: ToWriter) => {
        if (typeof message !== "object" || !("commands" in message)) return;
        batches.push(message.commands.map((command) => ("seq" in command ? command.seq : nameOf(command))));
      },
      // The code under test uses no other function of it.
    }) as unknown as WriterPort,
    { maxEntries: 1_000, maxBytes: 1_000_000 },
    () => clock.nowMs,
  );
  const begun: Promise<unknown>[] = [];
  const answerAfter = (tookMs: number, done: readonly number[]) =>
    worker.emit("message", {
      ...{ results: done.map((each) => ({ done: each })), tookMs, refusal: null },
    } satisfies FromWriter);
  return {
    commits,
    batches,
    clock,
    begin: (...seqs: number[]) => {
      for (const seq of seqs) begun.push(commits.run({ name: "start", seq, token: "t" }, { entries: 1, bytes: 1 }));
    },
    done: () => Promise.all(begun),
    answer: (...done: number[]) => answerAfter(1, done),
    answerAfter,
    refuse: (count: number, isDoubtful = false) =>
      worker.emit("message", {
        results: Array.from({ length: count }, () => ({ error: "full" })),
        tookMs: 1,
        refusal: { reason: "full", isDamage: false, isDoubtful },
      } satisfies FromWriter),
    end: () => worker.emit("exit"),
  };
}
const nameOf = (command: object) => ("name" in command ? String(command.name) : "append");
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test("an idle writer gets all of a turn at its end", async () => {
  const { begin, batches } = byHand();
  begin(1, 2);
  begin(3);
  expect(batches).toEqual([]);
  await turn();
  expect(batches).toEqual([[1, 2, 3]]);
});

test("a busy writer gets the rest when it answers, and every caller the result of his own", async () => {
  const { begin, batches, answer, done } = byHand();
  begin(1);
  await turn();
  begin(2);
  await turn();
  begin(3);
  await turn();
  expect(batches).toEqual([[1]]);
  answer(1);
  expect(batches).toEqual([[1], [2, 3]]);
  answer(2, 3);
  expect(await done()).toEqual([1, 2, 3]);
});

test("when many have come, a busy writer has its next batch waiting", async () => {
  const { begin, batches, answer } = byHand();
  begin(0);
  await turn();
  begin(...upTo(40));
  expect(batches.map((batch) => batch.length)).toEqual([1, 24]);
  const [, second = []] = batches;
  expect(second).toEqual(upTo(second.length));
  answer(1);
  // The writer is still working on the second batch.
  expect(batches).toHaveLength(2);
  answer(...second.map(() => 1));
  expect(batches.flat()).toEqual([0, ...upTo(40)]);
});

test("marks go in front of the next batch, and cause none of their own before their time", async () => {
  const { commits, begin, batches, answer } = byHand();
  begin(1);
  await turn();
  commits.addMark(7, 1_000);
  answer(1);
  await turn();
  expect(batches).toEqual([[1]]);
  begin(2);
  await turn();
  expect(batches).toEqual([[1], ["markAnswered", 2]]);
  answer(1, 1);
  commits.addMark(8, 1_000);
  vi.advanceTimersByTime(100);
  expect(batches).toEqual([[1], ["markAnswered", 2], ["markAnswered"]]);
});

test("a mark stands in front of what came in its turn, and behind what came before its answer", async () => {
  const { commits, begin, batches, answer } = byHand();
  begin(1);
  await turn();
  begin(2);
  await turn();
  commits.addMark(7, 1_000);
  begin(3);
  await turn();
  commits.addMark(8, 1_000);
  answer(1);
  expect(batches).toEqual([[1], [2, "markAnswered", 3, "markAnswered"]]);
});

test("what has arrived can be handed over at once", async () => {
  const { commits, begin, batches } = byHand();
  begin(1);
  await turn();
  begin(2);
  commits.flush();
  expect(batches).toEqual([[1], [2]]);
});

test("whoever closes waits for all that was begun", async () => {
  const { commits, begin, batches, answer } = byHand();
  begin(1);
  await turn();
  begin(2);
  let isDrained = false;
  const drained = commits.drain().then(() => {
    isDrained = true;
  });
  expect(batches).toEqual([[1], [2]]);
  answer(1);
  await turn();
  expect(isDrained).toBe(false);
  answer(1);
  await drained;
});

test("pushes are counted apart, and a few at a time go with what the floor has", async () => {
  const { commits, begin, batches, answer } = byHand();
  const push = (seq: number, entries: number) =>
    commits.run({ name: "start", seq, token: "t" }, { entries, bytes: 1, isPush: true });
  const pushed = [push(100, 200), push(101, 200), push(102, 50), push(103, 400)];
  await expect(push(104, 200)).rejects.toThrow(JournalBusy);
  begin(1);
  await turn();
  expect(batches).toEqual([[1, 100]]);
  begin(2);
  answer(1, 100);
  expect(batches.at(-1)).toEqual([2, 101, 102]);
  answer(2, 101, 102);
  expect(batches.at(-1)).toEqual([103]);
  answer(103);
  expect(await Promise.all(pushed)).toEqual([100, 101, 102, 103]);
});

test("pushes that take long go with what the floor has one at a time, quick ones many at once", async () => {
  const { commits, begin, batches, answer, answerAfter } = byHand();
  const push = (seq: number) => commits.run({ name: "start", seq, token: "t" }, { entries: 1, bytes: 1, isPush: true });
  const pushed = upTo(40).map((seq) => push(100 + seq));
  await turn();
  expect(batches.at(-1)).toHaveLength(4);
  begin(1);
  answerAfter(160, [101, 102, 103, 104]);
  expect(batches.at(-1)).toEqual([1, 105]);
  begin(2);
  answerAfter(40, [1, 105]);
  expect(batches.at(-1)).toEqual([2, 106]);
  for (const most of [2, 4, 8, 16]) {
    answer(...(batches.at(-1) as number[]));
    expect(batches.at(-1)).toHaveLength(Math.min(most, 40 - 6));
  }
  answer(...(batches.at(-1) as number[]));
  answer(...(batches.at(-1) as number[]));
  expect(await Promise.all(pushed)).toHaveLength(40);
});

test("a floor that never pauses has pushes with the writer one batch at a time", async () => {
  const { commits, begin, batches, answer } = byHand();
  for (const seq of [100, 101])
    void commits.run({ name: "start", seq, token: "t" }, { entries: 200, bytes: 1, isPush: true });
  begin(...upTo(48));
  expect(batches.map((batch) => batch.length)).toEqual([25, 24]);
  await turn();
  answer(...(batches[0] as number[]));
  begin(...upTo(24));
  expect(batches.at(-1)?.at(-1)).toBe(101);
});

test("of every batch it is told how long the first of its commands had waited for the writer; pushes do not count", async () => {
  const { commits, begin, answer, clock, done } = byHand();
  const told: object[] = [];
  commits.onBatch((batch) => told.push(batch));
  begin(1);
  await turn();
  clock.nowMs = 3;
  begin(2);
  await turn();
  clock.nowMs = 5;
  begin(3);
  // The writer needed 1 ms of these 10 ms.
  clock.nowMs = 10;
  answer(1);
  clock.nowMs = 12;
  answer(2, 3);
  void commits.run({ name: "append", entries: [], leaseToken: "" }, { entries: 1, bytes: 1, isPush: true });
  await turn();
  clock.nowMs = 100;
  answer(4);
  await done();
  expect(told).toEqual([
    { commands: 1, tookMs: 1, waitedMs: 9 },
    { commands: 2, tookMs: 1, waitedMs: 8 },
    { commands: 1, tookMs: 1, waitedMs: null },
  ]);
});

test("what the writer was handed before it ended may be stored; what it was not handed is not", async () => {
  const { commits, end } = byHand();
  const start = () => commits.run({ name: "start", seq: 1, token: "t" }, { entries: 1, bytes: 1 });
  const unknown = expect(start()).rejects.toBeInstanceOf(JournalDoubtful);
  await turn();
  const refused = start();
  const known = expect(refused).rejects.not.toBeInstanceOf(JournalDoubtful);
  end();
  await Promise.all([unknown, known, expect(refused).rejects.toBeInstanceOf(JournalFailed)]);
});

test("what a second place may have is neither stored nor refused", async () => {
  const { commits, refuse } = byHand();
  const start = () => commits.run({ name: "start", seq: 1, token: "t" }, { entries: 1, bytes: 1 });
  const unknown = expect(start()).rejects.toBeInstanceOf(JournalDoubtful);
  await turn();
  refuse(1, true);
  await unknown;
  const refused = start();
  const known = expect(refused).rejects.not.toBeInstanceOf(JournalDoubtful);
  await turn();
  refuse(1);
  await known;
  await expect(refused).rejects.toBeInstanceOf(JournalFailed);
});
