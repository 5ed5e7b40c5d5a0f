import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBase64 } from "../../../kit/base64.ts";
import { encodedBase64, plainBase64 } from "./plain-base64.ts";

const png = Buffer.from("89504e470d0a1a0a", "hex");
const image = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes, 7)]);

test("an image of megabytes is the same in pieces, with other work of the thread between them", async () => {
  const bytes = image(4_000_001);
  const base64 = bytes.toString("base64");
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await plainBase64(`data:image/png;base64,${base64.replace(/.{76}/g, "$&\r\n")}`)).toBe(base64);
  expect(turns).toBeGreaterThan(40);
  turns = 0;
  expect(await encodedBase64(bytes)).toBe(base64);
  expect(turns).toBeGreaterThan(15);
  isOver = true;
});

test("pieces of megabytes are as strict as the whole", async () => {
  const base64 = image(600_000).toString("base64");
  for (const [at, sign] of [
    [262_140, "="],
    [262_143, "="],
    [262_144, "="],
    [300_000, "*"],
    [9, "ä"],
  ] as const)
    expect(await plainBase64(base64.slice(0, at) + sign + base64.slice(at + 1))).toBeNull();
  expect(await plainBase64(" ".repeat(300_000) + base64)).toBe(base64);
  expect(await plainBase64(base64.slice(0, -3))).toBeNull();
});

test("a short text is an image exactly if all of it is strict Base64 of one", async () => {
  const sign = fc.constantFrom("A", "q", "z", "0", "+", "/", "-", "_", "=", " ", "\n", '"', "ä");
  await fc.assert(
    fc.asyncProperty(fc.array(sign, { maxLength: 8 }), async (signs) => {
      const text = `${png.toString("base64").slice(0, 8)}KGgoA${signs.join("")}`;
      const plain = text.replace(/[\s"]+/g, "");
      const isOther = /[-_]/.test(plain) && !/[+/]/.test(plain);
      const usual = isOther ? plain.replace(/-/g, "+").replace(/_/g, "/") : plain;
      const padded = usual.padEnd(Math.ceil(usual.length / 4) * 4, "=");
      const bytes = decodeBase64(padded);
      const isImage = bytes !== null && Buffer.from(bytes).subarray(0, png.length).equals(png);
      expect(await plainBase64(text)).toBe(isImage ? padded : null);
    }),
    { numRuns: 300 },
  );
});
