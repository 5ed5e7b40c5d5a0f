import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FileStore, type Place, storeFault } from "./file-store.ts";

/** Smaller files are held in memory. */
const mostHeld = 8 << 20;

/** A local copy of a file that is too large for memory. It does not change while it is read several times. */
export interface SpooledFile {
  readonly path: string;
  readonly start: Buffer;
  readonly size: number;
  readonly remove: () => Promise<void>;
}

export interface Spool {
  /** A small file as bytes, a large one as a copy; null if there is none. */
  readonly fetch: (place: Place, maxBytes: number) => Promise<Buffer | SpooledFile | null | "too-large">;
}

/** The folder for copies of large files. Copies left by an adapter that was killed are removed. */
export function openSpool(store: Pick<FileStore, "pieces">, folder: string, largeFrom = mostHeld): Spool {
  let isPrepared = false;
  let made = 0;
  const create = async (): Promise<{ path: string; handle: FileHandle }> => {
    if (!isPrepared) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(folder)) if (!isInUse(name)) rmSync(join(folder, name), { force: true });
      isPrepared = true;
    }
    const path = join(folder, `${process.pid}-${++made}`);
    return { path, handle: await open(path, "wx", 0o600) };
  };
  return {
    fetch: async (place, maxBytes) => {
      const held: Buffer[] = [];
      let size = 0;
      let file: Awaited<ReturnType<typeof create>> | undefined;
      let isKept = false;
      try {
        const end = await store.pieces(place, maxBytes, async (piece) => {
          size += piece.length;
          if (file === undefined) held.push(piece);
          if (size <= largeFrom) return;
          try {
            const isFirst = file === undefined;
            file ??= await create();
            for (const one of isFirst ? held : [piece]) await file.handle.writeFile(one);
          } catch (error) {
            // Named here: to the store, every error is one of the file that it reads.
            throw storeFault(error, "copying a large file to", folder);
          }
          held.length = 1;
        });
        if (end !== "read") return end;
        if (file === undefined) return Buffer.concat(held, size);
        const { path } = file;
        isKept = true;
        return { path, size, start: held[0] ?? Buffer.alloc(0), remove: () => rm(path, { force: true }) };
      } finally {
        await file?.handle.close();
        if (file !== undefined && !isKept) await rm(file.path, { force: true });
      }
    },
  };
}

/** Copies are named after the process that made them. */
function isInUse(name: string): boolean {
  const pid = Number.parseInt(name, 10);
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
