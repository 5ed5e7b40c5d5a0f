import type { ServerResponse } from "node:http";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { requestsInProgress } from "./requests-in-progress.ts";
import { undecidedAnswers } from "./when-answer-received.ts";

setFlagsFromString("--expose-gc");
// V8 would learn from the control that such items live long, and put the others among the old ones at once.
setFlagsFromString("--no-allocation-site-pretenuring");
const collect = runInNewContext("gc") as (options: { readonly type: "minor" | "major" }) => void;

/** As many as a busy server has at a time. */
const atOnce = 64;
const all = 5_000;
const itemBytes = 2_000;

const oldSpaceBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === "old_space")
    .reduce((sum, { space_used_size: used }) => sum + used, 0);

/**
 * Returns which share of the items outlived the small garbage collections, although only a few were in use at a time.
 * Each round begins an item and ends the oldest.
 */
async function shareLeftBehind(begin: (item: object, index: number) => () => unknown): Promise<number> {
  const running: (() => unknown)[] = [];
  const round = async (index: number) => {
    running.push(begin({ data: new Array<number>(itemBytes / 8).fill(index) }, index));
    if (running.length > atOnce) await running.shift()?.();
    if (index % 500 === 0) collect({ type: "minor" });
  };
  for (let index = 0; index < all; index++) await round(index);
  collect({ type: "major" });
  // Twice: what survives the second one is old.
  for (let index = 0; index < 1_000; index++) await round(index);
  const before = oldSpaceBytes();
  for (let index = 0; index < all; index++) await round(index);
  return (oldSpaceBytes() - before) / (all * itemBytes);
}

// Former tables of a map or set lead to the next ones. Once one of them is old, all that was ever in use stays until
// the next full garbage collection, and each small one has to copy it: pauses of 20 ms instead of 2.
describe("what a request leaves behind goes with the next small garbage collection", () => {
  test("a set that all requests enter and leave keeps them (a control of this test)", async () => {
    const running = new Set<object>();
    const share = await shareLeftBehind((item) => {
      running.add(item);
      return () => running.delete(item);
    });
    expect(share).toBeGreaterThan(0.4);
  });

  test("requests in progress", async () => {
    const running = requestsInProgress();
    const share = await shareLeftBehind((item) => {
      // Only its place is stored on it.
      const response = item as ServerResponse;
      running.begin(response);
      return () => running.end(response);
    });
    expect(share).toBeLessThan(0.25);
  });

  test("answers of which it is not known whether they arrived", async () => {
    const undecided = undecidedAnswers();
    const share = await shareLeftBehind((item, index) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      // The text of the event is kept with it.
      undecided.add("event", `${JSON.stringify(item)}${index}`, promise);
      return async () => {
        resolve();
        await promise;
      };
    });
    expect(share).toBeLessThan(0.25);
  });
});
