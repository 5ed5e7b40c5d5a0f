import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const own = new URL("./keep-requests-young.ts", import.meta.url).href;

const clearlyOldBytes = 2_000_000;

/** Many objects that live long, then others that do not. Prints how many bytes of the latter became old at most. */
const program = `
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

function becameOld(first: string): number {
  const flags = ["--expose-gc", "--max-semi-space-size=1", "--input-type=module"];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "--eval", first + program], { encoding: "utf8" });
  expect(stderr).toBe("");
  return Number(stdout.split(" ")[0]);
}

test("short-lived objects are not placed among the old ones because earlier ones of their kind lived long", () => {
  const control = becameOld("");
  const ours = becameOld(`import { keepRequestsYoung } from ${JSON.stringify(own)}; keepRequestsYoung();`);
  expect(control, "a control of this test: V8 by itself").toBeGreaterThan(clearlyOldBytes);
  expect(ours).toBeLessThan(control / 10);
});
