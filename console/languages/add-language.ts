import { files } from "virtual:language-files";
import type { Language, Texts } from "../../src/messages/languages.ts";
import { phraseTexts } from "../../src/messages/phrases/phrase-catalogue.ts";
import { consoleTexts } from "../texts/catalogue.ts";

/** Loads the texts of a language, so that they can be said. Throws if the adapter does not answer. */
export async function addLanguage(language: Language): Promise<void> {
  const file = await files[language]?.();
  if (file === undefined) return;
  add(consoleTexts, file.ofConsole, language);
  add(phraseTexts, file.ofPhrases, language);
}

function add(to: Readonly<Record<string, Texts>>, texts: Readonly<Record<string, string>>, language: Language): void {
  for (const [key, text] of Object.entries(texts)) Object.assign(to[key] ?? {}, { [language]: text });
}
