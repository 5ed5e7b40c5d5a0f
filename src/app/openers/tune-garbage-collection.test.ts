import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const own = new URL("./tune-garbage-collection.ts", import.meta.url).href;

const tune = `import { tuneGarbageCollection } from ${JSON.stringify(own)}; tuneGarbageCollection();`;

/** Runs a program and returns the number that it prints first. */
function printed(program: string, moreFlags: readonly string[] = []): number {
  const flags = ["--expose-gc", "--input-type=module", ...moreFlags];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "--eval", program], { encoding: "utf8" });
  expect(stderr).toBe("");
  return Number(stdout.split(" ")[0]);
}

const clearlyOldBytes = 2_000_000;

/** Many objects that live long, then others that do not. Prints how many bytes of the latter became old at most. */
const longThenShort = `
  import { getHeapSpaceStatistics } from "node:v8";
  const begin = (index) => [index, index + 1, { index }];
  const oldBytes = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space").space_used_size;
  const keep = (count) => {
    const kept = new Array(count);
    for (let index = 0; index < count; index++) kept[index] = begin(index);
    return kept.length;
  };
  let last = null;
  const drop = (count) => {
    for (let index = 0; index < count; index++) last = begin(index);
  };
  // When V8 decides depends on when its optimized code is ready.
  let most = 0;
  for (let round = 0; round < 30 && most < ${clearlyOldBytes}; round++) {
    for (let times = 0; times < 5; times++) keep(60_000);
    gc();
    const before = oldBytes();
    drop(100_000);
    most = Math.max(most, oldBytes() - before);
  }
  console.log(most, last.length);
`;

const becameOld = (first: string) => printed(first + longThenShort, ["--max-semi-space-size=1"]);

/** Few old objects are left on many pages. Prints how many pages they take after that, of those that they took before. */
const fewLeft = `
  import { getHeapSpaceStatistics } from "node:v8";
  const oldSpace = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space").space_size;
  let kept = [];
  for (let index = 0; index < 200_000; index++) kept.push([index, 1, 2, 3, 4, 5, 6, 7, 8, { index }]);
  gc();
  gc();
  const before = oldSpace();
  kept = kept.filter(([index]) => index % 50 === 0);
  gc();
  gc();
  console.log(oldSpace() / before, kept.length);
`;

/** Old objects are replaced one by one. Prints how much memory they take at most, of what is in use. */
const replaced = `
  import { getHeapStatistics } from "node:v8";
  const used = () => getHeapStatistics().used_heap_size;
  const kept = new Array(400_000).fill(null);
  const put = (index) => { kept[index] = [index, 1, 2, 3, 4, 5, 6, 7, 8, { index }]; };
  for (let index = 0; index < kept.length; index++) put(index);
  gc();
  gc();
  const before = used();
  let most = 0;
  for (let times = 0; times < 6_000_000; times++) {
    put((times * 7) % kept.length);
    if (times % 5_000 === 0) most = Math.max(most, used());
  }
  console.log(most / before);
`;

test("short-lived objects are not placed among the old ones because earlier ones of their kind lived long", () => {
  const control = becameOld("");
  const ours = becameOld(tune);
  expect(control, "a control of this test: V8 by itself").toBeGreaterThan(clearlyOldBytes);
  expect(ours).toBeLessThan(control / 10);
});

test("a full collection does not copy old objects to move them together", () => {
  const control = printed(fewLeft);
  const ours = printed(tune + fewLeft);
  expect(control, "a control of this test: V8 by itself").toBeLessThan(0.5);
  expect(ours).toBeGreaterThan(0.8);
});

test("full collections come when the old objects have doubled, not when V8 expects them to pay", () => {
  // Without other threads, a collection comes at the same moment in every run.
  const flags = ["--max-semi-space-size=1", "--single-threaded-gc"];
  const control = printed(replaced, flags);
  const ours = printed(tune + replaced, flags);
  expect(ours, "V8 by itself lets them grow further in a busy moment, and less after an idle one").toBeLessThan(
    control / 1.5,
  );
  expect(ours).toBeGreaterThan(1.7);
});
