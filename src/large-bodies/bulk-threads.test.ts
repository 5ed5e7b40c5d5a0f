import { expect, test } from "vitest";
import { manualClock } from "../kit/time/clock.ts";
import { manualTimers } from "../kit/time/timers.ts";
import { type BulkThread, bulkThreads } from "./bulk-threads.ts";
import type { BulkJob } from "./bulk-worker.ts";

/** Threads whose jobs end when the test says so. */
function scriptedThreads(count: number) {
  const running = new Map<string, () => void>();
  const timers = manualTimers(manualClock());
  const started = Array.from({ length: count }, () => false);
  const threads = started.map(
    (_, index): BulkThread => ({
      run: (job) => {
        started[index] = true;
        const { promise: over, resolve } = Promise.withResolvers<void>();
        const name = nameOf(job);
        // The thread takes the bytes over.
        for (const { buffer } of job.chunks) buffer.transfer(0);
        running.set(name, () => {
          running.delete(name);
          resolve();
        });
        return { first: new Promise(() => {}), over, fail: () => {} };
      },
      isStarted: () => started[index] === true,
      stop: async () => {
        started[index] = false;
      },
    }),
  );
  const end = async (name: string) => {
    running.get(name)?.();
    await timers.settle();
  };
  return { jobs: bulkThreads({ threads, timers }), timers, started, end, running: () => [...running.keys()] };
}

const bytes = (mebibytes: number) => [new Uint8Array(mebibytes * 2 ** 20)];
const whole = (name: string, chunks = bytes(5)): BulkJob => ({ id: "getExportValues", chunks, acceptLanguage: name });
const short = (name: string): BulkJob => whole(name, bytes(1));
const part = (name: string): BulkJob => ({ partOf: "getExportValues", chunks: [], acceptLanguage: name });
const nameOf = (job: BulkJob) => job.acceptLanguage ?? "";

test("long bodies are processed one at a time, whatever the number of threads", async () => {
  const { jobs, end, running } = scriptedThreads(2);
  for (const name of ["a", "b", "c", "d", "e", "f"]) void jobs.run(whole(name));
  expect(running()).toEqual(["a"]);
  await end("a");
  expect(running()).toEqual(["b"]);
});

test("a second thread is started only for many parts, and processes parts while a whole body is in progress", async () => {
  const { jobs, end, running } = scriptedThreads(2);
  void jobs.run(whole("a"));
  for (const name of ["1", "2", "3"]) void jobs.run(part(name));
  expect(running()).toEqual(["a"]);
  void jobs.run(part("4"));
  expect(running()).toEqual(["a", "1"]);
  await end("1");
  expect(running()).toEqual(["a", "2"]);
  await end("a");
  expect(running()).toEqual(["2", "3"]);
});

test("short bodies pass a long one in the second thread, one after the other", async () => {
  const { jobs, end, running } = scriptedThreads(2);
  void jobs.run(whole("long"));
  void jobs.run(whole("next long"));
  for (const name of ["a", "b"]) void jobs.run(short(name));
  expect(running()).toEqual(["long", "a"]);
  await end("a");
  expect(running()).toEqual(["long", "b"]);
  await end("long");
  expect(running()).toEqual(["b", "next long"]);
  await end("b");
  void jobs.run(short("c"));
  expect(running()).toEqual(["next long", "c"]);
});

test("no thread is started for a short body that waits for another short one", async () => {
  const { jobs, started, end, running } = scriptedThreads(2);
  for (const name of ["a", "b"]) void jobs.run(short(name));
  expect(running()).toEqual(["a"]);
  await end("a");
  expect(running()).toEqual(["b"]);
  expect(started).toEqual([true, false]);
});

test("the second thread ends a minute after its last part; the first one stays", async () => {
  const { jobs, timers, started, end } = scriptedThreads(2);
  const names = ["1", "2", "3", "4", "5"];
  for (const name of names) void jobs.run(part(name));
  for (const name of names) await end(name);
  expect(started).toEqual([true, true]);
  await timers.pass(59_000);
  expect(started).toEqual([true, true]);
  await timers.pass(1_000);
  expect(started).toEqual([true, false]);
});

test("a cancelled job is skipped when its turn comes, and so are all waiting jobs when the threads close", async () => {
  const { jobs, end, running } = scriptedThreads(1);
  let isWanted = true;
  void jobs.run(part("1"));
  const dropped = jobs.run(part("2"), () => isWanted);
  const waiting = jobs.run(part("3"));
  const last = jobs.run(part("4"));
  isWanted = false;
  await end("1");
  expect(await dropped).toBeNull();
  expect(await waiting).not.toBeNull();
  expect(running()).toEqual(["3"]);
  await jobs.close();
  expect(await last).toBeNull();
});
