import { type Language, languages } from "../../messages/languages.ts";
import { unitSpellings } from "../fields/enum-names.ts";
import { itemFields } from "../fields/item-fields.ts";
import { orderFields } from "../fields/order-fields.ts";
import type { TextLanguage } from "./letter-tables.ts";

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

/** Whether this is a known word of a heading or a unit, which shows that it was decoded correctly. */
const isKnownWord = (word: string): boolean => wordsByLanguage.has(word) || unitWords.has(word);

/** Whether it is known and has a letter beyond ASCII. */
export const isOddAndKnown = (word: string): boolean => /[^a-z]/.test(word) && isKnownWord(word);

const oddsPerWord = 1.5;
const mostOdds = 6;

/**
 * The evidence for each language, from the plain words at the start of a file, mostly headings. English words prove
 * nothing.
 */
export function languageOdds(start: string): ReadonlyMap<TextLanguage, number> {
  const odds = new Map<TextLanguage, number>();
  for (const word of new Set(wordsIn(start))) {
    const found = word.length < 4 ? undefined : wordsByLanguage.get(word);
    if (found === undefined || found.has("en")) continue;
    for (const language of found) odds.set(language, Math.min(mostOdds, (odds.get(language) ?? 0) + oddsPerWord));
  }
  return odds;
}
