/**
 * Strict Base64 (RFC 4648): alphabet, padding and length must be right; line breaks are allowed anywhere.
 * Node's own decoder skips unknown characters, so a damaged upload would become a different file.
 */
export function decodeBase64(text: string): Uint8Array | null {
  const packed = text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]+/g, "") : text;
  if (packed.length % 4 !== 0) return null;
  // Characters above ASCII would be cut to their low byte and count as letters.
  if (Buffer.byteLength(packed) !== packed.length) return null;
  // The URL-safe alphabet is a different encoding; the decoder would mix both.
  if (packed.includes("-") || packed.includes("_")) return null;
  const paddingLength = packed.endsWith("==") ? 2 : packed.endsWith("=") ? 1 : 0;
  const bytes = Buffer.from(packed, "base64");
  // The decoder skips unknown characters, so the length shows whether all characters were valid.
  if (bytes.length !== (packed.length / 4) * 3 - paddingLength) return null;
  return hasCleanTail(packed, paddingLength) ? bytes : null;
}

/** As a JSON text. Base64 needs no escaping, so megabytes need no second pass. */
export const base64Json = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  `"${Buffer.from(buffer, byteOffset, byteLength).toString("base64")}"`;

/**
 * The unused bits of the last character must be zero. Otherwise two texts would mean the same bytes, and a damaged one
 * would pass.
 */
function hasCleanTail(packed: string, paddingLength: number): boolean {
  if (paddingLength === 0) return true;
  const tail = packed.slice(-4);
  return Buffer.from(tail, "base64").toString("base64") === tail;
}
