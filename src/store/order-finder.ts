import { UnitOfMeasure } from "../contract/enums.ts";
import { integer, nullable, type Row, real, row, text } from "../kit/sqlite/row.ts";
import type { Database } from "../kit/sqlite/sqlite.ts";
import { fold } from "./order-store.ts";
import { workOrderRow } from "./store-rows.ts";

/** An order of the embedded store in a list. Times are milliseconds since 1970. */
export interface StoredOrder {
  /** Increases with every order; the list is sorted by it. */
  readonly id: number;
  readonly number: string;
  readonly externalIdentifier: string | null;
  readonly state: "waiting" | "started" | "finished" | "cancelled";
  readonly dueAt: number;
  readonly receivedAt: number;
  readonly lines: number;
  /** Sums over all lines; in base units once picking has begun. */
  readonly requested: number;
  readonly picked: number;
  readonly cancelled: number;
}

export interface StoredLine {
  readonly line: string | null;
  readonly itemNumber: string;
  readonly lot: string | null;
  readonly unit: string;
  /** Null if nobody has said it: the line was only placed at the put wall, and another system holds the order. */
  readonly requested: number | null;
  readonly picked: number;
  readonly cancelled: number;
  readonly overPicked: number;
  readonly location: string | null;
}

export interface StoredContainer {
  readonly code: string;
  readonly location: string | null;
}

export interface OrderFinder {
  /** Newest first. A page may be short or empty although there are more orders: then `nextBefore` is set. */
  readonly list: (page: { limit: number; before?: number; state?: StoredOrder["state"] }) => {
    readonly orders: readonly StoredOrder[];
    readonly nextBefore: number | null;
  };
  /** Orders whose number, external identifier or delivery number starts with this text, or that have this container. */
  readonly search: (text: string, limit: number) => readonly StoredOrder[];
  readonly byNumbers: (numbers: readonly string[]) => readonly StoredOrder[];
  readonly lines: (number: string) => readonly StoredLine[];
  readonly containers: (number: string) => readonly StoredContainer[];
}

const { id, number, external_identifier: externalIdentifier, state } = workOrderRow.columns;
const { due_at: dueAt, received_at: receivedAt } = workOrderRow.columns;
const listedRow = row({
  ...{ id, number, externalIdentifier, state, dueAt, receivedAt },
  ...{ lines: integer, asked: real, booked: integer, requested: real, picked: real, cancelled: real },
});
const requestRow = row({
  ...{ line: nullable(text), itemNumber: nullable(text), lot: nullable(text), unit: nullable(integer) },
  ...{ requested: nullable(real), location: nullable(text) },
});
const ledgerLineRow = row({
  ...{ line: nullable(text), itemNumber: text, lot: nullable(text), unit: integer, location: nullable(text) },
  ...{ requested: nullable(real), picked: real, cancelled: real, overPicked: real },
});

/** How many orders are searched for one page: looking for a rare state among millions must not delay the floor. */
const mostScanned = 20_000;
const mostLines = 2_000;

const columns = `o.id, o.number, o.external_identifier AS externalIdentifier, o.state, o.due_at AS dueAt,
  o.received_at AS receivedAt, json_array_length(o.json, '$.requests') AS lines,
  (SELECT coalesce(sum(CAST(value ->> 'requestedAmount' AS REAL)), 0.0) FROM json_each(o.json, '$.requests')) AS asked,
  (SELECT count(*) FROM quantity q WHERE q.order_number = o.number) AS booked,
  (SELECT coalesce(sum(requested), 0.0) FROM quantity q WHERE q.order_number = o.number) AS requested,
  (SELECT coalesce(sum(picked), 0.0) FROM quantity q WHERE q.order_number = o.number) AS picked,
  (SELECT coalesce(sum(cancelled), 0.0) FROM quantity q WHERE q.order_number = o.number) AS cancelled`;

