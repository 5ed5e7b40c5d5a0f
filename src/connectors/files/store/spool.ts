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
      let start: Buffer | undefined;
      let size = 0;
      let file: Awaited<ReturnType<typeof create>> | undefined;
      let isKept = false;
      try {
        const end = await store.pieces(place, maxBytes, async (piece) => {
          size += piece.length;
          held.push(piece);
          if (size <= largeFrom) return;
          try {
            file ??= await create();
            for (const one of held) await file.handle.writeFile(one);
          } catch (error) {
            // Named here: to the store, every error is one of the file that it reads.
            throw storeFault(error, "copying a large file to", folder);
          }
          // The first piece is kept, to tell what kind of file it is.
          start ??= held.shift();
          for (const one of held.splice(0)) release(one);
        });
        if (end !== "read") return end;
        if (file === undefined) return Buffer.concat(held, size);
        const { path } = file;
        isKept = true;
        return { path, size, start: start ?? Buffer.alloc(0), remove: () => rm(path, { force: true }) };
      } finally {
        await file?.handle.close();
        if (file !== undefined && !isKept) await rm(file.path, { force: true });
      }
    },
  };
}

/**
 * Frees the memory of a copied piece at once. Otherwise tens of megabytes of pieces would wait for the garbage
 * collector, and the C library would keep a part of that memory.
 */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
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
