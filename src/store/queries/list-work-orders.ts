import { blob, integer, nullable, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { readDateTime } from "../../operation/dates.ts";
import { ListInParts, type Outcome, ok, ReadyJsonList } from "../../operation/outcome.ts";

const msPerDay = 86_400_000;

const pageRow = row({ last: nullable(integer), texts: nullable(blob) });

/**
 * Lists the orders nobody has begun, as pages of ready text. Each page starts after the last id of the previous one:
 * orders added or removed between two pages cause no duplicates and no gaps.
 */
export function listWorkOrders(needs: {
  readonly database: Database;
  readonly clock: Clock;
  readonly expireAfterDays: number | undefined;
  /** How dates without a time were read. */
  readonly dates: { readonly timeZone: string; readonly timeOfDay: string };
  /** Whether all stored records may be served as they are; otherwise each order has to be checked. */
  readonly isSound: () => boolean;
}): () => Outcome<"listWorkOrders"> {
  const { database, clock, expireAfterDays, dates, isSound } = needs;
  // Joined in the order of the inner query; a second ORDER BY would sort every text and take twice as long. As bytes,
  // because decoding and encoding them again would take longer than reading them. A date without a time was stored with
  // timeOfDay: such an order is due until the end of its day.
  const select = database.query(
    `SELECT max(id) AS last, CAST(group_concat(json, ',') AS BLOB) AS texts
     FROM (SELECT id, json FROM work_order WHERE state = 'waiting' AND id > ?
       AND (due_at >= ? OR (due_at >= ? AND substr(json ->> '$.dueDate', 12, 5) = ?)) ORDER BY id LIMIT 50)`,
    pageRow,
  );

  function* pages(oldestDueAt: number): Generator<Uint8Array> {
    let last = 0;
    const dayBegan = expireAfterDays === undefined ? oldestDueAt : beginOfDay(oldestDueAt, dates.timeZone);
    while (true) {
      const page = select.get(last, oldestDueAt, dayBegan, dates.timeOfDay);
      if (page === undefined || page.last === null || page.texts === null) return;
      yield page.texts;
      last = page.last;
    }
  }

  return () => {
    const oldestDueAt =
      expireAfterDays === undefined ? Number.MIN_SAFE_INTEGER : Math.floor(clock.now() - expireAfterDays * msPerDay);
    return ok(isSound() ? new ReadyJsonList(pages(oldestDueAt)) : new ListInParts(asObjects(pages(oldestDueAt))));
  };
}

async function* asObjects(pages: Iterable<Uint8Array>): AsyncGenerator<readonly unknown[]> {
  // The brackets make it a list.
  for (const page of pages) yield JSON.parse(`[${Buffer.from(page).toString()}]`) as unknown[];
}

function beginOfDay(at: number, timeZone: string): number {
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(at);
  const begin = readDateTime(day, { timeZone, timeOfDay: "00:00" });
  return begin === null ? at : Date.parse(begin);
}
