import { expect, test } from "vitest";
import { Fault } from "../../operation/fault.ts";
import { openRoom } from "./room.ts";

/** Enters one by one and notes who is in. */
function visitors(room: ReturnType<typeof openRoom>) {
  const inside: string[] = [];
  const enter = async (name: string, bytes: number) => {
    const leave = await room.enter(bytes);
    inside.push(name);
    return () => {
      inside.splice(inside.indexOf(name), 1);
      leave();
    };
  };
  return { inside, enter };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("who comes first gets room first, and nobody passes a large one that waits", async () => {
  const { inside, enter } = visitors(openRoom({ most: 100, mostWaiting: 9 }));
  const leaveA = await enter("a", 60);
  const leaveB = await enter("b", 40);
  const c = enter("c", 80);
  void enter("d", 10);
  leaveB();
  await settle();
  expect(inside).toEqual(["a"]);
  leaveA();
  await settle();
  expect(inside).toEqual(["c", "d"]);
  (await c)();
});

test("what is larger than all the room gets in alone", async () => {
  const { inside, enter } = visitors(openRoom({ most: 100, mostWaiting: 9 }));
  const leave = await enter("large", 500);
  void enter("small", 1);
  await settle();
  expect(inside).toEqual(["large"]);
  leave();
  await settle();
  expect(inside).toEqual(["small"]);
});

test("if too many wait already, the next one is refused", async () => {
  const room = openRoom({ most: 100, mostWaiting: 1 });
  await room.enter(100);
  void room.enter(1);
  await expect(room.enter(1)).rejects.toThrow(Fault);
});
