import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseLanguage } from "./choose-language.ts";
import { languages } from "./languages.ts";

test.each([
  [undefined, "en"],
  ["", "en"],
  ["de", "de"],
  ["DE", "de"],
  ["de-AT", "de"],
  ["de_DE", "de"],
  ["pl-PL,pl;q=0.9,en;q=0.8", "pl"],
  ["en;q=0.3, fr;q=0.9", "fr"],
  ["fr-CA, en", "fr"],
  ["de;q=0, nl;q=0.1", "nl"],
  ["de;q=0, *", "en"],
  ["ja, it;q=0.2", "it"],
  ["ja", "en"],
  ["*", "en"],
  ["*;q=0.5, es;q=0.1", "es"],
  ["../../etc/passwd", "en"],
  ["nl;q=abc", "nl"],
  ["nl;q=9", "nl"],
  ["x-klingon, es", "es"],
  ["en-a-a-a, fr", "fr"],
])("%s is answered in %s", (header, language) => {
  expect(chooseLanguage(header)).toBe(language);
});

test("a header of 10 kB is answered at once, from what its beginning says", () => {
  expect(chooseLanguage(`it,${"de-".repeat(3400)}`)).toBe("it");
  expect(chooseLanguage(",".repeat(10_000))).toBe("en");
});

test("whatever the header, the answer is one of our languages", () => {
  const part = fc.oneof(fc.string(), fc.constantFrom("de", "fr-CH", "*", "q=", ";", ",", "zh-Hans-CN-u-nu-hanidec"));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.constantFrom(",", ";", ""), (parts, joint) => {
      expect(languages).toContain(chooseLanguage(parts.join(joint)));
    }),
    { numRuns: 1000 },
  );
});
