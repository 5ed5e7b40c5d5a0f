import { moduleUrl } from "../../kit/module-url.ts";
import { integer, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { jobThread } from "../../kit/threads/job-thread.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { Fault } from "../../operation/fault.ts";
import { type ChangeNotice, changeNoticesIn } from "./change-notice.ts";
import type { NoticeJob } from "./change-notices-worker.ts";

export interface ChangeNotices {
  /** The notice of an order; undefined if it has no change. That of a very long order comes later. */
  readonly of: (orderNumber: string) => Known<ChangeNotice | undefined>;
  readonly close: () => Promise<void>;
}

/** A value that is there at once, or comes later. */
export type Known<Value> = Value | Promise<Value>;

/** Goes on at once if the value is there: nearly every scan does, and a promise would cost it a turn. */
export const whenKnown = <Value, Done>(value: Known<Value>, use: (value: Value) => Known<Done>): Known<Done> =>
  value instanceof Promise ? value.then(use) : use(value);

export const allKnown = <Value>(values: readonly Known<Value>[]): Known<readonly Value[]> =>
  // Without a promise among them, these are the values.
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly Value[]);

/** Computing the notice of an order of this length takes some milliseconds; of ten thousand lines, a third of a second. */
const mostLines = 200;
const mostBytes = 32 * 1024;
/** Such orders are rare. */
const idleMs = 60_000;
/** Each takes up to a third of a second, so those behind would be answered too late in any case. */
const mostWaiting = 50;

/** Computes notices on a read-only connection; those of long orders in a thread, so that no other request waits. */
export function openChangeNotices(needs: {
  readonly database: Database;
  readonly databaseFile: string;
  readonly timers: Timers;
}): ChangeNotices {
  const { database, databaseFile, timers } = needs;
  const here = changeNoticesIn(database);
  // SQLite stores the length before the text, so the text itself is not read.
  const measured = database.query(
    `WITH root (number) AS (SELECT coalesce((SELECT order_number FROM follow_up WHERE number = ?), ?)),
       member (number) AS (SELECT number FROM root
         UNION ALL SELECT follow_up.number FROM follow_up JOIN root ON follow_up.order_number = root.number)
     SELECT coalesce(sum((SELECT octet_length(json) FROM work_order WHERE work_order.number = member.number)), 0) AS bytes,
       coalesce(sum((SELECT count(*) FROM (SELECT 1 FROM quantity
         WHERE quantity.order_number = member.number LIMIT ${mostLines + 1}))), 0) AS lines
     FROM member`,
    row({ bytes: integer, lines: integer }),
  );
  const isLong = (orderNumber: string) => {
    const { bytes, lines } = measured.get(orderNumber, orderNumber) ?? { bytes: 0, lines: 0 };
    return bytes > mostBytes || lines > mostLines;
  };
  const thread = jobThread<NoticeJob, ChangeNotice | undefined>({
    url: moduleUrl("./change-notices-worker", import.meta.url),
    name: "reads long orders",
    workerData: databaseFile,
    endWhenIdle: { afterMs: idleMs, timers },
  });
  let waiting = 0;
  const later = async (orderNumber: string) => {
    if (waiting >= mostWaiting) throw new Fault("unreachable", `${waiting} scans of very long orders wait already`);
    waiting++;
    try {
      return await thread.run({ orderNumber });
    } finally {
      waiting--;
    }
  };
  return {
    of: (orderNumber) => (isLong(orderNumber) ? later(orderNumber) : here(orderNumber)),
    close: thread.close,
  };
}
