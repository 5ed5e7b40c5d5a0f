import { validateHeaderValue } from "node:http";
import fc from "fast-check";
import { expect, test } from "vitest";
import { attributeText, headerText } from "./http-client.ts";

// Lone surrogates cannot be sent as text.
const text = fc.string({ unit: "grapheme" });

test("any attribute fits into a header and comes back as it was", () => {
  fc.assert(
    fc.property(text, (value) => {
      const written = attributeText(value);
      validateHeaderValue("ce-subject", written);
      expect(written).toMatch(/^[\x21-\x7e]*$/);
      expect(decodeURIComponent(written)).toBe(value);
    }),
  );
});

test("any configured value fits into a header, and one that fits already is left alone", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (value) => validateHeaderValue("x", headerText(value))));
  expect(headerText('Basic dXNlcjpwYXNz== 100% "ß"\t;')).toBe('Basic dXNlcjpwYXNz== 100% "ß"\t;');
});
