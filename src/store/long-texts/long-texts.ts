import { parseStored } from "../../kit/json/parse-in-turns.ts";
import { moduleUrl } from "../../kit/module-url.ts";
import { type JobThread, jobThread } from "../../kit/threads/job-thread.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { ReadyJsonSlices } from "../../operation/outcome.ts";
import { openRoom } from "./room.ts";
import type { SliceJob, SliceReply, WantedText } from "./stored-slices.ts";

type Slice = NonNullable<SliceReply>;

/** A text and its length as it was measured. */
export type LongText = WantedText & { readonly bytes: number };

/** Reads texts of the store that are too long to be read in one turn. */
export interface LongTexts {
  /** Resolves when the text was read; undefined if it is gone. */
  readonly open: (text: LongText) => Promise<ReadyJsonSlices | undefined>;
  /** Read when its turn in an answer has come. Has no slices if it is gone by then. */
  readonly later: (text: LongText) => ReadyJsonSlices;
  readonly close: () => Promise<void>;
}

/**
 * For stored records that may be unchecked or bad: the engine checks objects, as it does for any other system. Undefined
 * if there were no slices.
 */
export async function parsedText(text: ReadyJsonSlices): Promise<unknown> {
  const bytes = await text.bytes();
  return bytes.length === 0 ? undefined : await parseStored(bytes);
}

/** A reader who takes nothing for so long has gone, or is so slow that the text would be held for hours. */
const stalledMs = 60_000;
/** Longer than a text is held: the texts end with the thread. */
const idleMs = 2 * stalledMs;
/** For the texts that are held in the thread: a few of the longest orders, or many that are just long. */
const mostBytes = 256 * 2 ** 20;
const mostWaiting = 100;

export function openLongTexts(needs: {
  readonly databaseFile: string;
  readonly timers: Timers;
  readonly thread?: JobThread<SliceJob, SliceReply>;
}): LongTexts {
  const { databaseFile, timers } = needs;
  const thread =
    needs.thread ??
    jobThread<SliceJob, SliceReply>({
      url: moduleUrl("./long-texts-worker", import.meta.url),
      name: "reads long texts",
      workerData: databaseFile,
      endWhenIdle: { afterMs: idleMs, timers },
    });
  const room = openRoom({ most: mostBytes, mostWaiting });
  /** Ends the readings that are under way. */
  const ends = new Set<() => void>();
  let lastHandle = 0;

  const begin = async (text: LongText): Promise<AsyncGenerator<Uint8Array> | undefined> => {
    const leave = await room.enter(text.bytes);
    const handle = ++lastHandle;
    const { bytes: _, ...open } = text;
    const first = await thread.run({ open, handle }).catch((error: unknown) => {
      leave();
      throw error;
    });
    if (first !== null) return slicesFrom(first, handle, leave);
    leave();
    return undefined;
  };

  const slicesFrom = (first: Slice, handle: number, leave: () => void): AsyncGenerator<Uint8Array> => {
    let isOver = false;
    let isRead = first.isLast;
    let callOff = () => {};
    const end = () => {
      if (isOver) return;
      isOver = true;
      callOff();
      ends.delete(end);
      leave();
      // If the thread has ended, the text has gone with it.
      if (!isRead) thread.run({ end: handle }).catch(() => {});
    };
    const wait = () => {
      callOff();
      callOff = timers.after(stalledMs, end);
    };
    const next = async (): Promise<Slice> => {
      const reply = await thread.run({ next: handle });
      if (reply === null) throw new Error("a long text ended before its last slice");
      isRead = reply.isLast;
      return reply;
    };
    ends.add(end);
    // Also before the first slice is asked for: perhaps nobody does.
    wait();
    return (async function* () {
      try {
        for (let slice = first; ; ) {
          if (isOver) throw new Error("nobody has read from a long text for a minute");
          wait();
          // Read while the one before is sent.
          const following = slice.isLast ? null : next();
          // Awaited below, unless the reader leaves first.
          following?.catch(() => {});
          yield slice.slice;
          if (following === null) return;
          slice = await following;
        }
      } finally {
        end();
      }
    })();
  };

  async function* later(text: LongText): AsyncGenerator<Uint8Array> {
    const slices = await begin(text);
    if (slices !== undefined) yield* slices;
  }

  return {
    open: async (text) => {
      const slices = await begin(text);
      return slices === undefined ? undefined : new ReadyJsonSlices(slices);
    },
    later: (text) => new ReadyJsonSlices(later(text)),
    close: async () => {
      for (const end of ends) end();
      await thread.close();
    },
  };
}
