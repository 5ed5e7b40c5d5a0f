import { expect, test } from "vitest";
import { oncePer, recentValues } from "./recent-values.ts";

test("values in use stay, and unused values are dropped", () => {
  const recent = recentValues<number>(10);
  recent.set("kept", 1);
  recent.set("left", 2);
  for (let index = 0; index < 100; index++) {
    recent.set(`other ${index}`, index);
    expect(recent.get("kept")).toBe(1);
  }
  expect(recent.get("left")).toBeUndefined();
  const held = Array.from({ length: 100 }, (_, index) => recent.get(`other ${index}`)).filter(
    (one) => one !== undefined,
  );
  expect(held.length).toBeLessThanOrEqual(20);
});

test("a removed value is gone, from either map", () => {
  const recent = recentValues<string>(2);
  for (const key of ["a", "b", "c"]) recent.set(key, key);
  recent.delete("a");
  recent.delete("c");
  expect(["a", "b", "c"].map(recent.get)).toEqual([undefined, "b", undefined]);
  recent.clear();
  expect(recent.get("b")).toBeUndefined();
});

test("a value with a very long key is not cached, and is looked up again", () => {
  const recent = recentValues<number>(2);
  recent.set("k".repeat(100_000), 1);
  expect(recent.get("k".repeat(100_000))).toBeUndefined();
});

test("long values are kept by their weight, and one that is too long is not kept", () => {
  const recent = recentValues<string>(10, ({ length }) => length);
  recent.set("short", "abc");
  recent.set("short", "abcd");
  recent.set("long", "x".repeat(6));
  expect([recent.get("short"), recent.get("long")]).toEqual(["abcd", "x".repeat(6)]);
  recent.set("next", "y".repeat(8));
  recent.set("last", "z".repeat(8));
  expect(["short", "long", "next", "last"].map((key) => recent.get(key)?.length)).toEqual([undefined, undefined, 8, 8]);
  recent.set("last", "z".repeat(11));
  expect(recent.get("last")).toBeUndefined();
});

test("something is found out once per object, also if there is nothing to find", () => {
  let asked = 0;
  const lengthOf = oncePer((list: readonly unknown[]) => {
    asked += 1;
    return list.length === 0 ? undefined : list.length;
  });
  const [one, same, none] = [["a"], ["a"], []];
  expect([lengthOf(one), lengthOf(one), lengthOf(same), lengthOf(none), lengthOf(none)]).toEqual([
    1,
    1,
    1,
    undefined,
    undefined,
  ]);
  expect(asked).toBe(3);
});
