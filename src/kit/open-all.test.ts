import fc from "fast-check";
import { expect, test } from "vitest";
import { openAll } from "./open-all.ts";

/** How one opener of a list behaves. */
const opener = fc.record({ isSlow: fc.boolean(), closeFails: fc.boolean() });

test("if an opener fails, all that were opened before it are closed in reverse order, and its error is thrown", async () => {
  const property = fc.asyncProperty(fc.array(opener, { maxLength: 12 }), fc.nat(), async (list, pick) => {
    const failsAt = list.length === 0 ? 0 : pick % list.length;
    const closed: number[] = [];
    const closeErrors: unknown[] = [];
    const failure = new Error("the port is taken");
    const opening = openAll(
      async (open) => {
        for (const [index, { isSlow, closeFails }] of list.entries()) {
          const make = () => {
            if (index === failsAt) throw failure;
            return isSlow ? Promise.resolve(index) : index;
          };
          await open(`opener ${index}`, make, async (own) => {
            closed.push(own);
            if (closeFails) throw new Error(`opener ${own} cannot be closed`);
          });
        }
        throw failure;
      },
      { onCloseFailed: (error) => closeErrors.push(error) },
    );
    await expect(opening).rejects.toBe(failure);
    expect(closed).toEqual(
      list
        .map((_, index) => index)
        .slice(0, failsAt)
        .reverse(),
    );
    expect(closeErrors.length).toBe(list.slice(0, failsAt).some(({ closeFails }) => closeFails) ? 1 : 0);
  });
  await fc.assert(property);
});

test("everything that was opened is closed once, in reverse order, however often close is called", async () => {
  const closed: string[] = [];
  const { opened, close } = await openAll(async (open) => {
    const first = await open(
      "first",
      () => 1,
      () => void closed.push("first"),
    );
    return (
      first +
      (await open(
        "second",
        () => 2,
        () => void closed.push("second"),
      ))
    );
  });
  expect(opened).toBe(3);
  await Promise.all([close(), close()]);
  expect(closed).toEqual(["second", "first"]);
});
