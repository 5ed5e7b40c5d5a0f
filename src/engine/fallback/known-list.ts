import { hash } from "node:crypto";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { Log } from "../../kit/log.ts";
import { integer, nullable, pick, row, text } from "../../kit/sqlite/row.ts";
import type { Database, SqlValue } from "../../kit/sqlite/sqlite.ts";
import { wholeTransaction } from "../../kit/sqlite/whole-transaction.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { OrderText } from "../intake/order-texts.ts";
import type { CodeField, LastKnown } from "./last-known.ts";

export interface KnownList extends Pick<LastKnown, "rememberList" | "listAt" | "listed" | "listedBy"> {
  readonly settled: () => Promise<void>;
  /** Discards what is not written yet; the next list contains it again. */
  readonly stop: () => void;
}

interface Given {
  readonly orders: readonly OrderText[];
  readonly at: number;
}

const ordersPerTurn = 50;
const ordersPerPage = 50;
/** A longer list is not stored at all: part of it would be served as the whole list. */
const maxOrders = 50_000;
const maxCharacters = 128_000_000;
const maxSameCode = 50;

/** The columns of its tables. */
export const listRow = row({ connector: text, at: integer });
export const listedOrderRow = row({
  id: integer,
  connector: text,
  number: text,
  digest: text,
  json: text,
  number_folded: text,
  alternative_folded: nullable(text),
  external_folded: nullable(text),
  delivery_folded: nullable(text),
});
type FoldedColumn = keyof typeof listedOrderRow.columns & `${string}_folded`;

/** The form in which codes are compared if letter case does not matter. */
export const fold = (text: string): string => text.trim().normalize("NFC").toLowerCase();

/**
 * Keeps the last list of one connector. Only changes are written, because a list is requested every minute and hardly
 * differs.
 */
export function knownList({
  database,
  timers,
  log,
  connector,
}: {
  database: Database;
  timers: Timers;
  log: Log;
  connector: string;
}): KnownList {
  const upsert = database.statement(
    `INSERT INTO listed_order (connector, number, digest, json, number_folded, alternative_folded, external_folded,
       delivery_folded) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (connector, number) DO UPDATE SET digest = excluded.digest, json = excluded.json,
       alternative_folded = excluded.alternative_folded, external_folded = excluded.external_folded,
       delivery_folded = excluded.delivery_folded`,
  );
  const remove = database.statement("DELETE FROM listed_order WHERE connector = ? AND number = ?");
  const setAt = database.statement("INSERT OR REPLACE INTO list (connector, at) VALUES (?, ?)");
  const forgetAt = database.statement("DELETE FROM list WHERE connector = ?");
  const at = database.query("SELECT at FROM list WHERE connector = ?", pick(listRow, "at"));
  const page = database.query(
    "SELECT id, number, json FROM listed_order WHERE connector = ? AND id > ? ORDER BY id LIMIT ?",
    pick(listedOrderRow, "id", "number", "json"),
  );
  const by = (column: FoldedColumn) =>
    database.query(
      `SELECT json FROM listed_order WHERE ${column} = ? AND connector = ? ORDER BY id LIMIT ?`,
      pick(listedOrderRow, "json"),
    );
  const bySomeCode: Record<CodeField, ReturnType<typeof by>> = {
    number: by("number_folded"),
    alternativeStartNumber: by("alternative_folded"),
    externalIdentifier: by("external_folded"),
    deliveryNumber: by("delivery_folded"),
  };

  /** The digest of each stored order by its number; loaded at the first list after a start. */
  let written: Map<string, string> | undefined;
  let next: Given | null = null;
  let running: Promise<void> | null = null;
  let isStopped = false;
  const turn = () => new Promise<void>((resolve) => timers.soon(resolve));

  const removeAll = async (numbers: readonly string[], known: Map<string, string>) => {
    for (let start = 0; start < numbers.length; start += ordersPerTurn) {
      await turn();
      if (isStopped) return;
      const some = numbers.slice(start, start + ordersPerTurn);
      wholeTransaction(database, () => {
        for (const number of some) remove.run(connector, number);
      });
      for (const number of some) known.delete(number);
    }
  };

  const refresh = async (given: Given) => {
    written ??= new Map(
      database
        .query("SELECT number, digest FROM listed_order WHERE connector = ?", pick(listedOrderRow, "number", "digest"))
        .all(connector)
        .map(({ number, digest }) => [number, digest]),
    );
    const known = written;
    let characters = 0;
    for (const { length } of given.orders) characters += length;
    if (given.orders.length > maxOrders || characters > maxCharacters) {
      log.warn(
        { connector, orders: given.orders.length },
        "the list of orders is too long to be stored as fallback data",
      );
      forgetAt.run(connector);
      return removeAll([...known.keys()], known);
    }
    const numbers = new Set<string>();
    for (let start = 0; start < given.orders.length; start += ordersPerTurn) {
      await turn();
      if (isStopped) return;
      const changed = given.orders.slice(start, start + ordersPerTurn).flatMap((order) => {
        const { number } = order;
        numbers.add(number);
        const digest = hash("sha1", order.text, "base64url");
        return known.get(number) === digest ? [] : [{ order, digest }];
      });
      if (changed.length === 0) continue;
      wholeTransaction(database, () => {
        for (const { order, digest } of changed) upsert.run(connector, ...rowOf(order, digest));
      });
      for (const { order, digest } of changed) known.set(order.number, digest);
    }
    await removeAll(
      [...known.keys()].filter((number) => !numbers.has(number)),
      known,
    );
    if (!isStopped) setAt.run(connector, given.at);
  };

  const run = async () => {
    while (next !== null && !isStopped) {
      const given: Given = next;
      next = null;
      try {
        await refresh(given);
      } catch (error) {
        // The content of the file is uncertain now: it is read again before the next comparison.
        written = undefined;
        log.warn({ connector, err: error }, "the fallback orders could not be stored");
      }
    }
    running = null;
  };

  const listAt = () => at.get(connector)?.at ?? null;

  function* pages(isOffered: (number: string) => boolean): Generator<string> {
    let last = 0;
    while (true) {
      const rows = page.all(connector, last, ordersPerPage);
      const texts = rows.filter(({ number }) => isOffered(number)).map(({ json }) => json);
      if (texts.length > 0) yield texts.join(",");
      if (rows.length < ordersPerPage) return;
      last = rows.at(-1)?.id ?? Number.MAX_SAFE_INTEGER;
    }
  }

  return {
    rememberList: (orders, givenAt) => {
      next = { orders, at: givenAt };
      running ??= run();
    },
    listAt,
    listed: (isOffered) => ({ [Symbol.iterator]: () => pages(isOffered) }),
    listedBy: (field, code) =>
      bySomeCode[field].all(fold(code), connector, maxSameCode).map(({ json }) => ({
        text: json,
        // Written by rememberList from a checked order.
        workOrder: JSON.parse(json) as WorkOrder,
      })),
    settled: async () => {
      while (running !== null) await running;
    },
    stop: () => {
      isStopped = true;
    },
  };
}

function rowOf(order: OrderText, digest: string): SqlValue[] {
  const { number, alternativeStartNumber, externalIdentifier, deliveryNumber, text } = order;
  const folded = (code: string | null | undefined) => (code ? fold(code) : null);
  return [
    ...[number, digest, text, fold(number)],
    ...[folded(alternativeStartNumber), folded(externalIdentifier), folded(deliveryNumber)],
  ];
}
