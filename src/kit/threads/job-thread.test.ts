import { expect, test } from "vitest";
import { systemTimers, type Timers } from "../time/timers.ts";
import { jobThread } from "./job-thread.ts";

/** A thread that doubles numbers, fails for negative ones, and ends at 0. */
const doubling = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ job, number }) => {
      if (number === 0) process.exit(1);
      parentPort.postMessage(number < 0 ? { job, failed: "negative" } : { job, result: 2 * number });
    });
  `)}`,
);

test("jobs that come before the thread is started are answered in their order", async () => {
  const { run, close } = jobThread<{ readonly number: number }, number>({ url: doubling, name: "doubles" });
  const failed = expect(run({ number: -1 })).rejects.toThrow("negative");
  expect(await Promise.all([1, 2, 3].map((number) => run({ number })))).toEqual([2, 4, 6]);
  await failed;
  await close();
});

test("a thread that ends rejects its jobs, and the next job starts another one", async () => {
  const { run, close } = jobThread<{ readonly number: number }, number>({ url: doubling, name: "doubles" });
  await expect(run({ number: 0 })).rejects.toThrow("the thread that doubles has ended");
  expect(await run({ number: 4 })).toBe(8);
  await close();
});

test("a job that comes while an idle thread ends is answered by the next one", async () => {
  let endIdle = () => {};
  const after: Timers["after"] = (_ms, end) => {
    endIdle = end;
    return () => {};
  };
  const endWhenIdle = { afterMs: 1_000, timers: { ...systemTimers, after } };
  const { run, close } = jobThread<{ readonly number: number }, number>({
    url: doubling,
    name: "doubles",
    endWhenIdle,
  });
  await run({ number: 1 });
  endIdle();
  expect(await run({ number: 5 })).toBe(10);
  await close();
});

test("a job whose thread is closed before it was started is rejected, as is one that cannot be handed over", async () => {
  const { run, close } = jobThread<{ readonly number: unknown }, number>({ url: doubling, name: "doubles" });
  const early = expect(run({ number: 1 })).rejects.toThrow("has ended");
  await close();
  await early;
  await expect(run({ number: () => {} })).rejects.toThrow("could not be cloned");
  await close();
});
