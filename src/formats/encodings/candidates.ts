import { languages } from "../../messages/languages.ts";
import { decode, type Encoding, foreignEncodings, latinEncodings } from "./encoding.ts";
import { isOddAndKnown, languageOdds, wordsIn } from "./known-words.ts";
import { oddsOf, symbolOutOfPlaceOdds } from "./letter-odds.ts";
import { neighbours, type TextLanguage } from "./letter-tables.ts";

/** The evidence for a file's encoding: every non-ASCII byte it uses, and words with such bytes. */
interface OddWords {
  /** Per byte: whether the file contains it. */
  readonly used: Uint8Array;
  /** Distinct words, one Latin-1 character per byte, with one character of context on either side. */
  readonly words: readonly string[];
}

const maxWords = 150;
const maxWordLength = 48;

const isWordByte = (byte: number) =>
  byte > 127 || (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x27;

/** Collects the evidence from the whole file: the one letter that decides may be in its last row. */
export function oddWords(bytes: Buffer): OddWords {
  const used = new Uint8Array(256);
  const words = new Set<string>();
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 128) continue;
    used[byte] = 1;
    if (words.size >= maxWords) continue;
    const start = wordStart(bytes, at);
    const end = wordEnd(bytes, at);
    for (let inWord = at; inWord < end; inWord++) used[bytes[inWord] ?? 0] = 1;
    words.add(bytes.toString("latin1", Math.max(0, start - 1), Math.min(bytes.length, end + 1)));
    at = end - 1;
  }
  return { used: used.fill(0, 0, 128), words: [...words] };
}

function wordStart(bytes: Buffer, at: number): number {
  const first = Math.max(0, at - maxWordLength);
  let start = at;
  while (start > first && isWordByte(bytes[start - 1] ?? 0)) start--;
  return start;
}

function wordEnd(bytes: Buffer, at: number): number {
  const last = Math.min(bytes.length, at + maxWordLength);
  let end = at + 1;
  while (end < last && isWordByte(bytes[end] ?? 0)) end++;
  return end;
}

/** The seven languages first, then those that are only recognised. */
const textLanguages: readonly TextLanguage[] = [...languages, ...neighbours];
/** How much rarer files in one of the other languages are, as a natural logarithm. */
const neighbourOdds = -2;
const baseOdds = textLanguages.map((_, index) => (index < languages.length ? 0 : neighbourOdds));

/** How common an encoding is, as a natural logarithm: this decides when two encodings fit equally well. */
const usualness: Readonly<Partial<Record<Encoding, number>>> = {
  ...{ "windows-1252": 0, "windows-1250": -1, cp850: -2, "iso-8859-2": -2.5, "iso-8859-15": -3, macintosh: -3 },
  ...{ cp852: -3, cp437: -3.5, "windows-1251": -4, "windows-1254": -4, "windows-1253": -5, "koi8-r": -6, cp866: -6 },
  ...{ "iso-8859-5": -7, "windows-1257": -3.5, maccenteuro: -5 },
};
const byUsualness = [...latinEncodings, ...foreignEncodings].toSorted(
  (one, other) => (usualness[other] ?? 0) - (usualness[one] ?? 0),
);
const knownWordOdds = 6;
const mostKnownWords = 5;

export interface Candidate {
  readonly encoding: Encoding;
  /** Its probability among all candidates, from 0 to 1. */
  readonly certainty: number;
  /** Mean odds of one character. */
  readonly fit: number;
  /** The words as decoded by this encoding. */
  readonly words: readonly string[];
  /** Set only for the best candidate: a word that makes no sense in it but does in another; null if there is none. */
  readonly contradicting: string | null;
}

interface Scored extends Omit<Candidate, "certainty" | "contradicting"> {
  readonly score: number;
  readonly language: TextLanguage;
  /** The decoded bytes of this file: encodings that agree on all of them count as one. */
  readonly reading: string;
}

