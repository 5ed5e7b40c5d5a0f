import { alphabets, isUnusual, type TextLanguage } from "./letter-tables.ts";

const tierOdds = [-1.7, -3.2, -5.5];
/** Two such letters side by side: common in Polish, rare elsewhere, and usual when the word is in another script. */
const adjacentOdds: Readonly<Partial<Record<TextLanguage, number>>> = {
  ...{ en: -6, de: -3, fr: -3.5, it: -6, es: -6, nl: -5, pl: -1.5 },
};
const usualAdjacentOdds = -1.5;

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
  Object.entries(alphabets).map(([language, tiers]) => [
    language,
    new Map(tiers.flatMap((letters, tier) => [...letters].map((one) => [one, tierOdds[tier] ?? 0]))),
  ]),
);

const isLetter = (text: string) => /^\p{L}$/u.test(text);
const isQuote = (text: string) => text !== "" && "„“”«»‚‹›".includes(text);
const isCapital = (text: string) => text !== text.toLowerCase();
const isSmallLetter = (text: string) => isLetter(text) && isSmall(text);
const isSmall = (text: string) => text !== text.toUpperCase();

/** One non-ASCII character with its neighbours; the empty text at the ends. */
interface Placed {
  /** The character before the one before, if it matters. */
  readonly earlier?: string;
  readonly character: string;
  readonly before: string;
  readonly after: string;
}

/** An apostrophe as in `l’eau`, `qu’une` and `dell’olio`; in `Vac’a` it is the í of another encoding. */
function isElision({ earlier = "", before, after }: Placed): boolean {
  if (!/^[aeiouyhàâéèêîôûœ]$/i.test(after)) return false;
  return isLetter(earlier) ? /^(?:ll|tt|st|nt|un|qu)$/i.test(earlier + before) : /^[cdjlmnst]$/i.test(before);
}

/** Beside another non-ASCII character that is no letter: signs in a row are rarely meant. */
const isAmongSigns = ({ before, after }: Placed) =>
  [before, after].some((other) => other > "\u007f" && !isLetter(other) && !isQuote(other));

/** The usual places of symbols; elsewhere they make a candidate less likely. */
const symbolPlaces: readonly (readonly [signs: string, odds: number, fits: (place: Placed) => boolean])[] = [
  ["’", -1, (place) => isElision(place)],
  // As in `Men’s`.
  ["’", -3.5, ({ before, after }) => isLetter(before) && /^[dlmrstv]$/i.test(after)],
  ["’", -5, ({ before, after }) => isLetter(before) && isLetter(after)],
  ["‘”", -5, ({ before, after }) => !isLetter(before) && isLetter(after)],
  ["’‘", -2.5, ({ before, after }) => !(isLetter(before) && isLetter(after))],
  ["´", -2.5, ({ after }) => !isLetter(after)],
  [
    "„“”«»‚‹›",
    -3,
    ({ before, after }) => !(isLetter(before) && isLetter(after)) && !isQuote(before) && !isQuote(after),
  ],
  ["–—", -7, ({ before, after }) => isLetter(before) !== isLetter(after)],
  ["–—…•", -3, (place) => !(isLetter(place.before) && isLetter(place.after)) && !isAmongSigns(place)],
  ["°", -2, ({ before, after }) => /^(?:[\dNn ]|)$/.test(before) && !/^[a-bd-zABDEG-JL-Z]$/.test(after)],
  ["ºª", -3, ({ before, after }) => /^[\dNnºª.]$/.test(before) && !isLetter(after)],
  // Of metres, feet, inches, yards and seconds.
  ["²³", -2.5, ({ before, after }) => /^[mtnds\d]$/i.test(before) && !isLetter(after)],
  ["½¼¾", -3, ({ before, after }) => !isLetter(before) && !isLetter(after)],
  ["€£", -2, ({ before, after }) => !(isLetter(before) || isLetter(after))],
  ["Ø", -3, ({ before, after }) => !isLetter(before) && /^(?:[\d ]|)$/.test(after)],
  ["§", -4, ({ before, after }) => !isLetter(before) && !isLetter(after)],
  ["×±·", -4, (place) => !(isLetter(place.before) && isLetter(place.after)) && !isAmongSigns(place)],
  ["µ", -4, ({ before, after }) => !isLetter(before) && /^[mgslFAHVWC]$/.test(after)],
  ["®™", -4, ({ after }) => !isLetter(after)],
  ["©", -4, ({ before, after }) => !isLetter(before) && !isLetter(after)],
  ["¿¡", -3, ({ before, after }) => !isLetter(before) && isLetter(after)],
  ["\u00a0", -2.5, ({ before, after }) => !(isLetter(before) && isLetter(after))],
  ["\u00a0", -4, () => true],
];
const signs = new Set(symbolPlaces.flatMap(([some]) => [...some]));

/** How likely a character is at its place in a text of this language, as a natural logarithm. */
export function oddsOf(place: Placed, language: TextLanguage): number {
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
  // Dutch: één, vóór, dáár.
  const isDoubled = language === "nl" && before.toLowerCase() === small;
  return (
    letter +
    context +
    (isCapital(character) ? capitalOdds : 0) +
    (isAdjacent && !isDoubled ? (adjacentOdds[language] ?? usualAdjacentOdds) : 0) +
    (isUnusual(small, before, after, language) ? unusualPlaceOdds : 0)
  );
}

function caseOdds({ character, before, after }: Placed): number {
  // As in `rÄr`, and in `RÄr`.
  if (isCapital(character) && isLetter(before) && (isSmall(before) || isSmallLetter(after))) return wrongCaseOdds;
  const isAmongCapitals = isLetter(before) && isLetter(after) && !isSmall(before) && !isSmall(after);
  return isAmongCapitals && isSmall(character) && character !== "ß" ? wrongCaseOdds : 0;
}
