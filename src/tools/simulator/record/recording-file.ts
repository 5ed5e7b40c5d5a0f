import { existsSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import type { RecordedBegin, RecordedCall } from "./captured-call.ts";

export interface RecordingFile {
  /** A call that cannot be made into a line is dropped: no call may end the proxy. */
  readonly write: (make: () => RecordedCall) => void;
  /** Calls that could not be written: the disk was too slow for too long, or full. */
  readonly dropped: () => number;
  readonly written: () => number;
  readonly close: () => Promise<void>;
}

export interface RecordingFileNeeds {
  readonly file: string;
  readonly session: string;
  /** A file that would exceed this is renamed to FILE.1, and FILE.1 to FILE.2. */
  readonly mostBytes: number;
  /** Maximum number of files, including the current one. */
  readonly keep: number;
}

const mostWaitingBytes = 32 * 2 ** 20;

export const asideName = (file: string, age: number): string => (age === 0 ? file : `${file}.${age}`);

/** Never appends to an existing file: two recordings in one file would have the same sequence numbers. */
export async function openRecordingFile({
  file,
  session,
  mostBytes,
  keep,
}: RecordingFileNeeds): Promise<RecordingFile> {
  const begin: RecordedBegin = { kind: "begin", version: 1, session };
  const firstLine = `${JSON.stringify(begin)}\n`;
  let size = 0;
  let waitingBytes = 0;
  let dropped = 0;
  let written = 0;

  const next = async (): Promise<FileHandle> => {
    await rm(asideName(file, keep - 1), { force: true });
    for (let age = keep - 2; age >= 0; age--) {
      if (existsSync(asideName(file, age))) await rename(asideName(file, age), asideName(file, age + 1));
    }
    // Scrubbed, but still business data.
    const opened = await open(file, "wx", 0o600);
    await opened.write(firstLine);
    size = firstLine.length;
    return opened;
  };

  let handle = await next();
  let writing: Promise<void> = Promise.resolve();
  const append = async (line: Buffer) => {
    try {
      if (size + line.length > mostBytes && size > firstLine.length) {
        await handle.close();
        handle = await next();
      }
      await handle.writeFile(line);
      size += line.length;
      written++;
    } catch {
      dropped++;
    } finally {
      waitingBytes -= line.length;
    }
  };
  return {
    write: (make) => {
      const line = lineOf(make);
      if (line === null || waitingBytes + line.length > mostWaitingBytes || line.length > mostBytes) {
        dropped++;
        return;
      }
      waitingBytes += line.length;
      writing = writing.then(() => append(line));
    },
    dropped: () => dropped,
    written: () => written,
    close: async () => {
      await writing;
      await handle.close();
    },
  };
}

function lineOf(make: () => RecordedCall): Buffer | null {
  try {
    return Buffer.from(`${JSON.stringify(make())}\n`);
  } catch {
    return null;
  }
}
