import { expect, test } from "vitest";
import { silentLog } from "../../../kit/log.ts";
import { manualClock } from "../../../kit/time/clock.ts";
import { manualTimers } from "../../../kit/time/timers.ts";
import { moves } from "./moves.ts";

/** A process with deployments that it owns. What it hands over has an owner again after this time. */
function owningProcess(names: readonly string[], { takesMs = 0 }: { readonly takesMs?: number } = {}) {
  const timers = manualTimers(manualClock(0));
  const states = new Map(names.map((name) => [name, { isOwner: true, hasOwner: true }]));
  const log: string[] = [];
  const set = (name: string, isOwner: boolean, hasOwner: boolean) => void states.set(name, { isOwner, hasOwner });
  let atOnce = 0;
  const deployments = names.map((name) => ({
    name,
    roles: {
      role: () => (states.get(name)?.isOwner ? ("owner" as const) : ("standby" as const)),
      hasOwner: () => states.get(name)?.hasOwner === true,
      handOver: () => {
        log.push(name);
        atOnce = Math.max(atOnce, names.filter((one) => states.get(one)?.hasOwner === false).length + 1);
        set(name, true, false);
        timers.after(takesMs, () => set(name, false, true));
      },
    },
  }));
  const moved = moves({ deployments: () => deployments, timers, log: silentLog });
  /** Stops while other processes follow some of its deployments, and are ready; returns how long that took. */
  const leave = async (follows: (name: string) => boolean, successors = ["other"]): Promise<number> => {
    let isOver = false;
    const leaving = moved.leave({ leave: () => {}, hasFollower: follows, hasOthers: () => true });
    void leaving.then(() => {
      isOver = true;
    });
    for (let steps = 0; !isOver && steps < 1_000; steps++) {
      for (const [nth, { name, roles }] of deployments.entries()) {
        if (roles.role() === "owner" && follows(name))
          moved.toSuccessor(name, successors[nth % successors.length] ?? "");
      }
      await timers.pass(50);
    }
    return timers.passed();
  };
  const toSuccessor = (name: string, successor = "other", number?: number) =>
    moved.toSuccessor(name, successor, number);
  return { toSuccessor, leave, leaveAlone: moved.leave, timers, log, set, mostAtOnce: () => atOnce };
}

test("two deployments are handed over at a time: the next one when one of them is served again", async () => {
  const { toSuccessor, log, timers } = owningProcess(["a", "b", "c"], { takesMs: 1_000 });
  for (const name of ["a", "b", "c", "a", "b"]) toSuccessor(name);
  expect(log).toEqual(["a", "b"]);
  await timers.pass(1_000);
  toSuccessor("c");
  expect(log).toEqual(["a", "b", "c"]);
});

test("two processes get two deployments each at the same time", async () => {
  const { toSuccessor, log, timers } = owningProcess(["a", "b", "c", "d", "e"], { takesMs: 1_000 });
  for (const name of ["a", "b"]) toSuccessor(name, "first");
  for (const name of ["c", "d", "e"]) toSuccessor(name, "second");
  expect(log).toEqual(["a", "b", "c", "d"]);
  await timers.pass(1_000);
  toSuccessor("e", "second");
  expect(log).toEqual(["a", "b", "c", "d", "e"]);
});

test("what came back from its successor is not handed over again for five minutes", async () => {
  const { toSuccessor, log, set, timers } = owningProcess(["a"]);
  toSuccessor("a");
  await timers.pass(10);
  set("a", true, true);
  toSuccessor("a");
  await timers.pass(299_000);
  toSuccessor("a");
  expect(log).toEqual(["a"]);
  await timers.pass(2_000);
  toSuccessor("a");
  expect(log).toEqual(["a", "a"]);
});

test("what a person wants anew is handed over at once, although it came back from there", async () => {
  const { toSuccessor, log, set, timers } = owningProcess(["a"]);
  for (const number of [1, 2, 2, 3]) {
    toSuccessor("a", "other", number);
    await timers.pass(10);
    set("a", true, true);
  }
  expect(log).toEqual(["a", "a", "a"]);
});

test("a process that stops hands everything over that others follow, two at a time, before it ends", async () => {
  const names = Array.from({ length: 20 }, (_, nth) => `site-${nth}`);
  const { leave, log, mostAtOnce } = owningProcess(names, { takesMs: 400 });
  const tookMs = await leave(() => true);
  expect([log.length, mostAtOnce()]).toEqual([20, 2]);
  expect(tookMs).toBeLessThan(20_000);
});

test("a process that stops needs half the time if two others take its deployments over", async () => {
  const names = Array.from({ length: 20 }, (_, nth) => `site-${nth}`);
  const [alone, both] = [owningProcess(names, { takesMs: 400 }), owningProcess(names, { takesMs: 400 })];
  const [aloneMs, bothMs] = [await alone.leave(() => true), await both.leave(() => true, ["first", "second"])];
  expect([both.log.length, both.mostAtOnce()]).toEqual([20, 4]);
  expect(bothMs).toBeLessThan(0.6 * aloneMs);
});

test("what nobody follows is released in stages, not all at once", async () => {
  const names = Array.from({ length: 10 }, (_, nth) => `site-${nth}`);
  const { leave, log, mostAtOnce } = owningProcess(names, { takesMs: 400 });
  await leave((name) => name === "site-9");
  // What another process follows goes first, because it is served again at once.
  expect(log[0]).toBe("site-9");
  expect([new Set(log).size, mostAtOnce()]).toEqual([10, 2]);
});

test("a process that stops gives up after twenty seconds, however many deployments are left", async () => {
  const names = Array.from({ length: 100 }, (_, nth) => `site-${nth}`);
  const { leave, log } = owningProcess(names, { takesMs: 1_000 });
  const tookMs = await leave(() => true);
  expect(tookMs).toBeGreaterThan(19_000);
  expect(tookMs).toBeLessThan(21_000);
  expect(log.length).toBeLessThan(50);
});

test("it gives up after five seconds in which nothing could be handed over", async () => {
  const { leave } = owningProcess(["a", "b"], { takesMs: 600_000 });
  expect(await leave(() => true)).toBeLessThan(6_000);
});

test("the last process keeps its deployments until its end", async () => {
  const { leaveAlone, log } = owningProcess(["a"]);
  await leaveAlone({ leave: () => {}, hasFollower: () => false, hasOthers: () => false });
  expect(log).toEqual([]);
});
