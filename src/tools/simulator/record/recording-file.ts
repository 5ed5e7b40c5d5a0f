import { createReadStream, existsSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { RecordedBegin, RecordedCall, RecordedLine } from "./captured-call.ts";

export interface RecordingFile {
  /** A call that cannot be written as a line is dropped, because no call may end the proxy. */
  readonly write: (make: () => RecordedCall) => void;
  /** The number of calls that could not be written, because the disk was too slow for too long, or full. */
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

const asideName = (file: string, age: number): string => (age === 0 ? file : `${file}.${age}`);

/** Never appends to an existing file: two recordings in one file would use the same sequence numbers. */
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
    // The content is scrubbed, but still business data.
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

/** The most calls that are held back until an earlier call, which ended later, is read. */
const mostHeld = 20_000;
const mostFiles = 1000;

/**
 * Yields the calls of a recording in the order in which they began, from all its files. Only a part is in memory at a
 * time.
 */
export async function* readRecording(file: string): AsyncGenerator<RecordedCall> {
  const held = new Map<number, RecordedCall>();
  let expected: number | null = null;
  for (const name of await filesOf(file)) {
    for await (const line of linesOf(name)) {
      if (line.kind !== "call") continue;
      held.set(line.sequence, line);
      // The oldest file may have been deleted, so reading starts with the lowest sequence number that exists.
      if (held.size > mostHeld) expected = Math.min(...held.keys());
      expected ??= line.sequence === 0 ? 0 : null;
      for (let call = held.get(expected ?? -1); call !== undefined && expected !== null; call = held.get(expected)) {
        held.delete(expected);
        expected++;
        yield call;
      }
    }
  }
  // The calls after the gaps that dropped lines or a crash have left.
  for (const [, call] of [...held].toSorted(([a], [b]) => a - b)) yield call;
}

/** Oldest first. Files of another recording with the same name are left out. */
async function filesOf(file: string): Promise<string[]> {
  const files: string[] = [];
  let session: string | null = null;
  for (let age = 0; age < mostFiles; age++) {
    const name = asideName(file, age);
    if (!existsSync(name)) {
      if (age > 0) break;
      throw new NoRecording(name, "does not exist");
    }
    const own = await sessionOf(name);
    if (own === null) throw new NoRecording(name, "is no recording");
    session ??= own;
    if (own !== session) break;
    files.unshift(name);
  }
  return files;
}

async function sessionOf(file: string): Promise<string | null> {
  for await (const line of linesOf(file)) return line.kind === "begin" && line.version === 1 ? line.session : null;
  return null;
}

async function* linesOf(file: string): AsyncGenerator<RecordedLine> {
  const stream = createReadStream(file);
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      const line = read(text);
      if (line !== null) yield line;
    }
  } finally {
    stream.destroy();
  }
}

/** Null for the incomplete line that a crash leaves at the end. */
function read(text: string): RecordedLine | null {
  try {
    // Written by the recorder; kind and required members are checked before use.
    const line = JSON.parse(text) as RecordedLine | null;
    return line !== null && (line.kind === "begin" || line.kind === "call") ? line : null;
  } catch {
    return null;
  }
}

/** The file does not exist, or was not written by the recorder. */
export class NoRecording extends Error {
  constructor(file: string, why: string) {
    super(`${file} ${why}`);
    this.name = "NoRecording";
  }
}
