import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { leastStall, workedMs } from "../../test/support/longest-stall.ts";
import { hashInTurns } from "./hash-in-turns.ts";

test.each([0, 1, 256 * 1024, 256 * 1024 + 1, 3_000_000])(
  "%i bytes have the hash that they have at once",
  async (size) => {
    const bytes = Buffer.alloc(size, "abc");
    const hashes = [createHash("sha256"), createHmac("sha512", "key")];
    await hashInTurns(hashes, bytes);
    expect(hashes.map((one) => one.digest("hex"))).toEqual([
      createHash("sha256").update(bytes).digest("hex"),
      createHmac("sha512", "key").update(bytes).digest("hex"),
    ]);
  },
);

test("other work runs while many bytes are hashed", async () => {
  const bytes = Buffer.alloc(32 * 2 ** 20);
  const start = workedMs();
  createHash("sha256").update(bytes).digest();
  const atOnceMs = workedMs() - start;
  expect(await leastStall(() => hashInTurns([createHash("sha256")], bytes))).toBeLessThan(atOnceMs / 2);
});
