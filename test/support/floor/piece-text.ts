/** A piece of a list as text, whether it was given as text or as bytes. */
export const pieceText = (piece: string | Uint8Array): string =>
  typeof piece === "string" ? piece : Buffer.from(piece).toString();
