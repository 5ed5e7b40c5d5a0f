import { expect, test } from "vitest";
import { choiceAmong, takenDeployments, takerOf } from "./taken-deployments.ts";
import { wantedProcess } from "./wanted-process.ts";

const everything = () => true;

/** Processes that know of each other's wishes at once. */
function processes(...names: readonly string[]) {
  const own = new Map(names.map((name) => [name, takenDeployments()]));
  const weights = new Map(names.map((name) => [name, 1]));
  const alive = () =>
    names.map((name) => ({
      ...{ name, weight: weights.get(name) ?? 1, warm: [], follows: [], lacks: [], hosts: [], url: null },
      taken: own.get(name)?.list(everything) ?? [],
    }));
  return {
    alive,
    take: (name: string, deployment: string) => own.get(name)?.take(deployment, alive()),
    stop: (name: string) => void weights.set(name, 0),
  };
}

test("a person's choice counts more than the weight, and the last choice more than an earlier one", () => {
  const { alive, take } = processes("a", "b", "c");
  const byWeight = wantedProcess(alive(), "north")?.name;
  expect(choiceAmong(alive(), "north")?.name).toBe(byWeight);
  for (const name of ["a", "b", "c", "a", "b"]) {
    take(name, "north");
    expect(choiceAmong(alive(), "north")?.name).toBe(name);
  }
  // No other deployment is touched.
  expect(takerOf(alive(), "south")).toBeNull();
});

test("a process that is about to stop has no choice any more", () => {
  const { alive, take, stop } = processes("a", "b");
  take("a", "north");
  stop("a");
  expect(takerOf(alive(), "north")).toBeNull();
});

test("of two processes that were chosen in the same moment, everybody takes the same one", () => {
  const one = { weight: 1, taken: [{ name: "north", number: 3 }] };
  const both = [
    { name: "a", ...one },
    { name: "b", ...one },
  ];
  expect(takerOf(both, "north")?.name).toBe("a");
  expect(takerOf([...both].reverse(), "north")?.name).toBe("a");
});

test("the choice ends when the deployment is closed", () => {
  const taken = takenDeployments();
  taken.take("north", []);
  expect(taken.list(everything)).toEqual([{ name: "north", number: 1 }]);
  expect([taken.list(() => false), taken.has("north")]).toEqual([[], false]);
});

test("what is withdrawn under an earlier number stays, if it was chosen again since", () => {
  const taken = takenDeployments();
  taken.take("north", []);
  taken.take("north", []);
  taken.withdraw("north", 1);
  expect(taken.has("north")).toBe(true);
  taken.withdraw("north");
  expect(taken.has("north")).toBe(false);
});
