import { write, writeSync } from "node:fs";
import type { Log } from "../../kit/log.ts";
import { errorCode } from "../../kit/narrow.ts";

/** Writes lines in their order, and never makes the caller wait. */
export interface LineSink {
  readonly write: (line: string) => void;
  /** Writes out what waits. If that is not possible, it is dropped: the process is about to end. */
  readonly flush: () => void;
}

/** Enough for a minute of a busy adapter. What comes beyond it is dropped: a full disk must not fill the memory. */
const mostCharacters = 4 * 2 ** 20;
const againMs = 500;
const busyMs = 10;
const mostBusy = 200;

/**
 * A full disk must not stop the adapter: the lines are kept and tried again, and those that are dropped are counted.
 * The library's own destination would end the process, and wait for the disk while it ends.
 */
export function lineSink({
  fd,
  most = mostCharacters,
  log,
}: {
  readonly fd: number;
  readonly most?: number;
  /** The log whose lines these are. It is told how many were dropped, when lines can be written again. */
  readonly log: Pick<Log, "error">;
}): LineSink {
  let waiting: string[] = [];
  let characters = 0;
  let current: Buffer | null = null;
  let isWriting = false;
  let isClosed = false;
  let lost = 0;

  const next = () => {
    if (current === null) {
      if (waiting.length === 0) return;
      current = Buffer.from(waiting.join(""));
      waiting = [];
      characters = 0;
    }
    isWriting = true;
    write(fd, current, 0, current.length, null, (error, bytes) => {
      isWriting = false;
      if (error !== null) return failed(error);
      current = current !== null && bytes < current.length ? current.subarray(bytes) : null;
      if (current === null && lost > 0) {
        const lines = lost;
        lost = 0;
        const fields = { code: "CD-157", room: "app", lines };
        log.error(fields, "lines of the log were lost, because they could not be written");
      }
      if (!isWriting) next();
    });
  };
  const failed = (error: Error) => {
    if (errorCode(error) === "EPIPE" || errorCode(error) === "EBADF") {
      // Nobody will ever read it.
      isClosed = true;
      waiting = [];
      current = null;
      return;
    }
    // A line of the same moment must not try again at once: on a full disk each would fail.
    setTimeout(() => {
      if (!isWriting) next();
    }, againMs).unref();
  };

  return {
    write: (line) => {
      if (isClosed) return;
      if (characters + line.length > most) {
        lost++;
        return;
      }
      waiting.push(line);
      characters += line.length;
      if (current === null) next();
    },
    flush: () => {
      // What the operating system is writing at this moment cannot be taken back.
      const parts = [...(isWriting || current === null ? [] : [current]), Buffer.from(waiting.join(""))];
      waiting = [];
      characters = 0;
      if (!isWriting) current = null;
      writeNow(fd, Buffer.concat(parts));
    },
  };
}

function writeNow(fd: number, bytes: Buffer): void {
  for (let from = 0, busy = 0; from < bytes.length; ) {
    try {
      from += writeSync(fd, bytes, from);
    } catch (error) {
      if (errorCode(error) !== "EAGAIN" || ++busy > mostBusy) return;
      // The reader of the pipe is slow.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
    }
  }
}
