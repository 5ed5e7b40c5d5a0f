import { type Language, languages } from "../../messages/languages.ts";

/** Non-ASCII letters of each language, from frequent to rare. */
const alphabets: Readonly<Record<Language, readonly [string, string, string]>> = {
  en: ["", "é", "èêàçñöüïô"],
  de: ["äöüß", "", "éàèç"],
  fr: ["éèà", "êçùôîâûœ", "ëïüæÿ"],
  it: ["àèùò", "ìé", "óíîú"],
  es: ["óáíéñú", "ü", "ç"],
  nl: ["ëé", "ïèüö", "óáäêç"],
  pl: ["łąęóżś", "ćńź", ""],
};
const tierOdds = [-1.7, -3.2, -5.5];
/** Two such letters side by side: common in Polish, rare elsewhere, and usual when the word is in another script. */
const adjacentOdds: Readonly<Record<Language, number>> = { en: -6, de: -3, fr: -3.5, it: -6, es: -6, nl: -5, pl: -1.5 };

const capitalOdds = -1.5;
const loneOdds = -2;
const wrongCaseOdds = -5;
const unusualPlaceOdds = -5;
/** Letters of neighbouring languages that occur in names everywhere: Ångström, Malmö, São Paulo. Not õ: it may be the ő of Hungarian. */
const neighbouringLetters = "åøã";
const neighbouringOdds = -6;
const otherLatinOdds = -8;
const otherScriptOdds = -3.4;
const scriptsMixedOdds = -6;
export const symbolOutOfPlaceOdds = -9;
const neverOdds = -12;

const oddsByLanguage = new Map(
  languages.map((language) => [
    language,
    new Map(alphabets[language].flatMap((letters, tier) => [...letters].map((one) => [one, tierOdds[tier] ?? 0]))),
  ]),
);

const isLetter = (text: string) => /^\p{L}$/u.test(text);
const isQuote = (text: string) => text !== "" && "„“”«»‚‹›".includes(text);
const isVowel = (text: string) => /^[aeiouyąęó]$/i.test(text);
const isCapital = (text: string) => text !== text.toLowerCase();
const isSmall = (text: string) => text !== text.toUpperCase();

/** One non-ASCII character with its neighbours; the empty text at the ends. */
interface Placed {
  readonly character: string;
  readonly before: string;
  readonly after: string;
}

/** The usual places of symbols; elsewhere they make a candidate less likely. */
const symbolPlaces: readonly (readonly [signs: string, odds: number, fits: (place: Placed) => boolean])[] = [
  ["’", -1, ({ before, after }) => isLetter(before) && isLetter(after)],
  ["’‘´", -2.5, ({ before, after }) => !(isLetter(before) && isLetter(after))],
  [
    "„“”«»‚‹›",
    -3,
    ({ before, after }) => !(isLetter(before) && isLetter(after)) && !isQuote(before) && !isQuote(after),
  ],
  ["–—…•", -3, ({ before, after }) => !(isLetter(before) && isLetter(after))],
  ["°", -2, ({ before, after }) => /^(?:[\dNn ]|)$/.test(before) && !/^[a-bd-z]$/.test(after)],
  ["ºª", -3, ({ before, after }) => /^[\dNnºª.]$/.test(before) && !isLetter(after)],
  ["²³", -2.5, ({ before, after }) => /^[a-z\d]$/i.test(before) && !isLetter(after)],
  ["½¼¾", -3, ({ before, after }) => !isLetter(before) && !isLetter(after)],
  ["€£", -2, ({ before, after }) => !(isLetter(before) || isLetter(after))],
  ["Ø", -3, ({ before, after }) => !isLetter(before) && /^(?:[\d ]|)$/.test(after)],
  ["×±§µ·", -4, ({ before, after }) => !(isLetter(before) && isLetter(after))],
  ["®™©", -4, ({ after }) => !isLetter(after)],
  ["¿¡", -3, ({ before, after }) => !isLetter(before) && isLetter(after)],
  ["\u00a0", -2.5, () => true],
];
const signs = new Set(symbolPlaces.flatMap(([some]) => [...some]));

/** How likely a character is at its place in a text of this language, as a natural logarithm. */
export function oddsOf(place: Placed, language: Language): number {
  const { character, before, after } = place;
  if (signs.has(character)) {
    const fitting = symbolPlaces.find(([some, , fits]) => some.includes(character) && fits(place));
    if (fitting !== undefined) return fitting[1];
  }
  if (!isLetter(character)) return signs.has(character) ? symbolOutOfPlaceOdds : neverOdds;
  const hasNeighbour = isLetter(before) || isLetter(after);
  const context = (hasNeighbour ? 0 : loneOdds) + caseOdds(place);
  if (!/^\p{Script=Latin}$/u.test(character)) {
    const isMixed = [before, after].some((other) => /^[a-z]$/i.test(other));
    return otherScriptOdds + context + (isMixed ? scriptsMixedOdds : 0);
  }
  const small = character.toLowerCase();
  const others = neighbouringLetters.includes(small) ? neighbouringOdds : otherLatinOdds;
  const letter = oddsByLanguage.get(language)?.get(small) ?? others;
  const isAdjacent = before !== "" && before > "\u007f" && isLetter(before);
  return (
    letter +
    context +
    (isCapital(character) ? capitalOdds : 0) +
    (isAdjacent ? adjacentOdds[language] : 0) +
    (isUnusual(small, before, after) ? unusualPlaceOdds : 0)
  );
}

function caseOdds({ character, before, after }: Placed): number {
  if (isCapital(character) && isLetter(before) && isSmall(before)) return wrongCaseOdds;
  const isAmongCapitals = isLetter(before) && isLetter(after) && !isSmall(before) && !isSmall(after);
  return isAmongCapitals && isSmall(character) && character !== "ß" ? wrongCaseOdds : 0;
}

/** Whether a letter is unusual at its place. These spelling rules distinguish letters with the same byte. */
function isUnusual(letter: string, before: string, after: string): boolean {
  if (letter === "ß") return !/^[aeiouyäöü]$/i.test(before);
  if (letter === "ñ") return !isVowel(after);
  if ("ńśźć".includes(letter)) return isVowel(after);
  if ("ąęy".includes(letter)) return !isLetter(before);
  return "áàâä".includes(letter) && /^[aeo]$/i.test(before);
}
