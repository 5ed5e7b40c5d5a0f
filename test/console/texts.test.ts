import { expect, test } from "vitest";
import { consoleTexts } from "../../console/texts/catalogue.ts";
import { type Language, languages } from "../../src/messages/languages.ts";
import { fillIn } from "../../src/messages/phrases/fill-in.ts";

const texts = Object.entries(consoleTexts);

test("no language of the console lacks a text", () => {
  const gaps = texts.flatMap(([key, byLanguage]) =>
    languages.filter((language) => byLanguage[language].trim() === "").map((language) => `${key} ${language}`),
  );
  expect(gaps).toEqual([]);
});

test("all languages of a text of the console use the same values", () => {
  const placeholders = (text: string) =>
    [...text.matchAll(/\{(\w+)[,}]/g)]
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

test("a count takes the form of its language, also in French, where none is singular", () => {
  const said = (language: Language, count: number | string) =>
    fillIn(consoleTexts["quarantine.count"][language], language, { count });
  expect([said("en", 0), said("en", 1), said("en", "1"), said("en", 2), said("en", "1,200")]).toEqual([
    ...["0 records", "1 record", "1 record", "2 records", "1,200 records"],
  ]);
  expect([said("fr", "0"), said("fr", "1 200")]).toEqual(["0 enregistrement", "1 200 enregistrements"]);
  expect(["1", "3", "5", "12", "22", "1\u00a0202", "1\u00a0205"].map((count) => said("pl", count))).toEqual([
    ...["1 rekord", "3 rekordy", "5 rekordów", "12 rekordów", "22 rekordy"],
    ...["1\u00a0202 rekordy", "1\u00a0205 rekordów"],
  ]);
});

test("a value is filled in as it is, even if it looks like a placeholder", () => {
  expect(fillIn("{a} {count, plural, one {# $&} other {#s}}", "en", { a: "{count}", count: 1 })).toBe("{count} 1 $&");
});

test("no translation of the console was forgotten and left in English", () => {
  // Names, and words that are the same in both languages.
  const same = ["lane.crossdock", "nav.settings", "floor.output", "quarantine.count"];
  const hasWords = (text: string) => /[a-z]{5}/i.test(text.replace(/\{[^{}]*\}/g, ""));
  const copies = texts.flatMap(([key, byLanguage]) =>
    languages
      .filter((language) => language !== "en" && byLanguage[language] === byLanguage.en && hasWords(byLanguage.en))
      .filter(() => !same.includes(key))
      .map((language) => `${key} ${language}`),
  );
  expect(copies).toEqual([]);
});
