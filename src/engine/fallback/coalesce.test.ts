import { expect, test } from "vitest";
import { coalesce } from "./guard-queries.ts";

function slowSystem() {
  const calls: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = [];
  const call = () => new Promise<string>((resolve, reject) => calls.push({ resolve, reject }));
  return { calls, call };
}

test("equal concurrent look-ups share one call, and the next one after it calls again", async () => {
  const { calls, call } = slowSystem();
  const shared = coalesce<string>();
  const answers = Promise.all([shared("scan 4711", call), shared("scan 4711", call), shared("scan 4712", call)]);
  expect(calls).toHaveLength(2);
  calls[0]?.resolve("one");
  calls[1]?.resolve("two");
  expect(await answers).toEqual(["one", "one", "two"]);
  void shared("scan 4711", call);
  expect(calls).toHaveLength(3);
});

test("a failed call fails for every waiting caller, and its result is not cached", async () => {
  const { calls, call } = slowSystem();
  const shared = coalesce<string>();
  const waiting = [shared("k", call), shared("k", call)].map((one) => one.catch((error: Error) => error.message));
  calls[0]?.reject(new Error("down"));
  expect(await Promise.all(waiting)).toEqual(["down", "down"]);
  const again = shared("k", call);
  calls[1]?.resolve("up");
  expect(await again).toBe("up");
});
