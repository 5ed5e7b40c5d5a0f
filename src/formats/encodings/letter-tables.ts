import type { Language } from "../../messages/languages.ts";

/** Languages whose files are not promised to be read, but must not be taken for another language. */
export const neighbours = [
  ...(["cs", "sk", "hu", "da", "sv", "et", "lt", "lv", "hr", "ro", "pt", "tr", "is", "ca"] as const),
] as const;
export type TextLanguage = Language | (typeof neighbours)[number];

/** Non-ASCII letters of each language, from frequent to rare. */
export const alphabets: Readonly<Record<TextLanguage, readonly [string, string, string]>> = {
  en: ["", "é", "èêàçñöüïô"],
  de: ["äöüß", "", "éàèç"],
  fr: ["éèà", "êçùôîâûœ", "ëïüæÿ"],
  it: ["àèùò", "ìé", "óíîú"],
  es: ["óáíéñú", "ü", "ç"],
  nl: ["ëé", "ïèüö", "óáäêç"],
  pl: ["łąęóżś", "ćńź", ""],
  cs: ["íáěř", "ščžéýůú", "ďťňó"],
  sk: ["áíťš", "čžýúéľ", "ôňďäóŕĺ"],
  hu: ["áé", "öüóőíúű", ""],
  // Norwegian, too.
  da: ["æøå", "", "éôò"],
  // Finnish, too.
  sv: ["äöå", "", "é"],
  et: ["äü", "õö", "šž"],
  lt: ["ėšž", "ąųįūčę", ""],
  lv: ["āīē", "šūņļžķ", "ģč"],
  // Slovenian, too.
  hr: ["šč", "žćđ", ""],
  ro: ["ăţ", "şîâ", ""],
  pt: ["çáã", "íóéõêú", "âôàü"],
  tr: ["ıüş", "ğçö", "âî"],
  is: ["áöæ", "íðúéóþý", ""],
  ca: ["àóé", "íèòç", "ïúü"],
};

const vowels = "aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýąęěėēīįőűūųůāăı";
const isVowel = (text: string): boolean => text !== "" && vowels.includes(text.toLowerCase());
const isLetter = (text: string): boolean => /^\p{L}$/u.test(text);
const isConsonant = (text: string): boolean => isLetter(text) && !isVowel(text);

/** Letters that Polish does not have. */
const isQvx = (text: string): boolean => /^[qvx]$/i.test(text);

interface Rule {
  readonly letters: string;
  /** Absent: the rule holds for every language. */
  readonly languages?: readonly TextLanguage[];
  readonly isUnusual: (before: string, after: string) => boolean;
}

/** The seven languages. In others the same letter may stand elsewhere. */
const seven: readonly TextLanguage[] = ["en", "de", "fr", "it", "es", "nl", "pl"];

/** Spelling rules. They distinguish letters with the same byte. */
const rules: readonly Rule[] = [
  { letters: "ß", isUnusual: (before) => !/^[aeiouyäöü]$/i.test(before) },
  { letters: "ñ", isUnusual: (before, after) => !isVowel(after) || isConsonant(before) },
  { letters: "śźć", languages: ["pl"], isUnusual: (_, after) => isVowel(after) },
  { letters: "ń", isUnusual: (before, after) => isVowel(after) || !isVowel(before) },
  { letters: "ąę", languages: ["pl"], isUnusual: (before, after) => !isLetter(before) || isVowel(after) },
  { letters: "ąę", languages: ["pl"], isUnusual: (before) => /^[aeouyąę]$/i.test(before) },
  { letters: "ÿ", isUnusual: (before) => !isLetter(before) },
  { letters: "áàâä", isUnusual: (before) => /^[aeo]$/i.test(before) },
  {
    letters: "ż",
    languages: ["pl"],
    isUnusual: (before, after) => isConsonant(before) && (isConsonant(after) || /^[bcfghkpst]$/i.test(before)),
  },
  { letters: "ż", languages: ["pl"], isUnusual: (_, after) => /^[fhjprstvx]$/i.test(after) },
  { letters: "łąęóżśćńź", languages: ["pl"], isUnusual: (before, after) => [before, after].some(isQvx) },
  { letters: "æøå", isUnusual: (before, after) => isVowel(before) || /^[aioåæø]$/i.test(after) },
  {
    letters: "è",
    languages: [...seven, "ca"],
    isUnusual: (before, after) => /^[aeáéí]$/i.test(before) || (!isLetter(before) && isLetter(after)),
  },
  { letters: "è", languages: seven, isUnusual: (_, after) => isVowel(after) || /^[hjkwx]$/i.test(after) },
  {
    letters: "ü",
    languages: seven,
    isUnusual: (before, after) => /^[aiouy]$/i.test(before) || /^[aiouy]$/i.test(after),
  },
  { letters: "ö", languages: seven, isUnusual: (_, after) => /^[aiouy]$/i.test(after) },
  { letters: "ä", languages: seven, isUnusual: (before, after) => /^[uy]$/i.test(before) || /^[aeioy]$/i.test(after) },
  { letters: "àùòì", languages: seven, isUnusual: (_, after) => isLetter(after) },
  { letters: "ê", languages: seven, isUnusual: (_, after) => !isConsonant(after) },
  { letters: "ôâ", languages: seven, isUnusual: (_, after) => !isConsonant(after) },
  { letters: "û", languages: seven, isUnusual: (before, after) => !isConsonant(after) && !/^[dm]$/i.test(before) },
  { letters: "û", languages: seven, isUnusual: (before) => !isLetter(before) || /^[ayuáéíó]$/i.test(before) },
  { letters: "őűöü", languages: ["hu"], isUnusual: (before) => isVowel(before) },
  { letters: "î", languages: seven, isUnusual: (_, after) => !isConsonant(after) },
  { letters: "ç", languages: [...seven, "pt", "ca"], isUnusual: (_, after) => !/^[aouáàâãóõôûú]$/i.test(after) },
  { letters: "ëï", languages: seven, isUnusual: (before) => !isVowel(before) },
  { letters: "œ", isUnusual: (_, after) => !/^[uidstcn]$/i.test(after) },
  { letters: "ě", isUnusual: (before) => !isConsonant(before) },
  { letters: "ůý", isUnusual: (before) => !isLetter(before) },
  { letters: "õ", languages: ["pt"], isUnusual: (_, after) => !/^e$/i.test(after) },
  { letters: "ã", languages: [...seven, "pt"], isUnusual: (_, after) => isLetter(after) && !/^[eos]$/i.test(after) },
  { letters: "ğ", isUnusual: (before) => !isVowel(before) },
  { letters: "ð", isUnusual: (before) => !isLetter(before) },
  { letters: "þ", isUnusual: (before) => isLetter(before) },
];

/** Whether a letter is unusual at its place. */
export const isUnusual = (letter: string, before: string, after: string, language: TextLanguage): boolean =>
  (rulesByLetter.get(letter) ?? []).some(
    (rule) => (rule.languages === undefined || rule.languages.includes(language)) && rule.isUnusual(before, after),
  );

const rulesByLetter = new Map<string, Rule[]>();
for (const rule of rules) {
  for (const letter of rule.letters) rulesByLetter.set(letter, [...(rulesByLetter.get(letter) ?? []), rule]);
}
