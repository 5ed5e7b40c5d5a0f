import { isAscii, isUtf8 } from "node:buffer";
import { type Message, say } from "../../messages/message.ts";
import { type Candidate, candidatesFor, oddWords, sampleFor } from "./candidates.ts";
import {
  asBuffer,
  byteOrderMark,
  decode,
  type Encoding,
  foreignEncodings,
  latinEncodings,
  wideEncodings,
} from "./encoding.ts";
import { utf7Flaw } from "./utf7.ts";
import { writtenTwice } from "./written-twice.ts";

/** Below this probability a file is refused, and a person must name its encoding. */
const leastCertainty = 0.95;
/** The least mean odds of one letter, as a natural logarithm: below this, even the best candidate is not plausible. */
const leastFit = -6.5;
/** Above this, a candidate is accepted even if its bytes could also be East Asian letters. */
const goodFit = -3.5;
const shownCandidates = 4;

export type FoundEncoding =
  | { readonly encoding: Encoding; readonly markLength: number; readonly certainty: number }
  | { readonly refusal: Message };

/**
 * Finds the encoding of a file: by its byte order mark, the setting, UTF-8 if valid, otherwise the most likely one by
 * its words.
 */
export function findEncoding(given: Uint8Array, fixed: Encoding | undefined): FoundEncoding {
  const bytes = asBuffer(given);
  const mark = byteOrderMark(bytes);
  if (mark !== null) return checked(bytes, mark.encoding, mark.length);
  if (fixed !== undefined) return checked(bytes, isSingleByte(fixed) && isUtf8(bytes) ? "utf-8" : fixed, 0);
  const wide = utf16Of(bytes);
  if (wide !== null) return checked(bytes, wide, 0);
  if (isAscii(bytes)) return asciiOrUtf7(utf7Flaw(bytes));
  return isUtf8(bytes) ? checked(bytes, "utf-8", 0) : byWords(bytes);
}

/** Most files in ASCII are what they seem; only UTF-7 looks like it. */
export const asciiOrUtf7 = (flaw: Message | null): FoundEncoding =>
  flaw === null ? { encoding: "utf-8", markLength: 0, certainty: 1 } : { refusal: flaw };

/**
 * Whether an encoding has one byte per character. Such text is almost never valid UTF-8 by chance: if it is, the
 * setting is outdated.
 */
export const isSingleByte = (encoding: Encoding) =>
  ([...latinEncodings, ...foreignEncodings] as readonly Encoding[]).includes(encoding);

/** Uses the encoding of the byte order mark or the setting, unless the bytes contradict it. */
export function checked(bytes: Buffer, encoding: Encoding, markLength: number): FoundEncoding {
  if (encoding === "utf-8" || encoding === "utf-16le" || encoding === "utf-16be") {
    const flaw = unicodeFlaw(bytes, encoding, markLength);
    return flaw === null ? { encoding, markLength, certainty: 1 } : { refusal: flaw };
  }
  const text = undecodable(bytes, encoding);
  if (text === null) return { encoding, markLength, certainty: 1 };
  return { refusal: say("files.encoding.invalid", { encoding, ...text }) };
}

/** The first bytes that have no character in the encoding. */
function undecodable(bytes: Buffer, encoding: Encoding): { row: number; sample: string } | null {
  const text = decode(bytes, encoding);
  const at = text.search(/[\ufffd\u0080-\u009f]/);
  if (at < 0) return null;
  const before = text.slice(0, at);
  const line = text.slice(before.lastIndexOf("\n") + 1, at + 10).split(/[\r\n]/)[0] ?? "";
  return { row: before.split("\n").length, sample: line.slice(-24).replace(/[\ufffd\u0080-\u009f]/g, "·") };
}

/** Detects UTF-16 without a byte order mark: in our languages every other byte is zero. */
export function utf16Of(bytes: Buffer): "utf-16le" | "utf-16be" | null {
  const start = bytes.subarray(0, 4_096);
  const zeros = [0, 0];
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const least = start.length / 5;
  if (odd > least && even * 20 < odd) return "utf-16le";
  return even > least && odd * 20 < even ? "utf-16be" : null;
}

export function byWords(bytes: Buffer): FoundEncoding {
  const candidates = candidatesFor(oddWords(bytes), bytes.toString("latin1", 0, 4_096));
  const [best] = candidates;
  const isGood = best !== undefined && best.fit >= goodFit;
  const asian = isGood && isCommon(best) ? [] : asianTexts(bytes);
  const isPlausible = best !== undefined && best.fit >= leastFit;
  if (isPlausible && isLatin(best.encoding)) {
    const mixed = mixedUtf8(bytes, best.encoding);
    if (mixed !== null) return { refusal: mixed };
    if (asian.length === 0 && best.certainty >= leastCertainty && best.contradicting === null) {
      return { encoding: best.encoding, markLength: 0, certainty: best.certainty };
    }
  }
  const bySingleBytes = candidates.map((one) => ({ encoding: one.encoding, sample: sampleFor(one, candidates) }));
  const texts = [...(isGood ? bySingleBytes.slice(0, 1) : []), ...asian, ...bySingleBytes.slice(isGood ? 1 : 0)]
    .slice(0, shownCandidates)
    .map(({ encoding, sample }) => `${encoding} (${sample})`);
  return { refusal: say("files.encoding.unsure", { candidates: texts.join(", ") }) };
}

// The list's type has only known names; includes() accepts no other text.
const isLatin = (encoding: Candidate["encoding"]) => (latinEncodings as readonly Encoding[]).includes(encoding);

/** Whether East Asian letters can be ruled out: such text is read as rare encodings, or as words of symbols. */
const isCommon = ({ encoding, words }: Candidate): boolean =>
  (encoding === "windows-1252" || encoding === "windows-1250") && !words.some(isMostlySymbols);
