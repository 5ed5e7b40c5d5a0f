import { expect, test } from "vitest";
import { inTurns } from "./in-turns.ts";

/** Runs what is given one after the other, each in a turn of the loop, and notes in which order. */
function noted() {
  const queue = inTurns();
  const ran: string[] = [];
  const add = (group: string, name: string) =>
    queue(group, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      ran.push(name);
      return name;
    });
  return { add, ran };
}

test("a group with much work lets the others have every second turn, and each group keeps its order", async () => {
  const { add, ran } = noted();
  const writes = Array.from({ length: 6 }, (_, nth) => add("write", `write ${nth}`));
  await add("look", "look 0");
  await add("look", "look 1");
  await Promise.all(writes);
  expect(ran).toEqual([...["write 0", "write 1", "look 0", "write 2", "look 1"], ...["write 3", "write 4", "write 5"]]);
});

test("one task runs at a time, and one that fails does not block the next", async () => {
  const queue = inTurns();
  let running = 0;
  let most = 0;
  const task = (isFailing: boolean) => async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (isFailing) throw new Error("failed");
    return "done";
  };
  const results = await Promise.allSettled([queue("a", task(true)), queue("b", task(false)), queue("a", task(false))]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(most).toBe(1);
});

test("a task that throws before it has begun to wait does not block the next", async () => {
  const queue = inTurns();
  const thrown = queue("a", () => {
    throw new Error("failed at once");
  });
  await expect(thrown).rejects.toThrow("failed at once");
  expect(await queue("a", async () => "done")).toBe("done");
});
