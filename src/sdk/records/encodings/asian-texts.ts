import { decode, type Encoding, wideEncodings } from "../encoding.ts";

const sampleLength = 1 << 14;
const letters = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const syllables = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
/** Single bytes of Shift-JIS: any text of another encoding is full of them. */
const halfWidth = /[\uff61-\uff9f]/g;
/** In Latin files pairs of bytes make single letters by chance; three in a row are meant. */
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{3}/u;

/** Encodings of East Asia in which the start of a file is a text of such letters, with a sample; the likeliest first. */
export function asianTexts(bytes: Buffer): { encoding: Encoding; sample: string }[] {
  const start = bytes.subarray(0, sampleLength);
  const oddCount = start.reduce((count, byte) => count + (byte > 127 ? 1 : 0), 0);
  return wideEncodings
    .map((encoding) => {
      const text = decode(start, encoding).replace(halfWidth, "");
      const found = text.match(letters) ?? [];
      const kana = (text.match(syllables) ?? []).length;
      // The sample may end in the midst of a character.
      const isText = !text.slice(0, -2).includes("\ufffd") && found.length >= oddCount / 3 && word.test(text);
      return { encoding, sample: found.slice(0, 8).join(""), weight: isText ? found.length + 2 * kana : 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight);
}
