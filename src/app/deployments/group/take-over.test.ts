import { expect, test } from "vitest";
import { silentLog } from "../../../kit/log.ts";
import { manualClock } from "../../../kit/time/clock.ts";
import { manualTimers } from "../../../kit/time/timers.ts";
import type { TakeOver } from "./group.ts";
import { type TakeOverNeeds, takeOver } from "./take-over.ts";

/** A process that has the deployment north, which the process `other` owns. */
function process(given: { readonly cannotOpen?: string; readonly trouble?: string; readonly isLeaving?: boolean }) {
  const timers = manualTimers(manualClock());
  const did: string[] = [];
  let taking: "known" | "not-known" | "lost" = "not-known";
  let isOwner = false;
  let isClosed = false;
  const roles = { role: () => (isOwner ? "owner" : "standby"), owner: () => "other" };
  const member = {
    name: "north",
    use: async <Result>(work: () => Promise<Result>) => {
      if (given.cannotOpen !== undefined) throw new Error(given.cannotOpen);
      return await work();
    },
    // Nothing else of the deployment is used here.
    adapter: () => (isClosed ? null : ({ roles } as never)),
  };
  const needs: TakeOverNeeds = {
    ...{ timers, log: silentLog, members: new Map([["north", member]]) },
    cluster: {
      take: () => did.push("take"),
      withdraw: () => did.push("withdraw"),
      taking: () => taking,
      trouble: () => given.trouble ?? null,
      isLeaving: () => given.isLeaving ?? false,
    },
  };
  return {
    did,
    pass: timers.pass,
    own: () => {
      taking = "known";
      isOwner = true;
    },
    lose: () => {
      taking = "lost";
    },
    close: () => {
      taking = "lost";
      isClosed = true;
    },
    take: (name = "north", cluster = needs.cluster): Promise<TakeOver> => takeOver(name, { ...needs, cluster }),
  };
}

test("it is done when this process owns the deployment and the others know it", async () => {
  const { take, pass, own, did } = process({});
  const taken = take();
  await pass(1_000);
  own();
  await pass(100);
  expect([await taken, did]).toEqual([{ isOwner: true, wasOwner: false }, ["take"]]);
});

test("a process that owns it already says so, and keeps it", async () => {
  const { take, own, did } = process({});
  own();
  expect([await take(), did]).toEqual([{ isOwner: true, wasOwner: true }, ["take"]]);
});

test.each([
  [
    "an unknown name is refused with the names that there are",
    {},
    "nord",
    404,
    /no deployment nord here; there are north/,
  ],
  ["a process that is about to stop refuses", { isLeaving: true }, "north", 409, /about to stop/],
  ["without PostgreSQL nothing is begun", { trouble: "PostgreSQL is away" }, "north", 503, /PostgreSQL is away/],
  ["what cannot be opened is not taken", { cannotOpen: "the key is missing" }, "north", 503, /opened here: the key/],
])("%s", async (_what, given, name, status, reason) => {
  const { take, did } = process(given);
  expect(await take(name)).toEqual({ isOwner: false, status, reason: expect.stringMatching(reason) });
  expect(did).toEqual([]);
});

test("a process without others refuses", async () => {
  const { take } = process({});
  expect(await take("north", null)).toMatchObject({ status: 409, reason: expect.stringMatching(/no `store`/) });
});

test("of two processes that are told so, the later one is named as the reason", async () => {
  const { take, pass, lose } = process({});
  const taken = take();
  await pass(500);
  lose();
  await pass(100);
  expect(await taken).toMatchObject({ status: 409, reason: expect.stringMatching(/another process was told/i) });
});

test("a deployment whose configuration is removed meanwhile is not said to be with another process", async () => {
  const { take, pass, close } = process({});
  const taken = take();
  await pass(500);
  close();
  await pass(100);
  expect(await taken).toMatchObject({ status: 503, reason: expect.stringMatching(/north was closed here/) });
});

test("an owner that does not hand over in time keeps the deployment, and the wish is withdrawn", async () => {
  const { take, pass, did } = process({});
  const taken = take();
  await pass(31_000);
  expect(await taken).toMatchObject({ status: 503, reason: expect.stringMatching(/^other has not handed north over/) });
  expect(did).toEqual(["take", "withdraw"]);
});
