import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { parseInTurns } from "../../kit/json/parse-in-turns.ts";
import { moduleUrl } from "../../kit/module-url.ts";
import { type JobThread, jobThread } from "../../kit/threads/job-thread.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { ReadyJsonSlices } from "../../operation/outcome.ts";
import type { SliceJob, SliceReply, WantedOrder } from "./order-slices.ts";
import { openRoom } from "./room.ts";

type Slice = NonNullable<SliceReply>;

/** An order and the length of its text as it was measured. */
export type LongOrder = WantedOrder & { readonly bytes: number };

/** Reads orders whose texts are too long to be read in one turn. */
export interface LongOrders {
  /** Resolves when the order was read; undefined if it is gone. */
  readonly open: (order: LongOrder) => Promise<ReadyJsonSlices | undefined>;
  /** Read when its turn in an answer has come. Has no slices if it is gone by then. */
  readonly later: (order: LongOrder) => ReadyJsonSlices;
  readonly close: () => Promise<void>;
}

/**
 * For stored orders that may be unchecked or bad: the engine checks objects, as it does for any other system. Undefined
 * if there were no slices.
 */
export async function parsedOrder(text: ReadyJsonSlices): Promise<WorkOrder | undefined> {
  const bytes = await text.bytes();
  if (bytes.length === 0) return undefined;
  // Every stored text was written from an order of an earlier version.
  return (await parseInTurns(bytes, { parse: JSON.parse, maxDepth: Number.POSITIVE_INFINITY })) as WorkOrder;
}

/** A reader who takes nothing for so long has gone, or is so slow that the text would be held for hours. */
const stalledMs = 60_000;
/** Longer than a text is held: the texts end with the thread. */
const idleMs = 2 * stalledMs;
/** For the texts that are held in the thread: a few of the longest orders, or many usual long ones. */
const mostBytes = 256 * 2 ** 20;
const mostWaiting = 100;

export function openLongOrders(needs: {
  readonly databaseFile: string;
  readonly timers: Timers;
  readonly thread?: JobThread<SliceJob, SliceReply>;
}): LongOrders {
  const { databaseFile, timers } = needs;
  const thread =
    needs.thread ??
    jobThread<SliceJob, SliceReply>({
      url: moduleUrl("./long-orders-worker", import.meta.url),
      name: "reads the texts of long orders",
      workerData: databaseFile,
      endWhenIdle: { afterMs: idleMs, timers },
    });
  const room = openRoom({ most: mostBytes, mostWaiting });
  /** Ends the readings that are under way. */
  const ends = new Set<() => void>();
  let lastHandle = 0;

  const begin = async (order: LongOrder): Promise<AsyncGenerator<Uint8Array> | undefined> => {
    const leave = await room.enter(order.bytes);
    const handle = ++lastHandle;
    const { bytes: _, ...open } = order;
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
      if (reply === null) throw new Error("a long order ended before its last slice");
      isRead = reply.isLast;
      return reply;
    };
    ends.add(end);
    // Also before the first slice is asked for: perhaps nobody does.
    wait();
    return (async function* () {
      try {
        for (let slice = first; ; ) {
          if (isOver) throw new Error("nobody has read from a long order for a minute");
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

  async function* later(order: LongOrder): AsyncGenerator<Uint8Array> {
    const slices = await begin(order);
    if (slices !== undefined) yield* slices;
  }

  return {
    open: async (order) => {
      const slices = await begin(order);
      return slices === undefined ? undefined : new ReadyJsonSlices(slices);
    },
    later: (order) => new ReadyJsonSlices(later(order)),
    close: async () => {
      for (const end of ends) end();
      await thread.close();
    },
  };
}
