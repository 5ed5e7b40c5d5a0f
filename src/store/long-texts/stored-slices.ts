import { base64Json } from "../../kit/base64.ts";
import { blob, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { type DueLimits, isListed } from "../queries/listed-orders.ts";

/** What to read. */
export type WantedText =
  /** An order, and what must still be true of it: that it is listed, that it has not ended, or nothing. */
  | { readonly order: number; readonly must: DueLimits | "be open" | null }
  /** An item, or its image in Base64, by the exact number of the item. */
  | { readonly item: string }
  | { readonly image: string };

export type SliceJob =
  /** The caller gives the number under which the rest is asked for: those of an earlier thread must not match. */
  { readonly open: WantedText; readonly handle: number } | { readonly next: number } | { readonly end: number };

/** Null if there is no such text. After the last slice nothing is held any more. */
export type SliceReply = { readonly slice: Uint8Array<ArrayBuffer>; readonly isLast: boolean } | null;

/** Sending more at once would take longer than a millisecond. Below one megabyte, a small collection frees it. */
const sliceBytes = 256 * 1024;

const textRow = row({ text: blob });

/**
 * Reads long texts of the store. A text is read by one statement, so that all its slices are of one state of the record:
 * a read transaction that stays open as long as a slow reader takes would keep the log of the database from being
 * emptied.
 */
export function storedSlices(database: Database): (job: SliceJob) => SliceReply {
  const order = "SELECT CAST(json AS BLOB) AS text FROM work_order WHERE id = ?";
  const anyOrder = database.query(order, textRow);
  const open = database.query(`${order} AND ended = 0`, textRow);
  const listed = database.query(`${order} AND ${isListed}`, textRow);
  const item = database.query("SELECT CAST(json AS BLOB) AS text FROM item WHERE number = ?", textRow);
  const image = database.query("SELECT bytes AS text FROM item_image WHERE number = ?", textRow);
  const held = new Map<number, { readonly text: Uint8Array; at: number }>();

  const read = (wanted: WantedText): Uint8Array | undefined => {
    if ("item" in wanted) return item.get(wanted.item)?.text;
    if ("image" in wanted) {
      const found = image.get(wanted.image)?.text;
      return found === undefined ? undefined : Buffer.from(base64Json(found), "latin1");
    }
    const { order: id, must } = wanted;
    if (must === null) return anyOrder.get(id)?.text;
    if (must === "be open") return open.get(id)?.text;
    return listed.get(id, must.oldestDueAt, must.dayBegan, must.timeOfDay)?.text;
  };

  const next = (handle: number): SliceReply => {
    const one = held.get(handle);
    if (one === undefined) throw new Error("this text is not being read any more");
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
