import { expect, test } from "vitest";
import { kindFields, type OptionField } from "../../../console/parts/workshop/option-form.ts";
import { connectable } from "../../../src/app/console-tools/connectable.ts";
import { languages } from "../../../src/messages/languages.ts";
import { descriptionTexts } from "../../../src/messages/setup/description-texts.ts";
import { optionTexts } from "../../../src/messages/setup/options/option-texts.ts";
import { inLanguage } from "../../../src/server/workshop/in-language.ts";

const found = connectable();
const known = new Map([...descriptionTexts, ...optionTexts].map((texts) => [texts.en, texts]));

/** Every description that the forms of connections show, by the path of its option. */
const shownIn = ({ kinds }: typeof found): ReadonlyMap<string, string> =>
  new Map(kinds.flatMap(({ type }) => kindFields(type, kinds).flatMap((field) => describedIn(field, type))));

const describedIn = ({ path, description, operations }: OptionField, type: string): [string, string][] => [
  [[type, ...path].join("."), description],
  ...operations.flatMap((one): [string, string][] => [
    [[type, ...path, one.name].join("."), one.description],
    ...one.fields.flatMap((field) => describedIn(field, type)),
  ]),
];

const english = shownIn(found);

test("no option in the form of a connection lacks its text in any language", () => {
  expect(english.size).toBeGreaterThan(500);
  const missing = [...english].filter(([, text]) => !known.has(text));
  expect(Object.fromEntries(missing)).toEqual({});
});

test("the adapter describes every option in the language of the request, and names nothing else in it", () => {
  for (const language of languages) {
    // It answers with what it was given, in another language.
    const translated = inLanguage(found, language) as typeof found;
    const wrong = [...shownIn(translated)].filter(
      ([path, text]) => text !== known.get(english.get(path) ?? "")?.[language],
    );
    expect({ language, wrong }).toEqual({ language, wrong: [] });
    const names = ({ kinds }: typeof found) => JSON.stringify(kinds).match(/"(?:properties|enum|type|pattern)":/g);
    expect(names(translated)).toEqual(names(found));
  }
});

test("every language of an option names the same settings, and is a translation", () => {
  const named = (text: string) => (text.match(/`[^`]*`/g) ?? []).sort();
  const different = optionTexts.flatMap((texts) =>
    languages
      .filter((language) => named(texts[language]).join() !== named(texts.en).join())
      .map((language) => `${language} ${texts.en}`),
  );
  expect(different).toEqual([]);
  const copied = optionTexts.flatMap((texts) =>
    languages
      .filter((language) => language !== "en" && texts[language] === texts.en)
      .map((language) => `${language} ${texts.en}`),
  );
  expect(copied).toEqual([]);
});

test("no text about an option is left over or told twice", () => {
  const used = new Set(english.values());
  expect(optionTexts.filter(({ en }) => !used.has(en)).map(({ en }) => en)).toEqual([]);
  expect(known.size).toBe(descriptionTexts.length + optionTexts.length);
});
