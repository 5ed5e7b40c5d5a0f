import { expect, test } from "vitest";
import { manualClock } from "../../../kit/time/clock.ts";
import { manualTimers } from "../../../kit/time/timers.ts";
import { whileBusy } from "./while-busy.ts";

const tooMany = Object.assign(new Error("sorry, too many clients already"), { code: "53300" });
const late = new Error("Query read timeout");

/** Runs work that fails with these errors, one after the other, and then succeeds. */
function attempt(errors: readonly Error[]) {
  const timers = manualTimers(manualClock(0));
  let tries = 0;
  const done = whileBusy(async () => {
    const error = errors[tries++];
    if (error !== undefined) throw error;
    return "done";
  }, timers);
  done.catch(() => {});
  return { timers, done, tries: () => tries };
}

test("a PostgreSQL that is only busy is tried again", async () => {
  const { timers, done, tries } = attempt([tooMany, late, tooMany]);
  await timers.pass(1_000);
  expect([await done, tries()]).toEqual(["done", 4]);
});

test("a wrong password is reported at once", async () => {
  const { done, tries } = attempt([Object.assign(new Error("no"), { code: "28P01" })]);
  await expect(done).rejects.toThrow("no");
  expect(tries()).toBe(1);
});

test("a PostgreSQL that stays busy is given up after half a minute", async () => {
  const { timers, done } = attempt(Array.from({ length: 1_000 }, () => tooMany));
  await timers.pass(31_000);
  await expect(done).rejects.toThrow("too many clients");
});
