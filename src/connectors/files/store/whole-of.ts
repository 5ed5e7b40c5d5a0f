import type { FileStore } from "./file-store.ts";

type Take = Parameters<FileStore["pieces"]>[2];

/** Reads a file in one piece. */
export async function wholeOf(
  read: (take: Take) => ReturnType<FileStore["pieces"]>,
): Promise<Buffer | null | "too-large"> {
  const pieces: Buffer[] = [];
  const end = await read(async (piece) => void pieces.push(piece));
  if (end !== "read") return end;
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
