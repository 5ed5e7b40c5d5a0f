import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { holdInstanceLock, isFolderInUse } from "../../journal/sqlite/writer/durability.ts";
import { holdTarget } from "./hold-target.ts";

const isHeld = (target: string): boolean => {
  try {
    holdTarget(target)();
    return false;
  } catch (error) {
    return error instanceof Error && isFolderInUse(error.cause);
  }
};

test("a lock file that its last holder removes while it is being locked is not taken for the lock", () => {
  const target = join(temporaryFolder(), "saved");
  writeFileSync(`${target}.part.lock`, "");
  let nth = 0;
  const release = holdTarget(target, (file) => {
    const held = holdInstanceLock(file);
    if (++nth === 1) rmSync(file);
    return held;
  });
  expect(isHeld(target)).toBe(true);
  release();
  expect(isHeld(target)).toBe(false);
});

test("the lock file is removed before anybody else can lock it, and nothing is left", () => {
  const folder = temporaryFolder();
  const seen: boolean[] = [];
  const release = holdTarget(join(folder, "saved"), (file) => {
    const held = holdInstanceLock(file);
    return () => {
      seen.push(existsSync(file));
      held();
    };
  });
  release();
  expect(seen.at(-1)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock file that was left by a killed backup is taken over", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "saved.part.lock"), "");
  holdTarget(join(folder, "saved"))();
  expect(readdirSync(folder)).toEqual([]);
});
