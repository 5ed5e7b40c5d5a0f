import type { Client } from "pg";
import { expect, test } from "vitest";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { ownerChannel } from "../postgres/ownership.ts";
import { storeWatch } from "./store-watch.ts";

/** A watch whose connection only notes what is asked. */
function watchOf(pollMs = 100) {
  const timers = manualTimers(manualClock());
  const asked: (readonly string[])[] = [];
  const listened: string[] = [];
  let tell = (_news: { readonly channel: string }) => {};
  let isBroken = false;
  let hungUp = 0;
  const newClient = () =>
    ({
      on: (_event: string, listener: typeof tell) => {
        tell = listener;
      },
      query: async (query: string | { readonly values: readonly [readonly string[]] }) => {
        if (isBroken) throw new Error("the wire is cut");
        if (typeof query === "string") listened.push(...query.split(";"));
        else asked.push(query.values[0]);
        return { rows: [] };
      },
      // Nothing else of a connection is used.
    }) as unknown as Client;
  let client = newClient();
  const watch = storeWatch({
    connection: {
      request: async (work) => {
        try {
          return await work(client);
        } catch (error) {
          client = newClient();
          throw error;
        }
      },
      close: async () => {
        hungUp++;
      },
    },
    ...{ pollMs, timers },
  });
  return {
    ...{ watch, timers, asked, listened, hungUp: () => hungUp },
    tell: (deployment: string) => tell({ channel: ownerChannel(deployment) }),
    breakWire: (broken: boolean) => {
      isBroken = broken;
    },
  };
}

/** Asks and pauses, as everyone does who follows; returns the rounds it has made. */
function follow(watch: ReturnType<typeof watchOf>["watch"], deployment: string) {
  const watched = watch.watch(deployment);
  const rounds = { done: 0, failed: 0 };
  let isStopped = false;
  void (async () => {
    while (!isStopped) {
      await watched.state().then(
        () => rounds.done++,
        () => rounds.failed++,
      );
      await watched.pause();
    }
  })();
  const stop = () => {
    isStopped = true;
    watched.stop();
  };
  return { rounds, stop };
}

test("the states of all followed deployments are one statement in each interval", async () => {
  const { watch, timers, asked } = watchOf(100);
  const names = Array.from({ length: 60 }, (_, nth) => `site-${nth}`);
  for (const name of names) follow(watch, name);
  await timers.settle();
  await timers.pass(1_000);
  expect(asked).toEqual(Array.from({ length: 11 }, () => names));
});

test("news of an owner ends the pause of its deployment only", async () => {
  const { watch, timers, asked, tell } = watchOf(100);
  follow(watch, "north");
  follow(watch, "south");
  await timers.settle();
  tell("south");
  await timers.settle();
  expect(asked).toEqual([["north", "south"], ["south"]]);
});

test("a new connection listens to every deployment before it reads their states", async () => {
  const { watch, timers, listened, breakWire } = watchOf(100);
  const both = [`LISTEN ${ownerChannel("north")}`, `LISTEN ${ownerChannel("south")}`];
  const { rounds } = follow(watch, "north");
  follow(watch, "south");
  await timers.settle();
  expect(listened).toEqual(both);
  breakWire(true);
  await timers.pass(100);
  breakWire(false);
  await timers.pass(100);
  expect(listened).toEqual([...both, ...both]);
  expect(rounds).toEqual({ done: 2, failed: 1 });
});

test("the connection is closed when nothing is watched any more, and not before", async () => {
  const { watch, timers, listened, hungUp } = watchOf(100);
  const [north, same, south] = [follow(watch, "north"), follow(watch, "north"), follow(watch, "south")];
  await timers.settle();
  north.stop();
  south.stop();
  await timers.pass(100);
  expect(hungUp()).toBe(0);
  expect(listened.at(-1)).toBe(`UNLISTEN ${ownerChannel("south")}`);
  same.stop();
  await timers.settle();
  expect(hungUp()).toBeGreaterThan(0);
});
