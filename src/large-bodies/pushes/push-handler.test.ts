import { expect, test } from "vitest";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { openPushHandler } from "./push-handler.ts";
import type { PushThread } from "./push-thread.ts";
import type { PushStep } from "./read-in-parts.ts";

const part: PushStep = { part: { count: 1, chunks: [] } };
const end: PushStep = { end: { refused: [], problemCount: 0, count: 2, isList: true, good: 2 } };
const whole: PushStep = { whole: { entries: [], refused: [], count: 0, isList: true } };

/** A thread that returns the given steps for each route, and records the messages it gets. */
function opened(routes: Record<string, readonly PushStep[]>) {
  const asked: string[] = [];
  let left: PushStep[] = [];
  const thread: PushThread = {
    step: async (message) => {
      asked.push(message === "next" ? "next" : message.routeName);
      if (message !== "next") left = [...(routes[message.routeName] ?? [])];
      const step = left.shift();
      if (step === undefined) throw new Error("no step is left");
      return step;
    },
    stop: async () => {
      asked.push("stop");
    },
  };
  const clock = manualClock();
  const timers = manualTimers(clock);
  const handler = openPushHandler({ thread, clock, timers });
  const read = (routeName: string) =>
    handler.read({ routeName, body: new Uint8Array(), sender: "erp", trace: undefined });
  return { asked, read, timers };
}

test("a push is read after the previous one has been read completely", async () => {
  const { asked, read } = opened({ long: [part, part, end], short: [whole] });
  const first = await read("long");
  const second = read("short");
  expect(asked).toEqual(["long"]);
  if (!("parts" in first)) throw new Error("it comes in parts");
  let parts = 0;
  for await (const _part of first.parts) parts++;
  expect([parts, await first.end()]).toEqual([2, "end" in end ? end.end : null]);
  await second;
  expect(asked).toEqual(["long", "next", "next", "short"]);
});

test("an abandoned push releases the thread, even if none of it was read", async () => {
  const { asked, read } = opened({ long: [part, part, end], short: [whole] });
  const first = await read("long");
  if (!("parts" in first)) throw new Error("it comes in parts");
  first.drop();
  first.drop();
  await read("short");
  expect(asked).toEqual(["long", "stop", "short"]);
});

test("pushes above the waiting limit are refused; later ones are accepted when the waiting ones are read", async () => {
  const { read } = opened({ short: [whole] });
  const taken = Array.from({ length: 8 }, () => read("short"));
  await expect(read("short")).rejects.toMatchObject({ kind: "unreachable" });
  await Promise.all(taken);
  await read("short");
});
