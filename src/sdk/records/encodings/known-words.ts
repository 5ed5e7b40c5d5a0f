import { type Language, languages } from "../../../messages/languages.ts";
import { unitSpellings } from "../enum-names.ts";
import { itemFields } from "../item-fields.ts";
import { orderFields } from "../order-fields.ts";

export const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}²³]+/gu) ?? [];

const wordsByLanguage = new Map<string, Set<Language>>();
for (const { headers } of [...orderFields, ...itemFields]) {
  for (const language of languages) {
    for (const word of (headers[language] ?? []).flatMap(wordsIn)) {
      wordsByLanguage.set(word, (wordsByLanguage.get(word) ?? new Set()).add(language));
    }
  }
}
const unitWords = new Set(unitSpellings.flatMap(wordsIn));

/** Whether this is a word of a heading or a unit, so that it was read right. */
export const isKnownWord = (word: string): boolean => wordsByLanguage.has(word) || unitWords.has(word);

const oddsPerWord = 1.5;
const mostOdds = 6;

/** What the plain words at the start of a file, mostly its headings, say about its language. English says nothing. */
export function languageOdds(start: string): ReadonlyMap<Language, number> {
  const odds = new Map<Language, number>();
  for (const word of new Set(wordsIn(start))) {
    const found = word.length < 4 ? undefined : wordsByLanguage.get(word);
    if (found === undefined || found.has("en")) continue;
    for (const language of found) odds.set(language, Math.min(mostOdds, (odds.get(language) ?? 0) + oddsPerWord));
  }
  return odds;
}
