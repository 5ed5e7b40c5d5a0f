import fc from "fast-check";
import { expect, test } from "vitest";
import { imageKind } from "./outcome.ts";

const heads = {
  png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  jpeg: [0xff, 0xd8, 0xff, 0xe0],
  webp: [0x52, 0x49, 0x46, 0x46, 0x24, 0, 0, 0, 0x57, 0x45, 0x42, 0x50],
  gif: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61],
} as const;
const kinds = Object.keys(heads) as (keyof typeof heads)[];

test("an image is known by its first bytes, whatever follows", () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.uint8Array(), (kind, rest) => {
      expect(imageKind(Uint8Array.from([...heads[kind], ...rest]))).toBe(kind);
    }),
  );
});

test("a head that is cut short is no image", () => {
  for (const kind of kinds) {
    const cut = kind === "jpeg" ? 2 : heads[kind].length - 1;
    expect(imageKind(Uint8Array.from(heads[kind].slice(0, cut)))).toBeNull();
  }
});

test("a WAV file, a PDF, a text and nothing at all are no images", () => {
  const wav = Buffer.from("RIFF\x24\x00\x00\x00WAVEfmt ", "latin1");
  for (const bytes of [wav, Buffer.from("%PDF-1.7"), Buffer.from("number;name"), new Uint8Array()]) {
    expect(imageKind(bytes)).toBeNull();
  }
});
