import fc from "fast-check";
import { expect, test } from "vitest";
import { manualClock } from "../kit/time/clock.ts";
import { manualTimers } from "../kit/time/timers.ts";
import { currentSnapshot, UserCount } from "./current-snapshot.ts";

/** A snapshot that counts how often it was released. */
const counted = () => {
  const snapshot = {
    users: new UserCount(),
    inUse: 0,
    released: 0,
    release: async () => {
      snapshot.released++;
    },
  };
  return snapshot;
};

const tenMinutes = 600_000;
const opened = () => {
  const timers = manualTimers(manualClock());
  const first = counted();
  return { timers, first, runtime: currentSnapshot(first, timers) };
};

test("every user keeps the snapshot it has taken; a snapshot is released once, after its last user, and never while it is current", async () => {
  const step = fc.oneof(fc.constant("take"), fc.constant("end"), fc.constant("replace"));
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 60 }),
    fc.infiniteStream(fc.nat()),
    async (steps, picks) => {
      const { timers, first, runtime } = opened();
      const all = [first];
      const users: (typeof first)[] = [];
      for (const name of steps) {
        if (name === "take") {
          const taken = runtime.current();
          taken.users.enter();
          taken.inUse++;
          users.push(taken);
        }
        if (name === "end" && users.length > 0) {
          const [ended] = users.splice(picks.next().value % users.length, 1);
          if (ended !== undefined) ended.inUse--;
          ended?.users.leave();
        }
        if (name === "replace") {
          const before = runtime.current();
          const next = counted();
          all.push(next);
          runtime.replace(next);
          runtime.retire(before);
        }
        for (const one of all) {
          const isKept = one === runtime.current() || one.inUse > 0;
          expect(one.released).toBe(isKept ? 0 : 1);
        }
      }
      await runtime.close();
      await timers.settle();
      expect(all.map(({ released }) => released)).toEqual(all.map(() => 1));
      expect(timers.count()).toBe(0);
    },
  );
  await fc.assert(property);
});

test("a user that does not finish keeps a replaced snapshot open for at most ten minutes", async () => {
  const { timers, first, runtime } = opened();
  runtime.current().users.enter();
  runtime.replace(counted());
  runtime.retire(first);
  await timers.pass(tenMinutes - 1);
  expect(first.released).toBe(0);
  await timers.pass(1);
  expect(first.released).toBe(1);
  first.users.leave();
  await timers.settle();
  expect(first.released).toBe(1);
});