/** Finds orders of the embedded store by index, on a read-only connection. */
export function orderFinder(database: Database): OrderFinder {
  const page = (condition: string) =>
    database.query(
      `SELECT ${columns} FROM work_order o WHERE o.id < ? AND o.id >= ? ${condition} ORDER BY o.id DESC LIMIT ?`,
      listedRow,
    );
  const anyState = page("");
  const ofState = page("AND o.state = ?");
  const newest = database.query("SELECT coalesce(max(id), 0) AS id FROM work_order", row({ id: integer }));
  const byNumber = database.query(`SELECT ${columns} FROM work_order o WHERE o.number = ?`, listedRow);
  const begins = (column: string) =>
    database.query(
      `SELECT ${columns} FROM work_order o WHERE o.${column} >= ? AND o.${column} < ? ORDER BY o.${column} LIMIT ?`,
      listedRow,
    );
  const byName = ["number_folded", "external_identifier_folded", "delivery_number_folded"].map(begins);
  const byContainer = database.query(
    `SELECT ${columns} FROM container c JOIN work_order o ON o.number = c.order_number WHERE c.folded = ? LIMIT ?`,
    listedRow,
  );
  const requests = database.query(
    `SELECT value ->> 'requestExternalIdentifier' AS line, value ->> 'itemNumber' AS itemNumber,
       value ->> 'lotNumber' AS lot, CAST(value ->> 'unitOfMeasure' AS INTEGER) AS unit,
       CAST(value ->> 'requestedAmount' AS REAL) AS requested, value ->> 'designatedLocationName' AS location
     FROM work_order, json_each(work_order.json, '$.requests') WHERE number = ? LIMIT ?`,
    requestRow,
  );
  const ledgerLines = database.query(
    `SELECT external_id AS line, item_number AS itemNumber, lot, unit, designated_location AS location,
       CASE WHEN intake IS NULL AND steps = 0 THEN NULL ELSE requested END AS requested, picked, cancelled,
       over_picked AS overPicked FROM quantity WHERE order_number = ? ORDER BY position LIMIT ?`,
    ledgerLineRow,
  );
  // Attached, moved with the order in it, or picked into; the last is stored only where ends of orders are reported.
  const containers = database.query(
    `SELECT used.code, coalesce(
       (SELECT location FROM relocation r WHERE r.order_number = ? AND r.container_code = used.code
        ORDER BY r.id DESC LIMIT 1),
       (SELECT location FROM container c WHERE c.code = used.code AND c.order_number = ?)) AS location
     FROM (SELECT code FROM container WHERE order_number = ?
       UNION SELECT container_code FROM relocation WHERE order_number = ?
       UNION SELECT code FROM container_share WHERE order_number = ?) used ORDER BY 1 LIMIT 500`,
    row({ code: text, location: nullable(text) }),
  );

  return {
    list: ({ limit, before, state: only }) => {
      const from = before ?? (newest.get()?.id ?? 0) + 1;
      const until = Math.max(0, from - mostScanned);
      const rows = only === undefined ? anyState.all(from, until, limit) : ofState.all(from, until, only, limit);
      const last = rows.length === limit ? (rows.at(-1)?.id ?? 0) : until;
      return { orders: rows.map(storedOrder), nextBefore: last <= 1 ? null : last };
    },
    search: (given, limit) => {
      const folded = fold(given);
      if (folded === "") return [];
      const end = `${folded}\u{10ffff}`;
      const rows = [...byName.flatMap((query) => query.all(folded, end, limit)), ...byContainer.all(folded, limit)];
      return [...new Map(rows.map((one) => [one.id, one])).values()].slice(0, limit).map(storedOrder);
    },
    byNumbers: (numbers) => numbers.flatMap((one) => byNumber.all(one)).map(storedOrder),
    lines: (orderNumber) => {
      const booked = ledgerLines.all(orderNumber, mostLines);
      if (booked.length > 0) return booked.map((one) => ({ ...one, unit: unitName(one.unit) }));
      return requests.all(orderNumber, mostLines).map(({ itemNumber, unit, requested, ...rest }) => ({
        ...{ ...rest, itemNumber: itemNumber ?? "", unit: unitName(unit ?? 0), requested: requested ?? 0 },
        ...{ picked: 0, cancelled: 0, overPicked: 0 },
      }));
    },
    containers: (number) => containers.all(number, number, number, number, number),
  };
}

function storedOrder({ asked, booked, requested, ...rest }: Row<typeof listedRow>): StoredOrder {
  return { ...rest, requested: booked === 0 ? asked : requested };
}

/** The contract's name of a unit. */
export const unitName = (unit: number): string =>
  Object.entries(UnitOfMeasure).find(([, known]) => known === unit)?.[0] ?? String(unit);
