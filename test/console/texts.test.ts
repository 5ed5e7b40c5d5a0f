import { expect, test } from "vitest";
import { consoleTexts } from "../../console/texts/catalogue.ts";
import { languages } from "../../src/messages/languages.ts";

const texts = Object.entries(consoleTexts);

test("no language of the console lacks a text", () => {
  const gaps = texts.flatMap(([key, byLanguage]) =>
    languages.filter((language) => byLanguage[language].trim() === "").map((language) => `${key} ${language}`),
  );
  expect(gaps).toEqual([]);
});

test("all languages of a text of the console use the same values", () => {
  const placeholders = (text: string) =>
    [...text.matchAll(/\{(\w+)\}/g)]
      .map(([, name]) => name)
      .sort()
      .join();
  const different = texts.flatMap(([key, byLanguage]) =>
    languages
      .filter((language) => placeholders(byLanguage[language]) !== placeholders(byLanguage.en))
      .map((language) => `${key} ${language}`),
  );
  expect(different).toEqual([]);
});

test("no translation of the console was forgotten and left in English", () => {
  // Names, and words that are the same in both languages.
  const same = ["lane.crossdock", "nav.settings", "floor.output"];
  const hasWords = (text: string) => /[a-z]{5}/i.test(text.replace(/\{[^{}]*\}/g, ""));
  const copies = texts.flatMap(([key, byLanguage]) =>
    languages
      .filter((language) => language !== "en" && byLanguage[language] === byLanguage.en && hasWords(byLanguage.en))
      .filter(() => !same.includes(key))
      .map((language) => `${key} ${language}`),
  );
  expect(copies).toEqual([]);
});
