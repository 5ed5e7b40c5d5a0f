import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { silentLog } from "../kit/log.ts";
import { diskState, watchDisk } from "./watch-disk.ts";

const mib = 2 ** 20;
const gib = 2 ** 30;

test.each([
  [100 * gib, 10 * gib, "enough"],
  [100 * gib, 400 * mib, "low"],
  [100 * gib, 100 * mib, "full"],
  [32 * mib, 8 * mib, "enough"],
  [32 * mib, 1 * mib, "low"],
  [32 * mib, 0.2 * mib, "full"],
])("of %i bytes, %i free are %s", (total, free, state) => {
  expect(diskState(free, total)).toBe(state);
});

test("a folder whose space cannot be read is logged once, and once more after it could be read", async () => {
  const folder = join(temporaryFolder(), "unmounted");
  const lines: string[] = [];
  const log = { ...silentLog, error: (_: object, text: string) => void lines.push(text) };
  let next: (() => void) | undefined;
  const timers = {
    soon: () => {},
    passed: () => 0,
    after: (_: number, then: () => void) => {
      next = then;
      return () => {};
    },
  };
  const watch = watchDisk({ folder, timers, log });
  const look = async () => {
    await expect.poll(() => next).toBeDefined();
    const then = next;
    next = undefined;
    then?.();
    await expect.poll(() => next).toBeDefined();
  };
  await look();
  await look();
  expect(lines).toEqual(["the free space of the data folder cannot be read"]);
  mkdirSync(folder);
  await look();
  expect(watch.freeBytes()).toBeGreaterThan(0);
  watch.stop();
});
