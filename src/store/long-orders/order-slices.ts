import { blob, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { type DueLimits, isListed } from "../queries/listed-orders.ts";

/** Which order to read, and what must still be true of it. */
export interface WantedOrder {
  readonly id: number;
  /** Present: it must be listed. Absent: it must not have ended. */
  readonly listed?: DueLimits;
}

export type SliceJob =
  /** The caller gives the number under which the rest is asked for: those of an earlier thread must not match. */
  { readonly open: WantedOrder; readonly handle: number } | { readonly next: number } | { readonly end: number };

/** Null if there is no such order. After the last slice nothing is held any more. */
export type SliceReply = { readonly slice: Uint8Array<ArrayBuffer>; readonly isLast: boolean } | null;

/** Sending more at once would take longer than a millisecond. Below one megabyte, a small collection frees it. */
const sliceBytes = 256 * 1024;

const textRow = row({ text: blob });

/**
 * Reads the texts of long orders. A text is read by one statement, so that all its slices are of one state of the order:
 * a read transaction that stays open as long as a slow reader takes would keep the log of the database from being
 * emptied.
 */
export function orderSlices(database: Database): (job: SliceJob) => SliceReply {
  const select = "SELECT CAST(json AS BLOB) AS text FROM work_order WHERE id = ?";
  const open = database.query(`${select} AND ended = 0`, textRow);
  const listed = database.query(`${select} AND ${isListed}`, textRow);
  const held = new Map<number, { readonly text: Uint8Array; at: number }>();

  const read = ({ id, listed: limits }: WantedOrder): Uint8Array | undefined =>
    (limits === undefined ? open.get(id) : listed.get(id, limits.oldestDueAt, limits.dayBegan, limits.timeOfDay))?.text;

  const next = (handle: number): SliceReply => {
    const one = held.get(handle);
    if (one === undefined) throw new Error("this order is not being read any more");
    // A copy: it is handed over to the other thread.
    const slice = new Uint8Array(one.text.subarray(one.at, one.at + sliceBytes));
    one.at += slice.length;
    const isLast = one.at >= one.text.length;
    if (isLast) held.delete(handle);
    return { slice, isLast };
  };

  return (job) => {
    if ("next" in job) return next(job.next);
    if ("end" in job) {
      held.delete(job.end);
      return null;
    }
    const text = read(job.open);
    if (text === undefined) return null;
    held.set(job.handle, { text, at: 0 });
    return next(job.handle);
  };
}
