export type ImageKind = "png" | "jpeg" | "webp" | "gif";

const startsWith = (bytes: Uint8Array, signature: readonly number[], offset = 0) =>
  signature.every((byte, index) => bytes[offset + index] === byte);

const ascii = (text: string): readonly number[] => [...text].map((character) => character.charCodeAt(0));

const png = [0x89, ...ascii("PNG\r\n"), 0x1a, 0x0a];
const jpeg = [0xff, 0xd8, 0xff];
const riff = ascii("RIFF");
const webp = ascii("WEBP");
const gifs = [ascii("GIF87a"), ascii("GIF89a")];

/** What kind of image the bytes are, by their first bytes: names and declared types are often wrong. */
export function imageKind(bytes: Uint8Array): ImageKind | null {
  if (startsWith(bytes, png)) return "png";
  if (startsWith(bytes, jpeg)) return "jpeg";
  // RIFF is also the head of WAV and AVI: the form type after the length decides.
  if (startsWith(bytes, riff) && startsWith(bytes, webp, 8)) return "webp";
  if (gifs.some((gif) => startsWith(bytes, gif))) return "gif";
  return null;
}
