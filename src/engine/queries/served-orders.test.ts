import { expect, test } from "vitest";
import { silentLog } from "../../kit/log.ts";
import type { Fact } from "../../operation/outcome.ts";
import { servedOrders } from "./check-served.ts";

const numbersOf = (facts: readonly Fact[]) =>
  facts.flatMap(({ payload }) => (payload as { numbers: string[] }).numbers);

test("an order is noted when it is served first, and not again", async () => {
  const noted: string[][] = [];
  const saw = servedOrders({ record: async (facts) => void noted.push(numbersOf(facts)), log: silentLog });
  await saw(["W-1", "W-2", "W-1"]);
  await saw(["W-2", "W-3"]);
  await saw(["W-3"]);
  expect(noted).toEqual([["W-1", "W-2"], ["W-3"]]);
});

test("an order that could not be noted is noted when it is served again, and the answer is not affected", async () => {
  const noted: string[][] = [];
  let isFull = true;
  const record = async (facts: readonly Fact[]) => {
    if (isFull) throw new Error("disk full");
    noted.push(numbersOf(facts));
  };
  const saw = servedOrders({ record, log: silentLog });
  await saw(["W-1"]);
  isFull = false;
  await saw(["W-1"]);
  expect(noted).toEqual([["W-1"]]);
});

test("a long list is noted in small pieces, and its answer does not wait for them", async () => {
  const waiting: (() => void)[] = [];
  const noted: number[] = [];
  const record = (facts: readonly Fact[]) =>
    new Promise<void>((stored) => {
      noted.push(numbersOf(facts).length);
      waiting.push(stored);
    });
  const saw = servedOrders({ record, log: silentLog });
  await saw(Array.from({ length: 1_200 }, (_, index) => `W-${index}`));
  for (let turn = 0; turn < 20; turn++) {
    waiting.shift()?.();
    await Promise.resolve();
  }
  expect(noted).toEqual([500, 500, 200]);
});
