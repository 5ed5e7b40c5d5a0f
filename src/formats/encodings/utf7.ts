import { type Message, say } from "../../messages/message.ts";

/** A letter, and then letters in Base64 between plus and minus: `M+APw-ller`. */
const shifted = /([A-Za-z])\+(A[A-Za-z0-9+/]{2,39})-/g;
/** The letters of the seven languages that ASCII does not have. Their Base64 starts with A. */
const onlyLetters = /^[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f]+$/;

/**
 * The refusal of a file in UTF-7, which old mail programs write; null if it is not one. All of its bytes are ASCII, so
 * it would be read as it stands: `M+APw-ller` instead of `Müller`. A setting for the encoding overrules this.
 */
export function utf7Flaw(bytes: Buffer): Message | null {
  if (bytes.indexOf("+A") < 0) return null;
  for (const match of bytes.toString("latin1").matchAll(shifted)) {
    const letters = lettersOf(match[2] ?? "");
    if (letters === null) continue;
    const row = bytes.subarray(0, match.index).toString("latin1").split("\n").length;
    return say("files.encoding.utf7", { row, found: match[0].slice(1), meant: letters });
  }
  return null;
}

/** The letters that Base64 stands for; null if they are not letters, or if bits are left over. */
function lettersOf(base64: string): string | null {
  const units = Math.floor((base64.length * 6) / 16);
  const spareBits = base64.length * 6 - units * 16;
  const bytes = Buffer.from(base64, "base64");
  const last = Buffer.from("A".repeat(3) + base64.slice(-1), "base64")[2] ?? 0;
  if (spareBits >= 6 || (last & ((1 << spareBits) - 1)) !== 0 || bytes.length < units * 2) return null;
  const text = Buffer.from(bytes.subarray(0, units * 2))
    .swap16()
    .toString("utf16le");
  return onlyLetters.test(text) ? text : null;
}
