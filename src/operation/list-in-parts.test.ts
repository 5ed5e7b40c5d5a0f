import fc from "fast-check";
import { expect, test } from "vitest";
import { ListInParts, listOrParts } from "./outcome.ts";

test("a list is the same whether it comes at once or in parts, and only a long one comes in parts", async () => {
  const parts = fc.array(fc.array(fc.integer(), { maxLength: 5 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(parts, fc.nat({ max: 12 }), async (given, few) => {
      const made = await listOrParts(
        (async function* () {
          yield* given;
        })(),
        few,
      );
      const isLong = given.flat().length > few;
      expect(made instanceof ListInParts).toBe(isLong);
      const list: unknown[] = [];
      if (made instanceof ListInParts) for await (const part of made.parts) list.push(...part);
      else list.push(...made);
      expect(list).toEqual(given.flat());
    }),
  );
});

test("of a long list no more is produced than is consumed", async () => {
  let asked = 0;
  const made = await listOrParts(
    (async function* () {
      while (true) yield [asked++];
    })(),
    3,
  );
  expect(asked).toBe(4);
  for await (const part of (made as ListInParts).parts) if (part.includes(6)) break;
  expect(asked).toBe(7);
});
