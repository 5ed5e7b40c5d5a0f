import { expect, test } from "vitest";
import { preparations } from "./preparations.ts";

/** Deployments that this process follows, and what was prepared and ended. */
function followedOnes(names: readonly string[]) {
  const log: string[] = [];
  const owned = new Set<string>();
  const due = new Set(names);
  let now = 0;
  const prepared = preparations({ isDue: (name) => due.has(name), passed: () => now });
  const followed = names.map((name) => ({
    name,
    roles: {
      role: () => (owned.has(name) ? ("owner" as const) : ("standby" as const)),
      isCaughtUp: () => !name.startsWith("behind"),
      prepare: () => void log.push(`prepare ${name}`),
      discard: () => void log.push(`discard ${name}`),
    },
  }));
  const look = (afterMs = 0) => {
    now += afterMs;
    prepared.look(followed);
    return log.splice(0);
  };
  return { look, owned, due, isOffered: prepared.isOffered, isAnything: prepared.isAnything };
}

test("a process prepares only a few deployments at a time, and the next ones when it owns them", () => {
  const { look, owned } = followedOnes(["a", "behind", "b", "c", "d", "e"]);
  expect(look()).toEqual(["prepare a", "prepare b", "prepare c", "prepare d"]);
  owned.add("b");
  expect(look()).toEqual(["prepare e"]);
});

test("what this process should no longer take over is not kept ready", () => {
  const { look, due, isAnything } = followedOnes(["a"]);
  look();
  due.delete("a");
  expect(look()).toEqual(["discard a"]);
  expect(isAnything()).toBe(false);
});

test("threads outlive the offer, because the owner may hand over by an earlier report", () => {
  const { look, isOffered } = followedOnes(["a"]);
  look();
  expect(isOffered("a")).toBe(true);
  expect(look(31_000)).toEqual([]);
  expect(isOffered("a")).toBe(false);
  expect(look(5_000)).toEqual(["discard a"]);
});

test("a deployment that its owner does not hand over lets others go first, and is prepared again later", () => {
  const { look } = followedOnes(["a"]);
  look();
  expect(look(36_000)).toEqual(["discard a"]);
  expect(look(59_000)).toEqual([]);
  expect(look(2_000)).toEqual(["prepare a"]);
});
