import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyBlocks } from "./body-parser.ts";

test("a body is the bytes that arrived, however they were cut, in memory that can be handed to a thread", async () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lengths, async (given) => {
      const chunks = given.map((length, index) => Buffer.alloc(length, index + 1));
      const blocks = bodyBlocks();
      for (const chunk of chunks) blocks.add(chunk);
      const body = await blocks.joined();
      expect(body.equals(Buffer.concat(chunks))).toBe(true);
      expect(body.buffer.byteLength).toBe(body.length);
      expect(body.buffer.resizable).toBe(false);
    }),
    { numRuns: 30 },
  );
});

test("released, it gives every block back, and may be released again", () => {
  const made: ArrayBuffer[] = [];
  const blocks = bodyBlocks((bytes) => {
    const block = new ArrayBuffer(bytes, { maxByteLength: bytes });
    made.push(block);
    return block;
  });
  for (let part = 0; part < 5; part++) blocks.add(Buffer.alloc(1_000_000));
  expect(made.map(({ detached }) => detached)).toEqual(Array(20).fill(false));
  blocks.release();
  blocks.release();
  expect(made.map(({ detached }) => detached)).toEqual(Array(20).fill(true));
});
