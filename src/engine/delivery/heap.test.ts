import fc from "fast-check";
import { expect, test } from "vitest";
import { heap } from "./heap.ts";

test("whatever goes in comes out in order", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer())), (steps) => {
      const queue = heap<number>((value) => value);
      const model: number[] = [];
      for (const step of steps) {
        if (step === null) expect(queue.pop()).toBe(model.shift());
        else {
          queue.push(step);
          model.push(step);
          model.sort((a, b) => a - b);
        }
        expect(queue.peek()).toBe(model[0]);
        expect(queue.size()).toBe(model.length);
      }
    }),
  );
});
