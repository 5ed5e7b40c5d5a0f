import { expect, test } from "vitest";
import { bodyBudget, shareOf } from "./body-budget.ts";

const kib = 1024;

function opened(maxBytes: number) {
  let nowMs = 0;
  const budget = bodyBudget({ maxBytes, now: () => nowMs });
  const ended: string[] = [];
  const open = (name: string) => {
    const share = budget.open(() => ended.push(name));
    return share;
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { budget, open, ended, pass };
}

test("bodies that come on share what there is, and one too many is refused", () => {
  const { budget, open, ended } = opened(200 * kib);
  const one = open("one");
  const other = open("other");
  expect(one.take(164 * kib)).toBe(true);
  expect(other.take(164 * kib)).toBe(true);
  expect(budget.heldBytes()).toBe(200 * kib);
  expect(other.take(1)).toBe(false);
  expect(ended).toEqual([]);
  one.giveBack();
  expect(other.take(1)).toBe(true);
  other.giveBack();
  expect(budget.heldBytes()).toBe(0);
});

test("a body of the size of an event is taken however much others hold", () => {
  const { open } = opened(0);
  for (let count = 0; count < 100; count++) expect(open("event").take(64 * kib)).toBe(true);
});

test("bodies of which nothing has come for a while give way to one that comes on, the longest still first", () => {
  const { budget, open, ended, pass } = opened(300 * kib);
  const [oldest, older] = [open("oldest"), open("older")];
  oldest.take(164 * kib);
  older.take(164 * kib);
  pass(2_000);
  const coming = open("coming");
  expect(coming.take(164 * kib)).toBe(true);
  pass(1_500);
  expect(coming.take(80 * kib)).toBe(true);
  expect(ended).toEqual(["oldest"]);
  expect(budget.heldBytes()).toBe(280 * kib);
  expect(oldest.take(1)).toBe(true);
});

test("a body of which nothing comes any more is ended by the next sweep, and its memory is free", () => {
  const { budget, open, ended, pass } = opened(1_000 * kib);
  open("still").take(500 * kib);
  pass(19_000);
  const coming = open("coming");
  coming.take(100 * kib);
  budget.sweep();
  expect(ended).toEqual([]);
  pass(2_000);
  budget.sweep();
  expect(ended).toEqual(["still"]);
  expect(budget.heldBytes()).toBe(36 * kib);
});

test("whoever uses up its own share is refused, and leaves the rest of the common budget to the others", () => {
  const common = bodyBudget({ maxBytes: 300 * kib, now: () => 0 });
  const own = () => shareOf(common, bodyBudget({ maxBytes: 200 * kib, now: () => 0 }));
  const [flooded, quiet] = [own(), own()];
  const first = flooded.open(() => {});
  expect(first.take(264 * kib)).toBe(true);
  const second = flooded.open(() => {});
  expect(second.take(65 * kib)).toBe(false);
  second.giveBack();
  const other = quiet.open(() => {});
  expect(other.take(164 * kib)).toBe(true);
  expect(other.take(kib)).toBe(false);
  first.giveBack();
  expect(other.take(kib)).toBe(true);
  other.giveBack();
  expect([common.heldBytes(), flooded.heldBytes(), quiet.heldBytes()]).toEqual([0, 0, 0]);
});
