/** A piece of a list as text, whichever form it was given in. */
export const pieceText = (piece: string | Uint8Array): string =>
  typeof piece === "string" ? piece : Buffer.from(piece).toString();
