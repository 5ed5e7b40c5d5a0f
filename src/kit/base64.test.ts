import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBase64 } from "./base64.ts";

test("any bytes come back, with or without line breaks in the text", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 80 }), (bytes, width) => {
      const text = Buffer.from(bytes).toString("base64");
      const wrapped = text.replace(new RegExp(`.{${width}}`, "g"), "$&\r\n");
      expect(Buffer.from(decodeBase64(text) ?? [1])).toEqual(Buffer.from(bytes));
      expect(Buffer.from(decodeBase64(wrapped) ?? [1])).toEqual(Buffer.from(bytes));
    }),
  );
});

const outsideAlphabet = fc
  .string({ unit: "binary", minLength: 1, maxLength: 1 })
  .filter((character) => !/[A-Za-z0-9+/=\r\n]/.test(character));

test("a character outside the alphabet is refused wherever it stands", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), outsideAlphabet, (bytes, place, stranger) => {
      const text = Buffer.from(bytes).toString("base64");
      const at = place % text.length;
      expect(decodeBase64(text.slice(0, at) + stranger + text.slice(at + 1))).toBeNull();
      expect(decodeBase64(text.slice(0, at) + stranger.repeat(4) + text.slice(at))).toBeNull();
    }),
  );
});

test("a text that lost a character is refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (bytes, place) => {
      const text = Buffer.from(bytes).toString("base64");
      const at = place % text.length;
      expect(decodeBase64(text.slice(0, at) + text.slice(at + 1))).toBeNull();
    }),
  );
});

test.each(["QQ", "QQ=", "QQ=A", "=QQQ", "QQ==QUJD", "QR==", "QUJ=QUJD", "====", "Q-_D", "QUJD ", "QUJD===="])(
  "%s is refused",
  (text) => {
    expect(decodeBase64(text)).toBeNull();
  },
);
