import { defaultLanguage, type Language } from "../languages.ts";
import { fillIn } from "./fill-in.ts";
import { type PhraseKey, phraseTexts } from "./phrase-catalogue.ts";

/**
 * A sentence about an entry or an order before it is translated: its key, and the values to fill in. The console shows
 * it in the reader's language without asking the adapter again. The adapter sends the English text beside it.
 */
export interface Phrase {
  readonly key: PhraseKey;
  readonly values: Readonly<Record<string, PhraseValue>>;
}

/** A value may be a phrase itself: a part that is optional or has several forms is a separate phrase. */
export type PhraseValue = string | number | Phrase | PhraseList;

export interface PhraseList {
  readonly list: readonly Phrase[];
  readonly joinedBy: string;
}

/** Only this many elements of a list are shown: a cart may have a thousand containers. */
const mostListed = 20;

export const phrase = (key: PhraseKey, values: Phrase["values"] = {}): Phrase => ({ key, values });

export const phraseList = (list: readonly Phrase[], joinedBy = ", "): PhraseList => ({
  list: list.length > mostListed ? [...list.slice(0, mostListed), phrase("more")] : list,
  joinedBy,
});

/** Returns the phrase of this key. A code that a later version wrote has no phrase; then `otherwise` is shown. */
export const phraseOr = (key: string, otherwise: string): Phrase | string =>
  isPhraseKey(key) ? phrase(key) : otherwise;

const isPhraseKey = (key: string): key is PhraseKey => Object.hasOwn(phraseTexts, key);

/** Returns the phrase in a language. If the key is from another version, only its values are shown. */
export function sayPhrase(
  { key, values }: Phrase,
  language: Language = defaultLanguage,
  numberText: (amount: number) => string = String,
): string {
  const texts = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, valueText(value, language, numberText)]),
  );
  if (!isPhraseKey(key)) return Object.values(texts).join(" ");
  return fillIn(phraseTexts[key][language], language, texts);
}

function valueText(value: PhraseValue, language: Language, numberText: (amount: number) => string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return numberText(value);
  if ("key" in value) return sayPhrase(value, language, numberText);
  return value.list.map((one) => sayPhrase(one, language, numberText)).join(value.joinedBy);
}

/** Changes every text in a phrase, for example to mask what not everybody may see. */
export function mapPhrase({ key, values }: Phrase, change: (text: string) => string): Phrase {
  const changed = (value: PhraseValue): PhraseValue => {
    if (typeof value === "string") return change(value);
    if (typeof value === "number") return value;
    return "key" in value
      ? mapPhrase(value, change)
      : { ...value, list: value.list.map((one) => mapPhrase(one, change)) };
  };
  return { key, values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, changed(value)])) };
}
