import { setImmediate as nextTurn } from "node:timers/promises";
import { decodeBase64 } from "../../../kit/base64.ts";
import { imageKind } from "../../../operation/outcome.ts";

/** How much is done in one turn, about a millisecond. A multiple of 3 and of 4, so that every piece can be encoded alone. */
const pieceLength = 192 * 1024;
const fewest = 64;

/**
 * Returns the image in a text as plain Base64: no prefix, line breaks or blanks, standard alphabet, padded. Null if it
 * is no image. Other work of this thread runs meanwhile: an image may have many megabytes.
 */
export async function plainBase64(text: string): Promise<string | null> {
  const start = /^"?data:[^,]{0,200},/i.exec(text.slice(0, 256))?.[0].length ?? 0;
  const packed: string[] = [];
  let isUrlSafe = false;
  let isStandard = false;
  let rest = "";
  for (let at = start; at < text.length; at += pieceLength) {
    const plain = rest + text.slice(at, at + pieceLength).replace(/[\s"]+/g, "");
    isUrlSafe ||= /[-_]/.test(plain);
    isStandard ||= /[+/]/.test(plain);
    // The first bytes tell what it is, so they stay together.
    const whole = plain.length < fewest ? 0 : plain.length - (plain.length % 4);
    packed.push(plain.slice(0, whole));
    rest = plain.slice(whole);
    await nextTurn();
  }
  if (rest !== "") packed.push(rest.padEnd(Math.ceil(rest.length / 4) * 4, "="));
  const pieces = packed.filter(({ length }) => length > 0);
  const isOther = isUrlSafe && !isStandard;
  for (const [index, piece] of pieces.entries()) {
    const usual = isOther ? piece.replace(/-/g, "+").replace(/_/g, "/") : piece;
    const bytes = index < pieces.length - 1 && usual.endsWith("=") ? null : decodeBase64(usual);
    if (bytes === null || (index === 0 && imageKind(bytes) === null)) return null;
    pieces[index] = usual;
    await nextTurn();
  }
  return pieces.length === 0 ? null : pieces.join("");
}

/** Encodes the bytes of an image. Other work of this thread runs meanwhile. */
export async function encodedBase64(bytes: Buffer): Promise<string> {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += pieceLength) {
    pieces.push(bytes.toString("base64", at, at + pieceLength));
    await nextTurn();
  }
  return pieces.join("");
}
