import { ReadyJsonSlices } from "../../../src/operation/outcome.ts";

/** A piece of a list as text, whether it was given as text or as bytes. */
export function pieceText(piece: string | Uint8Array | ReadyJsonSlices): string {
  if (piece instanceof ReadyJsonSlices) throw new Error("a long order is read while it is sent");
  return typeof piece === "string" ? piece : Buffer.from(piece).toString();
}
