import { setImmediate as nextTurn } from "node:timers/promises";
import { blob, integer, nullable, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { readDateTime } from "../../operation/dates.ts";
import { ListInParts, type Outcome, ok, ReadyJsonList, ReadyJsonSlices } from "../../operation/outcome.ts";
import { type LongTexts, parsedText } from "../long-texts/long-texts.ts";
import { type DueLimits, longBytes, mayBeListed } from "./listed-orders.ts";

const msPerDay = 86_400_000;

const pageRow = row({ count: integer, last: nullable(integer), longest: nullable(integer), texts: nullable(blob) });
const lengthRow = row({ id: integer, bytes: integer });
const textsRow = row({ texts: nullable(blob) });

const ordersPerPage = 50;
/** Reading so much takes two milliseconds. */
const bytesPerPage = 512 * 1024;
/** A page of orders of this length is short enough without adding up their lengths. */
const smallBytes = Math.floor(bytesPerPage / ordersPerPage);

type Page = Uint8Array | ReadyJsonSlices;

/**
 * Lists the orders nobody has begun, as pages of ready text. Each page starts after the last id of the previous one:
 * orders added or removed between two pages cause no duplicates and no gaps.
 */
export function listWorkOrders(needs: {
  readonly database: Database;
  readonly clock: Clock;
  readonly longTexts: Pick<LongTexts, "later">;
  readonly expireAfterDays: number | undefined;
  /** How dates without a time were read. */
  readonly dates: { readonly timeZone: string; readonly timeOfDay: string };
  /** Whether all stored records may be served as they are; otherwise each order has to be checked. */
  readonly isSound: () => boolean;
}): () => Outcome<"listWorkOrders"> {
  const { database, clock, longTexts, expireAfterDays, dates, isSound } = needs;
  // SQLite stores the lengths before the texts: longer texts are not read.
  const found = (columns: string) => `SELECT id, ${columns} FROM work_order
    WHERE id > ? AND ${mayBeListed} ORDER BY id LIMIT ${ordersPerPage}`;
  // Joined in the order of the inner query; a second ORDER BY would sort every text and take twice as long. As bytes,
  // because decoding and encoding them again would take longer than reading them.
  const pageAfter = database.query(
    `SELECT count(*) AS count, max(id) AS last, max(bytes) AS longest, CAST(group_concat(short, ',') AS BLOB) AS texts
     FROM (${found(`octet_length(json) AS bytes, CASE WHEN octet_length(json) <= ${smallBytes} THEN json END AS short`)})`,
    pageRow,
  );
  const lengthsAfter = database.query(found("octet_length(json) AS bytes"), lengthRow);
  const textsOf = database.query(
    `SELECT CAST(group_concat(json, ',') AS BLOB) AS texts
     FROM (SELECT json FROM work_order WHERE id > ? AND id <= ? AND ${mayBeListed} ORDER BY id LIMIT ${ordersPerPage})`,
    textsRow,
  );

  function* pages(listed: DueLimits): Generator<Page> {
    const limits = [listed.oldestDueAt, listed.dayBegan, listed.timeOfDay] as const;
    for (let after = 0, isLast = false; !isLast; ) {
      const page = pageAfter.get(after, ...limits);
      if (page === undefined || page.last === null || page.longest === null) return;
      if (page.longest <= smallBytes) {
        if (page.texts !== null) yield page.texts;
        after = page.last;
      } else {
        for (const run of runs(after, lengthsAfter.all(after, ...limits))) {
          after = run.last;
          if ("id" in run) yield longTexts.later({ order: run.id, must: listed, bytes: run.bytes });
          else {
            // Null if all of them have gone since they were measured.
            const texts = textsOf.get(run.after, run.last, ...limits)?.texts ?? null;
            if (texts !== null) yield texts;
          }
        }
      }
      isLast = page.count < ordersPerPage;
    }
  }

  return () => {
    const oldestDueAt =
      expireAfterDays === undefined ? Number.MIN_SAFE_INTEGER : Math.floor(clock.now() - expireAfterDays * msPerDay);
    const dayBegan = expireAfterDays === undefined ? oldestDueAt : beginOfDay(oldestDueAt, dates.timeZone);
    const listed = pages({ oldestDueAt, dayBegan, timeOfDay: dates.timeOfDay });
    return ok(isSound() ? new ReadyJsonList(listed) : new ListInParts(asObjects(listed)));
  };
}

interface Measured {
  readonly id: number;
  readonly bytes: number;
}
/** One long order, or the others after an id up to another. */
type Run = { readonly after: number; readonly last: number } | (Measured & { readonly last: number });

/** Cuts measured orders into runs that are short enough for one turn. */
function* runs(begin: number, orders: readonly Measured[]): Generator<Run> {
  let [after, last, sum] = [begin, begin, 0];
  for (const { id, bytes } of orders) {
    const isLong = bytes > longBytes;
    if (last > after && (isLong || sum + bytes > bytesPerPage)) {
      yield { after, last };
      [after, sum] = [last, 0];
    }
    last = id;
    sum += bytes;
    if (!isLong) continue;
    yield { id, bytes, last };
    [after, sum] = [id, 0];
  }
  if (last > after) yield { after, last };
}

async function* asObjects(pages: Iterable<Page>): AsyncGenerator<readonly unknown[]> {
  for (const page of pages) {
    if (!(page instanceof ReadyJsonSlices)) {
      // The brackets make it a list.
      yield JSON.parse(`[${Buffer.from(page).toString()}]`) as unknown[];
      await nextTurn();
      continue;
    }
    const order = await parsedText(page);
    if (order !== undefined) yield [order];
  }
}

function beginOfDay(at: number, timeZone: string): number {
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(at);
  const begin = readDateTime(day, { timeZone, timeOfDay: "00:00" });
  return begin === null ? at : Date.parse(begin);
}