const isMostlySymbols = (text: string): boolean =>
  (text.match(/[^\p{L}\p{ASCII}]|\p{Lm}/gu) ?? []).length > (text.match(/\p{L}/gu) ?? []).length / 2;

const utf8Letters = /[äöüÄÖÜßéèêàçùôîâûëïœóáíñúłąężśćńźŁĄĘŻŚĆŃŹÉÈÀÇÓ]/;
const utf8Sequence = /[\u00c3-\u00c5][\u0080-\u00bf]/g;

/** Detects two concatenated files: some letters are UTF-8, others are not. */
function mixedUtf8(bytes: Buffer, other: Encoding): Message | null {
  const text = bytes.toString("latin1");
  for (const match of text.matchAll(utf8Sequence)) {
    const letter = Buffer.from(match[0], "latin1").toString();
    if (!utf8Letters.test(letter)) continue;
    const row = rowOf(bytes, match.index);
    const otherAt = text.replace(utf8Sequence, "  ").search(/[\u0080-\u00ff]/);
    return say("files.encoding.mixed", { row, sample: letter, otherRow: rowOf(bytes, Math.max(0, otherAt)), other });
  }
  return null;
}

const sampleLength = 1 << 14;
const letters = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const syllables = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
/** Single bytes of Shift-JIS: text of any other encoding contains many of them. */
const halfWidth = /[\uff61-\uff9f]/g;
/**
 * In Latin files, pairs of bytes form single East Asian letters by chance. Three in a row are no accident, nor are two
 * without a Latin letter beside them.
 */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{3}|(?<![a-z])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2}(?![a-z])/iu;

/** East Asian encodings in which the start of a file is plausible text, with a sample; the most likely first. */
function asianTexts(bytes: Buffer): { encoding: Encoding; sample: string }[] {
  const start = bytes.subarray(0, sampleLength);
  const oddCount = start.reduce((count, byte) => count + (byte > 127 ? 1 : 0), 0);
  return wideEncodings
    .map((encoding) => {
      const text = decode(start, encoding).replace(halfWidth, "");
      const found = text.match(letters) ?? [];
      const kana = (text.match(syllables) ?? []).length;
      // The sample may end within a character.
      const isText = !text.slice(0, -2).includes("\ufffd") && found.length >= oddCount / 3 && word.test(text);
      return { encoding, sample: found.slice(0, 8).join(""), weight: isText ? found.length + 2 * kana : 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight);
}

const replacement = "\ufffd";
const shownLength = 24;

/** Why bytes that claim to be Unicode cannot be used; null if they can. */
function unicodeFlaw(bytes: Buffer, encoding: Encoding, markLength: number): Message | null {
  const content = bytes.subarray(markLength);
  if (encoding === "utf-8") {
    if (!isUtf8(content)) return invalidAt(content, firstInvalid(content), encoding);
    const lost = content.indexOf(replacement);
    if (lost >= 0) return lostLetter(content.subarray(0, lost), shown(content, lost));
    return twiceFlaw(content);
  }
  const text = decode(bytes, encoding, markLength);
  if (content.length % 2 !== 0) return invalidAt(Buffer.from(text), Buffer.byteLength(text), encoding);
  if (!text.isWellFormed()) {
    const at = [...text].findIndex((character) => !character.isWellFormed());
    return invalidAt(Buffer.from(text), Buffer.byteLength([...text].slice(0, at).join("")), encoding);
  }
  const lost = text.indexOf(replacement);
  if (lost < 0) return twiceFlaw(Buffer.from(text));
  return lostLetter(Buffer.from(text.slice(0, lost)), text.slice(Math.max(0, lost - 10), lost + 12));
}

/** The problem of a letter that an earlier program could not decode: the letter is lost. */
export const lostLetter = (before: Buffer, sample: string): Message =>
  say("files.encoding.lost-letter", { row: rowOf(before, before.length), sample: oneLine(sample) });

const invalidAt = (content: Buffer, at: number, encoding: Encoding): Message =>
  say("files.encoding.invalid", { encoding, row: rowOf(content, at), sample: shown(content, at) });

/** Finds the first invalid byte by binary search: if a prefix is valid, the first error is after it. */
function firstInvalid(content: Buffer): number {
  let good = 0;
  let bad = content.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    // A character that is only split at the middle is not an error.
    if (isUtf8(content.subarray(good, wholeEnd(content, middle)))) good = Math.max(good + 1, wholeEnd(content, middle));
    else bad = middle;
  }
  return Math.min(good, content.length - 1);
}

/** The start of the character at an offset. */
function wholeEnd(content: Buffer, at: number): number {
  let end = at;
  while (end > 0 && at - end < 3 && ((content[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

function rowOf(content: Buffer, at: number): number {
  let row = 1;
  for (let found = content.indexOf(10); found >= 0 && found < at; found = content.indexOf(10, found + 1)) row++;
  return row;
}

/** The text around an offset, with bytes that are not text as dots. */
function shown(content: Buffer, at: number): string {
  const lineStart = Math.max(content.lastIndexOf(10, Math.max(0, at - 1)) + 1, at - shownLength / 2);
  const text = content.subarray(lineStart, at + shownLength / 2).toString();
  return oneLine(text);
}

const oneLine = (text: string) =>
  (text.split(/[\r\n]/).find((part) => part.trim() !== "") ?? "").replaceAll(replacement, "·");

/** The refusal of UTF-8 that was written twice; null if it was not. */
function twiceFlaw(content: Buffer): Message | null {
  const twice = writtenTwice(content);
  if (twice === null) return null;
  const { at, found, meant } = twice;
  return say("files.encoding.twice", { row: rowOf(content, at), sample: shown(content, at), found, meant });
}