/** The file's words in every encoding that has all its bytes, best first. */
export function candidatesFor(odd: OddWords, start: string): Candidate[] {
  const byLanguage = languageOdds(start);
  const scored: Scored[] = [];
  const usedBytes = [...odd.used.entries()].flatMap(([byte, isUsed]) => (isUsed === 0 ? [] : [byte]));
  const readings = new Set<string>();
  for (const encoding of byUsualness) {
    const characters = charactersOf(encoding);
    const reading = usedBytes.map((byte) => characters[byte] ?? "").join("");
    // An encoding that decodes all these bytes like a more common one would only be scored twice.
    if (readings.has(reading) || /[\ufffd\u0080-\u009f]/.test(reading)) continue;
    readings.add(reading);
    const words = odd.words.map((word) => [...word].map((one) => characters[one.charCodeAt(0)] ?? one).join(""));
    const known = Math.min(mostKnownWords, words.flatMap(wordsIn).filter(isOddAndKnown).length) * knownWordOdds;
    const { sums, count } = oddsOfWords(words);
    const best = textLanguages
      .map((language, index) => {
        const more = (byLanguage.get(language) ?? 0) + (baseOdds[index] ?? 0);
        return { language, sum: sums[index] ?? 0, count, more };
      })
      .reduce((one, other) => (other.sum + other.more > one.sum + one.more ? other : one));
    const lonely = lonelyQuotes(reading) * lonelyQuoteOdds;
    const score = best.sum + best.more + known + lonely + (usualness[encoding] ?? 0);
    const fit = best.count === 0 ? -Infinity : (best.sum + known) / best.count;
    scored.push({ encoding, language: best.language, words, reading, score, fit });
  }
  return ranked(scored);
}

/** Quotation marks and those of which one is used with it. */
const quotePairs = ["«»", "»«", "‹›", "›‹", "„“”", "“”„", "‚‘’", "‘’‚"];
const lonelyQuoteOdds = -4;

/** How many kinds of quotation marks only open or only close. */
const lonelyQuotes = (reading: string): number =>
  quotePairs.filter(
    ([one = "", ...others]) => reading.includes(one) && !others.some((other) => reading.includes(other)),
  ).length;

/** The odds of all non-ASCII letters, in each language. */
function oddsOfWords(words: readonly string[]): { sums: readonly number[]; count: number } {
  const sums = textLanguages.map(() => 0);
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

function* oddsIn(word: string, language: TextLanguage): Generator<number> {
  const index = textLanguages.indexOf(language);
  for (let at = 0; at < word.length; at++) {
    const odds = oddsAt(word, at)?.[index];
    if (odds !== undefined) yield odds;
  }
}

/** A cache, because the same letters repeat often. The limit only bounds its memory. */
const remembered = new Map<string, readonly number[]>();
const mostRemembered = 3_000;

/** The odds of one letter by language; null for ASCII. */
function oddsAt(word: string, at: number): readonly number[] | null {
  const character = word[at] ?? "";
  if (character < "\u0080") return null;
  const before = word[at - 1] ?? "";
  const after = word[at + 1] ?? "";
  const earlier = character === "’" ? (word[at - 2] ?? "") : "";
  const key = `${character}${before === "" ? "\0" : before}${after}\0${earlier}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  if (remembered.size >= mostRemembered) remembered.clear();
  const odds = textLanguages.map((language) => oddsOf({ earlier, character, before, after }, language));
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
    // Only for the best candidate, because this takes longer than everything else.
    contradicting: index === 0 ? contradictingWord(one, distinct) : null,
  }));
}

/** A word with symbols between letters that another encoding decodes as a word: then the file consists of two files. */
function contradictingWord(one: Scored, all: readonly Scored[]): string | null {
  const isGood = (word: string, language: TextLanguage) =>
    /\p{L}{2}/u.test(word) && [...oddsIn(word, language)].every((odds) => odds > -5);
  const index = one.words.findIndex(
    (word, at) =>
      [...oddsIn(word, one.language)].some((odds) => odds <= symbolOutOfPlaceOdds) &&
      all.some((other) => other !== one && isGood(other.words[at] ?? "", other.language)),
  );
  return index < 0 ? null : (one.words[index] ?? null);
}

/** A sample for a person to see which candidate is right: a word that the other candidates decode differently. */
export function sampleFor(one: Candidate, all: readonly Candidate[]): string {
  const contradicting = one.contradicting === null ? -1 : one.words.indexOf(one.contradicting);
  const differing = one.words.findIndex((word, at) => all.some((other) => other !== one && other.words[at] !== word));
  const word = one.words[Math.max(0, contradicting >= 0 ? contradicting : differing)] ?? "";
  return word.replace(/^[\p{P}\p{Z}\p{C}\d]+|[\p{P}\p{Z}\p{C}]+$/gu, "").slice(0, 20);
}

const tables = new Map<Encoding, readonly string[]>();

/** The character for each byte. */
function charactersOf(encoding: Encoding): readonly string[] {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const made = Array.from({ length: 256 }, (_, byte) => decode(Buffer.from([byte]), encoding));
  tables.set(encoding, made);
  return made;
}
