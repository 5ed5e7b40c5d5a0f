import { type Language, languages } from "../../../messages/languages.ts";
import { decode, type Encoding, foreignEncodings, latinEncodings } from "../encoding.ts";
import { isKnownWord, languageOdds, wordsIn } from "./known-words.ts";
import { oddsOf, symbolOutOfPlaceOdds } from "./letter-odds.ts";
import type { OddWords } from "./odd-words.ts";

/** How usual an encoding is, as a natural logarithm: it decides where the words speak for two alike. */
const usualness: Readonly<Partial<Record<Encoding, number>>> = {
  ...{ "windows-1252": 0, "windows-1250": -1, cp850: -2, "iso-8859-2": -2.5, "iso-8859-15": -3, macintosh: -3 },
  ...{ cp852: -3, cp437: -3.5, "windows-1251": -4, "windows-1254": -4, "windows-1253": -5, "koi8-r": -6, cp866: -6 },
  "iso-8859-5": -7,
};
const byUsualness = [...latinEncodings, ...foreignEncodings].toSorted(
  (one, other) => (usualness[other] ?? 0) - (usualness[one] ?? 0),
);
const knownWordOdds = 6;
const mostKnownWords = 5;

export interface Candidate {
  readonly encoding: Encoding;
  /** From 0 to 1, among all candidates. */
  readonly certainty: number;
  /** Mean odds of one character. */
  readonly fit: number;
  /** The words as this encoding reads them. */
  readonly words: readonly string[];
  /** Of the best: a word that makes no sense in it and does in another; null where there is none. */
  readonly contradicting: string | null;
}

interface Scored extends Omit<Candidate, "certainty" | "contradicting"> {
  readonly score: number;
  readonly language: Language;
  /** What it makes of the bytes of this file: encodings that agree in all of them are one. */
  readonly reading: string;
}

/** The readings of a file's words in every encoding that has all its bytes, best first. */
export function candidatesFor(odd: OddWords, start: string): Candidate[] {
  const byLanguage = languageOdds(start);
  const scored: Scored[] = [];
  const usedBytes = [...odd.used.entries()].flatMap(([byte, isUsed]) => (isUsed === 0 ? [] : [byte]));
  const readings = new Set<string>();
  for (const encoding of byUsualness) {
    const characters = charactersOf(encoding);
    const reading = usedBytes.map((byte) => characters[byte] ?? "").join("");
    // One that agrees with a more usual one in all bytes is the same, and would only be scored twice.
    if (readings.has(reading) || /[\ufffd\u0080-\u009f]/.test(reading)) continue;
    readings.add(reading);
    const words = odd.words.map((word) => [...word].map((one) => characters[one.charCodeAt(0)] ?? one).join(""));
    const known = Math.min(mostKnownWords, words.flatMap(wordsIn).filter(isOddAndKnown).length) * knownWordOdds;
    const { sums, count } = oddsOfWords(words);
    const best = languages
      .map((language, index) => ({ language, sum: sums[index] ?? 0, count, more: byLanguage.get(language) ?? 0 }))
      .reduce((one, other) => (other.sum + other.more > one.sum + one.more ? other : one));
    const score = best.sum + best.more + known + (usualness[encoding] ?? 0);
    const fit = best.count === 0 ? -Infinity : (best.sum + known) / best.count;
    scored.push({ encoding, language: best.language, words, reading, score, fit });
  }
  return ranked(scored);
}

const isOddAndKnown = (word: string) => /[^a-z]/.test(word) && isKnownWord(word);

/** The odds of all letters beyond ASCII, in each language. */
function oddsOfWords(words: readonly string[]): { sums: readonly number[]; count: number } {
  const sums = languages.map(() => 0);
  let count = 0;
  for (const word of words) {
    for (let at = 0; at < word.length; at++) {
      const odds = oddsAt(word, at);
      if (odds === null) continue;
      count++;
      for (let language = 0; language < sums.length; language++) {
        sums[language] = (sums[language] ?? 0) + (odds[language] ?? 0);
      }
    }
  }
  return { sums, count };
}

function* oddsIn(word: string, language: Language): Generator<number> {
  const index = languages.indexOf(language);
  for (let at = 0; at < word.length; at++) {
    const odds = oddsAt(word, at)?.[index];
    if (odds !== undefined) yield odds;
  }
}

/** The same letters meet again and again; the bound is for memory only. */
const remembered = new Map<string, readonly number[]>();
const mostRemembered = 3_000;

/** The odds of one letter by language; null for ASCII. */
function oddsAt(word: string, at: number): readonly number[] | null {
  const character = word[at] ?? "";
  if (character < "\u0080") return null;
  const before = word[at - 1] ?? "";
  const after = word[at + 1] ?? "";
  const key = `${character}${before === "" ? "\0" : before}${after}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  if (remembered.size >= mostRemembered) remembered.clear();
  const odds = languages.map((language) => oddsOf({ character, before, after }, language));
  remembered.set(key, odds);
  return odds;
}

function ranked(scored: readonly Scored[]): Candidate[] {
  const distinct: Scored[] = [];
  for (const one of scored.toSorted((a, b) => b.score - a.score)) {
    if (!distinct.some(({ reading }) => reading === one.reading)) distinct.push(one);
  }
  const top = distinct[0]?.score ?? 0;
  const total = distinct.reduce((sum, { score }) => sum + Math.exp(score - top), 0);
  return distinct.map((one, index) => ({
    ...one,
    certainty: Math.exp(one.score - top) / total,
    // Asked of the best only: it takes longer than all the rest.
    contradicting: index === 0 ? contradictingWord(one, distinct) : null,
  }));
}

/** A word with signs in the midst of letters that another encoding reads as a word: two files in one. */
function contradictingWord(one: Scored, all: readonly Scored[]): string | null {
  const isGood = (word: string, language: Language) =>
    /\p{L}{2}/u.test(word) && [...oddsIn(word, language)].every((odds) => odds > -5);
  const index = one.words.findIndex(
    (word, at) =>
      [...oddsIn(word, one.language)].some((odds) => odds <= symbolOutOfPlaceOdds) &&
      all.some((other) => other !== one && isGood(other.words[at] ?? "", other.language)),
  );
  return index < 0 ? null : (one.words[index] ?? null);
}

/** A word by which the reader sees which candidate is right: one that the others read differently. */
export function sampleFor(one: Candidate, all: readonly Candidate[]): string {
  const contradicting = one.contradicting === null ? -1 : one.words.indexOf(one.contradicting);
  const differing = one.words.findIndex((word, at) => all.some((other) => other !== one && other.words[at] !== word));
  const word = one.words[Math.max(0, contradicting >= 0 ? contradicting : differing)] ?? "";
  return word.replace(/^[\p{P}\p{Z}\p{C}\d]+|[\p{P}\p{Z}\p{C}]+$/gu, "").slice(0, 20);
}

const tables = new Map<Encoding, readonly string[]>();

/** The character of each byte. */
function charactersOf(encoding: Encoding): readonly string[] {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const made = Array.from({ length: 256 }, (_, byte) => decode(Buffer.from([byte]), encoding));
  tables.set(encoding, made);
  return made;
}
