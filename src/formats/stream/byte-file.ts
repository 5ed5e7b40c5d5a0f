import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** A file that is read in chunks, as often as needed. It must not change meanwhile. */
export interface ByteFile {
  readonly size: number;
  /** Fills the buffer from an offset; less only at the end of the file. */
  readonly read: (position: number, buffer: Buffer) => number;
}

/** A local file. Reading blocks, so use it only in worker threads. */
export function openByteFile(path: string): ByteFile & { readonly close: () => void } {
  const handle = openSync(path, "r");
  return {
    size: fstatSync(handle).size,
    read: (position, buffer) => {
      let count = 0;
      while (count < buffer.length) {
        const got = readSync(handle, buffer, count, buffer.length - count, position + count);
        if (got === 0) break;
        count += got;
      }
      return count;
    },
    close: () => closeSync(handle),
  };
}

/** Bytes in memory as such a file. */
export const byteFileOf = (bytes: Buffer): ByteFile => ({
  size: bytes.length,
  read: (position, buffer) => bytes.copy(buffer, 0, position, Math.min(bytes.length, position + buffer.length)),
});

export function startOf(file: ByteFile, length: number): Buffer {
  const buffer = Buffer.alloc(Math.min(length, file.size));
  return buffer.subarray(0, file.read(0, buffer));
}
