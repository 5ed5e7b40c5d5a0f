import { expect, test } from "vitest";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { openPushHandler } from "./push-handler.ts";
import type { PushThread } from "./push-thread.ts";
import type { PushStep } from "./read-in-parts.ts";

const part: PushStep = { part: { count: 1, chunks: [] } };
const end: PushStep = { end: { refused: [], problemCount: 0, count: 2, isList: true, good: 2 } };
const whole: PushStep = { whole: { entries: [], refused: [], count: 0, isList: true } };

const waitMs = 20_000;
/** More than a short push has. */
const largeBytes = 32 * 1024 + 1;

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
  const handler = openPushHandler({ thread, clock, timers, waitMs });
  const read = (routeName: string, bytes = 0) =>
    handler.read({ routeName, body: new Uint8Array(bytes), sender: "erp", trace: undefined });
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

test("large pushes above the waiting limit are refused; later ones are accepted when the waiting ones are read", async () => {
  const { read } = opened({ short: [whole] });
  const taken = Array.from({ length: 8 }, () => read("short", largeBytes));
  await expect(read("short", largeBytes)).rejects.toMatchObject({ kind: "unreachable" });
  await Promise.all(taken);
  await read("short", largeBytes);
});

test("short lists wait for their turn, however many large pushes and other lists are before them", async () => {
  const { read } = opened({ short: [whole] });
  const large = Array.from({ length: 8 }, () => read("short", largeBytes));
  const short = Array.from({ length: 100 }, () => read("short"));
  expect(await Promise.all([...large, ...short])).toHaveLength(108);
});

test("a short list whose turn does not come within its time budget is refused, and blocks none behind it", async () => {
  const { asked, read, timers } = opened({ long: [part, end], short: [whole] });
  const first = await read("long", largeBytes);
  const late = read("short");
  const isLate = expect(late).rejects.toMatchObject({ kind: "unreachable" });
  await timers.pass(waitMs);
  await isLate;
  const next = read("short");
  if ("parts" in first) first.drop();
  await next;
  expect(asked).toEqual(["long", "stop", "short"]);
});
