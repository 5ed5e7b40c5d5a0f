import { expect, test } from "vitest";
import { catalogue } from "./catalogue.ts";
import { languages } from "./languages.ts";
import { compileText } from "./localise.ts";

const texts = Object.entries(catalogue);

test("no language lacks a text", () => {
  const gaps = texts.flatMap(([key, byLanguage]) =>
    languages.filter((language) => (byLanguage[language] ?? "").trim() === "").map((language) => `${key} ${language}`),
  );
  expect(gaps).toEqual([]);
});

test.each(languages)("every text in %s is valid message syntax", (language) => {
  const broken = texts.flatMap(([key, byLanguage]) => {
    try {
      compileText(byLanguage[language], language);
      return [];
    } catch (error) {
      return [`${key}: ${String(error)}`];
    }
  });
  expect(broken).toEqual([]);
});

test("all languages of a text use the same values, so that no reader gets less than the others", () => {
  const placeholders = (text: string) => compileText(text, "en").fillers.map(([name]) => name);
  const different = texts.flatMap(([key, byLanguage]) => {
    const expected = placeholders(byLanguage.en).sort().join();
    return languages
      .filter((language) => placeholders(byLanguage[language]).sort().join() !== expected)
      .map((language) => `${key} ${language}`);
  });
  expect(different).toEqual([]);
});

test("no translation was forgotten and left in English", () => {
  // A text that contains only values and punctuation may be the same in every language.
  const hasWords = (text: string) => /[a-z]{4}/i.test(text.replace(/\{[^{}]*\}/g, ""));
  const copies = texts.flatMap(([key, byLanguage]) =>
    languages
      .filter((language) => language !== "en" && byLanguage[language] === byLanguage.en && hasWords(byLanguage.en))
      .map((language) => `${key} ${language}`),
  );
  expect(copies).toEqual([]);
});
