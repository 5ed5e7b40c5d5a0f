import { isUtf8 } from "node:buffer";
import { type Message, say } from "../../messages/message.ts";
import { decode, type Encoding } from "./encoding.ts";

const replacement = "\ufffd";
const sampleLength = 24;

/** Why bytes that claim to be Unicode cannot be used; null if they can. */
export function unicodeFlaw(bytes: Buffer, encoding: Encoding, markLength: number): Message | null {
  const content = bytes.subarray(markLength);
  if (encoding === "utf-8") {
    if (!isUtf8(content)) return invalidAt(content, firstInvalid(content), encoding);
    const lost = content.indexOf(replacement);
    if (lost >= 0) return lostLetter(content.subarray(0, lost), shown(content, lost));
    return writtenTwice(content);
  }
  const text = decode(bytes, encoding, markLength);
  if (content.length % 2 !== 0) return invalidAt(Buffer.from(text), Buffer.byteLength(text), encoding);
  if (!text.isWellFormed()) {
    const at = [...text].findIndex((character) => !character.isWellFormed());
    return invalidAt(Buffer.from(text), Buffer.byteLength([...text].slice(0, at).join("")), encoding);
  }
  const lost = text.indexOf(replacement);
  return lost < 0 ? null : lostLetter(Buffer.from(text.slice(0, lost)), text.slice(Math.max(0, lost - 10), lost + 12));
}

/** An earlier program could not decode a letter, and the letter is lost. */
export const lostLetter = (before: Buffer, sample: string): Message =>
  say("files.encoding.lost-letter", { row: rowOf(before, before.length), sample: oneLine(sample) });

const invalidAt = (content: Buffer, at: number, encoding: Encoding): Message =>
  say("files.encoding.invalid", { encoding, row: rowOf(content, at), sample: shown(content, at) });

/** Binary search: if a prefix is valid, the first error is behind it. */
function firstInvalid(content: Buffer): number {
  let good = 0;
  let bad = content.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    // A character that is only cut at the middle is not an error.
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

export function rowOf(content: Buffer, at: number): number {
  let row = 1;
  for (let found = content.indexOf(10); found >= 0 && found < at; found = content.indexOf(10, found + 1)) row++;
  return row;
}

/** The text around an offset, with bytes that are not text as dots. */
function shown(content: Buffer, at: number): string {
  const lineStart = Math.max(content.lastIndexOf(10, Math.max(0, at - 1)) + 1, at - sampleLength / 2);
  const text = content.subarray(lineStart, at + sampleLength / 2).toString();
  return oneLine(text);
}

const oneLine = (text: string) =>
  (text.split(/[\r\n]/).find((part) => part.trim() !== "") ?? "").replaceAll(replacement, "·");

const twiceLead = [Buffer.from("Ã"), Buffer.from("Â")];
const maxLooks = 200;

/** UTF-8 decoded as Windows-1252 and encoded as UTF-8 again: `MÃ¼ller`. */
function writtenTwice(content: Buffer): Message | null {
  for (const lead of twiceLead) {
    let at = content.indexOf(lead);
    for (let looks = 0; at >= 0 && looks < maxLooks; looks++) {
      const found = content
        .subarray(at, at + 5)
        .toString()
        .slice(0, 2);
      const meant = readIdempotencyRecord(found);
      if (meant !== null) {
        const row = rowOf(content, at);
        return say("files.encoding.twice", { row, sample: shown(content, at), found, meant });
      }
      at = content.indexOf(lead, at + lead.length);
    }
  }
  return null;
}

const windows1252 = new Map(
  Array.from({ length: 128 }, (_, index) => [decode(Buffer.from([index + 128]), "windows-1252"), index + 128]),
);

function readIdempotencyRecord(pair: string): string | null {
  const bytes = [...pair].map((character) => windows1252.get(character));
  if (bytes.length !== 2 || bytes.includes(undefined)) return null;
  // None of them is undefined, as checked above.
  const once = Buffer.from(bytes as number[]);
  const meant = isUtf8(once) ? once.toString() : "";
  return /^[\p{L}°²³µ§«»]$/u.test(meant) ? meant : null;
}
