import { expect, test } from "vitest";
import { manualClock } from "../../../kit/time/clock.ts";
import { manualTimers } from "../../../kit/time/timers.ts";
import { openPlaces } from "./open-places.ts";

/** Open deployments, oldest use first, and the places that they take. */
async function fullPlaces(gates: readonly { name: string; isStandby: boolean; isBusy?: boolean }[]) {
  const closed: string[] = [];
  const leaves: (() => void)[] = [];
  const open = gates.map(({ name, isStandby, isBusy = false }, nth) => ({
    usedAt: () => nth,
    opened: () => (closed.includes(name) ? null : { isStandby: () => isStandby }),
    closeIfUnused: async () => {
      if (isBusy) return false;
      closed.push(name);
      leaves[nth]?.();
      return true;
    },
  }));
  const timers = manualTimers(manualClock());
  const places = openPlaces({ most: () => gates.length, open: () => open, timers });
  for (const { name } of gates) leaves.push(await places.enter(name));
  return { places, closed };
}

test("the deployment that was unused for the longest time is closed to make room", async () => {
  const { places, closed } = await fullPlaces([
    { name: "first", isStandby: false },
    { name: "second", isStandby: false },
  ]);
  await places.enter("third");
  expect(closed).toEqual(["first"]);
});

test("one that another process owns is closed before one that this process owns", async () => {
  const { places, closed } = await fullPlaces([
    { name: "owned", isStandby: false },
    { name: "busy", isStandby: true, isBusy: true },
    { name: "followed", isStandby: true },
  ]);
  await places.enter("fourth");
  expect(closed).toEqual(["followed"]);
  await places.enter("fifth");
  expect(closed).toEqual(["followed", "owned"]);
});
