import { closeSync, openSync, read, readSync } from "node:fs";
import { type PageSums, sumOf } from "./page-sums.ts";

/** Pages that were not compared with their sums at the start, first and last included. */
export interface UncheckedPages {
  readonly from: number;
  readonly to: number;
  readonly pageBytes: number;
}

/** Compares the rest of the database with its sums while the service runs. */
export interface PageCheck {
  /** Called when a page was just written to the log: its old content is compared before its sum is replaced. */
  readonly changed: (page: number) => void;
  readonly isOver: () => boolean;
  /** Compares the remaining pages slowly. Settles when all are compared, the check is closed, or `onBad` has thrown. */
  readonly run: (everyMs: number) => Promise<void>;
  /** Call only when this process has no other handle on the database: closing the file would release its locks. */
  readonly close: () => void;
}

export interface PageCheckNeeds {
  readonly databaseFile: string;
  readonly unchecked: UncheckedPages;
  readonly sums: PageSums;
  /** Called with the number of bad pages whenever it grows. */
  readonly onBad: (count: number) => void;
}

/** 512 KiB, which are read outside this thread and compared in less time than a commit takes. */
const pagesPerStep = 128;

export function openPageCheck({ databaseFile, unchecked, sums, onBad }: PageCheckNeeds): PageCheck {
  const { from, to, pageBytes } = unchecked;
  const file = openSync(databaseFile, "r");
  const isCompared = new Uint8Array(to - from + 1);
  const buffer = Buffer.alloc(pageBytes * pagesPerStep);
  const single = Buffer.alloc(pageBytes);
  let next = from;
  let badCount = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let settle: () => void = () => {};
  let fail: (error: unknown) => void = () => {};

  const isDue = (page: number) => page >= from && page <= to && isCompared[page - from] === 0;
  const isBad = (page: number, bytes: Buffer): boolean => {
    isCompared[page - from] = 1;
    const sum = sums.of(page);
    return sum !== null && sumOf(bytes) !== sum;
  };
  const addBad = (more: number) => {
    if (more === 0) return;
    badCount += more;
    onBad(badCount);
  };

  const compare = (first: number, bytes: Buffer) => {
    let bad = 0;
    for (let page = first; page < first + pagesPerStep && page <= to; page++) {
      const at = (page - first) * pageBytes;
      // A page written to the log in the meantime was compared at that time, and may have been overwritten since.
      if (isDue(page) && isBad(page, bytes.subarray(at, at + pageBytes))) bad++;
    }
    addBad(bad);
  };

  const step = (everyMs: number) => {
    while (next <= to && !isDue(next)) next++;
    if (next > to) {
      settle();
      return;
    }
    const first = next;
    read(file, buffer, 0, buffer.length, (first - 1) * pageBytes, (error, count) => {
      if (isClosed) return;
      try {
        // Unreadable pages are as bad as changed ones.
        compare(first, error === null ? buffer.subarray(0, count) : buffer.subarray(0, 0));
      } catch (failure) {
        fail(failure);
        return;
      }
      next = first + pagesPerStep;
      timer = setTimeout(step, everyMs, everyMs);
    });
  };

  return {
    changed: (page) => {
      if (!isDue(page)) return;
      const count = readSync(file, single, 0, pageBytes, (page - 1) * pageBytes);
      if (isBad(page, single.subarray(0, count))) addBad(1);
    },
    isOver: () => next > to,
    run: (everyMs) =>
      new Promise<void>((resolve, reject) => {
        settle = resolve;
        fail = reject;
        step(everyMs);
      }),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      settle();
      closeSync(file);
    },
  };
}
