import { isUtf8 } from "node:buffer";
import { decode, type Encoding } from "./encoding.ts";

/** Encodings in which UTF-8 is often read by mistake, the most common first. */
const mistaken = ["windows-1252", "cp437", "cp850", "cp852", "macintosh", "windows-1250"] as const;
/** The first byte of a letter in UTF-8: those of Western and Central Europe. */
const leadBytes = [0xc2, 0xc3, 0xc4, 0xc5];

const bytesOf = (encoding: Encoding): ReadonlyMap<string, number> =>
  new Map(Array.from({ length: 128 }, (_, index) => [decode(Buffer.from([index + 128]), encoding), index + 128]));

interface Mistake {
  readonly bytes: ReadonlyMap<string, number>;
}
const mistakes = mistaken.map((encoding): Mistake => ({ bytes: bytesOf(encoding) }));
/** By the character that a first byte becomes: `Ã` in Windows-1252, `├` in code page 437. */
const byLead = new Map<string, Mistake[]>();
for (const mistake of mistakes) {
  for (const [character, byte] of mistake.bytes) {
    if (leadBytes.includes(byte)) byLead.set(character, [...(byLead.get(character) ?? []), mistake]);
  }
}
const leads = [...byLead.keys()].map((lead) => ({ lead, bytes: Buffer.from(lead) }));
const maxLooks = 200;

const isSmallLetter = (text: string) => /^\p{L}$/u.test(text) && text !== text.toUpperCase();

const isCapital = (text: string) => /^\p{Lu}$/u.test(text);

export interface WrittenTwice {
  /** The offset in the bytes. */
  readonly at: number;
  /** As it stands in the text: `Ã¼`. */
  readonly found: string;
  /** `ü`. */
  readonly meant: string;
}

/** UTF-8 that was read in another encoding and written as UTF-8 again: `MÃ¼ller`, `Stra├ƒe`. Null if there is none. */
export function writtenTwice(content: Buffer): WrittenTwice | null {
  for (const { lead, bytes } of leads) {
    let at = content.indexOf(bytes);
    for (let looks = 0; at >= 0 && looks < maxLooks; looks++) {
      const [, second = "", after = ""] = [...content.subarray(at, at + 10).toString()];
      const before = [...content.subarray(Math.max(0, at - 4), at).toString()].at(-1) ?? "";
      const meant = meantBy({ lead, second, before, after });
      if (meant !== null) return { at, found: lead + second, meant };
      at = content.indexOf(bytes, at + bytes.length);
    }
  }
  return null;
}

interface Pair {
  readonly lead: string;
  readonly second: string;
  readonly before: string;
  readonly after: string;
}

function meantBy(pair: Pair): string | null {
  for (const mistake of byLead.get(pair.lead) ?? []) {
    const first = mistake.bytes.get(pair.lead);
    const second = mistake.bytes.get(pair.second);
    if (first === undefined || second === undefined) continue;
    const once = Buffer.from([first, second]);
    const meant = isUtf8(once) ? once.toString() : "";
    if (/^[\p{L}°²³µ§«»]$/u.test(meant) && isNoText(pair)) return meant;
  }
  return null;
}

/**
 * Whether no text has this pair. `Ã¼` and `├╝` never occur, but capitals may stand before a sign: `AMANHÃ“`. Other first
 * characters are used: `ENSIMMÄ…` ends with an ellipsis, and `Ăştia` is Romanian.
 */
function isNoText({ lead, second, before, after }: Pair): boolean {
  if ("├┬┼".includes(lead)) return true;
  if ("şŞ".includes(second)) return isSmallLetter(before);
  const isSign = /[\p{Z}\p{P}]/u.test(second);
  if ("ÃÂ".includes(lead)) return !(isSign && isCapital(before) && !/\p{L}/u.test(after));
  return isSmallLetter(before) || (isSmallLetter(after) && !isSign);
}
