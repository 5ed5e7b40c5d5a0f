import { pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import { defaultLanguage, type Language, languages, type Texts } from "../../src/messages/languages.ts";
import { phraseTexts } from "../../src/messages/phrases/phrase-catalogue.ts";
import { consoleTexts } from "../texts/catalogue.ts";

/** A file of texts, in which each text stands in all languages. */
const textFile = /\/(?:console\/texts\/(?!catalogue\.)|src\/messages\/phrases\/[\w-]+-texts\.)[\w-]*\.?ts$/;
const listName = "virtual:language-files";
const fileName = /^virtual:language-files\/(\w+)$/;
const others = languages.filter((language) => language !== defaultLanguage);

/**
 * Builds each language as a file of its own: a reader needs one of them. The pages have only English, which is also what
 * the adapter's stored texts are recognised by.
 */
export function languagesApart(): Plugin {
  return {
    name: "languages-apart",
    enforce: "pre",
    resolveId: (id) => (id === listName || fileName.test(id) ? `\0${id}` : null),
    load: async (id) => {
      const name = id.replace(/^\0/, "");
      if (name === listName) return listOfFiles();
      const language = others.find((one) => one === fileName.exec(name)?.[1]);
      if (language !== undefined) return languageFile(language);
      return textFile.test(name) ? await inEnglishOnly(name) : null;
    },
  };
}

function listOfFiles(): string {
  const members = others.map((language) => `${language}: () => import("${listName}/${language}")`);
  return `export const files = { ${members.join(", ")} };`;
}

const inLanguage = (texts: Readonly<Record<string, Texts>>, language: Language) =>
  Object.fromEntries(Object.entries(texts).map(([key, byLanguage]) => [key, byLanguage[language]]));

const languageFile = (language: Language): string =>
  `export const ofConsole = ${JSON.stringify(inLanguage(consoleTexts, language))};
export const ofPhrases = ${JSON.stringify(inLanguage(phraseTexts, language))};`;

async function inEnglishOnly(path: string): Promise<string> {
  // Every export of these files is a list of texts.
  const exported = (await import(pathToFileURL(path).href)) as Readonly<Record<string, Record<string, Texts>>>;
  return Object.entries(exported)
    .map(([name, texts]) => {
      const english = Object.entries(texts).map(([key, { en }]) => [key, { en }] as const);
      return `export const ${name} = ${JSON.stringify(Object.fromEntries(english))};`;
    })
    .join("\n");
}
