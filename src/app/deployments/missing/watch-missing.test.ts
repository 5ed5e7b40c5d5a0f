import { expect, test } from "vitest";
import { silentLog } from "../../../kit/log.ts";
import { manualClock } from "../../../kit/time/clock.ts";
import { manualTimers } from "../../../kit/time/timers.ts";
import type { ServedDeployment, ServingProcess } from "../../../replication/postgres/processes.ts";
import { missingAmong } from "./missing-among.ts";
import { watchMissing } from "./watch-missing.ts";

const process = (given: Partial<ServingProcess>): ServingProcess => ({
  ...{ name: "other", weight: 1, warm: [], follows: [], taken: [], lacks: [], hosts: [], url: null },
  ...given,
});
const served = (name: string, owner = "other"): ServedDeployment => ({
  ...{ name, owner: `${owner}/1`, ownerUrl: `http://10.0.0.1:8080/${name}` },
});
const isNorth = (name: string) => name === "north";

test("what a process serves is missing only if it has a deployment in common with this one", () => {
  const names = (given: Parameters<typeof missingAmong>[1]) => missingAmong(isNorth, given).map(({ name }) => name);
  expect(names({ processes: [process({})], served: [served("south")] })).toEqual([]);
  expect(names({ processes: [process({})], served: [served("north"), served("south")] })).toEqual(["south"]);
  expect(names({ processes: [process({ follows: ["north"] })], served: [served("south")] })).toEqual(["south"]);
  expect(names({ processes: [], served: [served("north", "a"), served("south", "b")] })).toEqual([]);
});

test("its address is the path of its owner's and the host names that its owner reports", () => {
  const hosts = [{ name: "south", hosts: ["south.example.com"] }];
  const given = { processes: [process({ follows: ["north"], hosts })], served: [served("south"), served("west")] };
  expect(missingAmong(isNorth, given).map((one) => [one.basePath, one.hosts])).toEqual([
    ["/south", ["south.example.com"]],
    ["/west", undefined],
  ]);
});

/** A process that has only `north`, beside one that has `south` as well. */
function lacking() {
  const timers = manualTimers(manualClock());
  const said: object[] = [];
  const configured = new Set(["north"]);
  let all = [served("north"), served("south")];
  let looks = 0;
  let isReached = true;
  const watch = watchMissing({
    ...{ timers, log: { ...silentLog, warn: (fields: object) => void said.push(fields) } },
    isConfigured: (name) => configured.has(name),
    look: async () => {
      looks++;
      if (!isReached) throw new Error("PostgreSQL is away");
      return { processes: [], served: all };
    },
  });
  return {
    ...{ watch, timers, said, configured, looks: () => looks },
    sleep: () => {
      all = [served("north")];
    },
    wake: () => {
      all = [served("north"), served("south")];
    },
    cutOff: () => {
      isReached = false;
    },
  };
}
const namesOf = (some: readonly { readonly name: string }[]) => some.map(({ name }) => name);

test("it is noticed without a request, and said once while it lasts", async () => {
  const { watch, timers, said } = lacking();
  await timers.pass(60_000);
  expect([namesOf(watch.served()), said]).toEqual([["south"], [expect.objectContaining({ deployment: "south" })]]);
});

test("many requests for unknown addresses become one question a second", async () => {
  const { watch, timers, looks } = lacking();
  await Promise.all(Array.from({ length: 100 }, watch.refresh));
  for (let nth = 0; nth < 100; nth++) await watch.refresh();
  expect(looks()).toBe(1);
  await timers.pass(1_000);
  await watch.refresh();
  expect(looks()).toBe(2);
});

test("one that is asleep stays known, until nobody takes its requests or its configuration comes", async () => {
  const { watch, timers, sleep, wake, configured, cutOff } = lacking();
  await watch.refresh();
  sleep();
  await timers.pass(5_000);
  expect([namesOf(watch.served()), namesOf(watch.known())]).toEqual([[], ["south"]]);
  watch.forget("south");
  expect(watch.known()).toEqual([]);
  wake();
  await timers.pass(5_000);
  cutOff();
  await timers.pass(5_000);
  expect(namesOf(watch.served())).toEqual(["south"]);
  configured.add("south");
  expect([watch.served(), watch.known()]).toEqual([[], []]);
});
