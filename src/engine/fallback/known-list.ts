import { createHash, hash } from "node:crypto";
import { hashInTurns } from "../../kit/hash-in-turns.ts";
import type { Log } from "../../kit/log.ts";
import { integer, pick, row } from "../../kit/sqlite/row.ts";
import type { Database, SqlValue } from "../../kit/sqlite/sqlite.ts";
import { wholeTransaction } from "../../kit/sqlite/whole-transaction.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { bytesPerTurn, type OrderText, ordersOfOneTurn, ordersPerTurn } from "../intake/order-texts.ts";
import { listedOrderRow } from "./fallback-tables.ts";
import type { LastKnown } from "./last-known.ts";
import { isIncomplete, isInParts, type ListParts } from "./list-parts.ts";
import { fold, readList } from "./read-list.ts";

export interface KnownList extends Pick<LastKnown, "rememberList" | "listAt" | "listed" | "listedBy" | "listedOrder"> {
  readonly settled: () => Promise<void>;
  /** Discards what is not written yet; the next list contains it again. */
  readonly stop: () => void;
}

interface Given {
  readonly orders: readonly OrderText[];
  readonly at: number;
}

const digestsPerTurn = 2_000;
/** A longer list is not stored at all: part of it would be served as the whole list. */
const most = { orders: 50_000, bytes: 128_000_000 } as const;

/**
 * Keeps the last list of one connector. Only changes are written, because a list is requested every minute and hardly
 * differs.
 */
export function knownList({
  database,
  parts,
  timers,
  log,
  connector,
}: {
  database: Database;
  parts: ListParts;
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
  const lengthOf = database.query(
    "SELECT octet_length(json) AS bytes FROM listed_order WHERE connector = ? AND number = ?",
    row({ bytes: integer }),
  );
  const remove = database.statement("DELETE FROM listed_order WHERE connector = ? AND number = ?");
  const setAt = database.statement("INSERT OR REPLACE INTO list (connector, at) VALUES (?, ?)");
  const forgetAt = database.statement("DELETE FROM list WHERE connector = ?");
  const digests = database.query(
    // An order of which a power failure has left only some parts counts as changed, and is written again.
    `SELECT id, number, CASE WHEN ${isIncomplete} THEN '' ELSE digest END AS digest
     FROM listed_order INDEXED BY listed_by_connector WHERE connector = ? AND id > ? ORDER BY id LIMIT ?`,
    pick(listedOrderRow, "id", "number", "digest"),
  );
  /** The digest of each stored order by its number; loaded at the first list after a start. */
  let written: Map<string, string> | undefined;
  let next: Given | null = null;
  let running: Promise<void> | null = null;
  let isStopped = false;
  const turn = () => new Promise<void>((resolve) => timers.soon(resolve));

  const removeAll = async (numbers: readonly string[], known: Map<string, string>) => {
    for (let start = 0; start < numbers.length; ) {
      await turn();
      if (isStopped) return;
      const some: string[] = [];
      for (let length = 0; length <= bytesPerTurn && some.length < ordersPerTurn; ) {
        const number = numbers[start];
        if (number === undefined) break;
        start++;
        some.push(number);
        length += lengthOf.get(connector, number)?.bytes ?? 0;
      }
      wholeTransaction(database, () => {
        for (const number of some) remove.run(connector, number);
      });
      for (const number of some) known.delete(number);
    }
  };

  const readDigests = async (): Promise<Map<string, string>> => {
    const read = new Map<string, string>();
    for (let last = 0; ; ) {
      const rows = digests.all(connector, last, digestsPerTurn);
      for (const { number, digest } of rows) read.set(number, digest);
      last = rows.at(-1)?.id ?? last;
      if (rows.length < digestsPerTurn) return read;
      await turn();
      // The file is closed then; nothing is written any more.
      if (isStopped) return read;
    }
  };

  const refresh = async (given: Given) => {
    written ??= await readDigests();
    if (isStopped) return;
    const known = written;
    let bytes = 0;
    for (const { length } of given.orders) bytes += length;
    if (given.orders.length > most.orders || bytes > most.bytes) {
      log.warn(
        { connector, orders: given.orders.length, bytes, most },
        "the list of orders is too long to be stored as fallback data",
      );
      forgetAt.run(connector);
      await removeAll([...known.keys()], known);
      return await parts.removeUnused();
    }
    const numbers = new Set<string>();
    for (const some of ordersOfOneTurn(given.orders)) {
      await turn();
      if (isStopped) return;
      const changed: Changed[] = [];
      try {
        for (const order of some) {
          numbers.add(order.number);
          const digest = await digestOf(order);
          if (known.get(order.number) === digest) continue;
          changed.push({ order, digest });
          // Before its row, so that the row never refers to parts that are missing.
          if (isInParts(order.length)) await parts.write(digest, order.bytes);
        }
        if (isStopped) return;
        if (changed.length > 0) {
          wholeTransaction(database, () => {
            for (const { order, digest } of changed) upsert.run(connector, ...rowOf(order, digest));
          });
        }
      } finally {
        for (const { digest } of changed) parts.release(digest);
      }
      for (const { order, digest } of changed) known.set(order.number, digest);
    }
    await removeAll(
      [...known.keys()].filter((number) => !numbers.has(number)),
      known,
    );
    await parts.removeUnused();
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

  return {
    ...readList(database, parts, connector),
    rememberList: (orders, givenAt) => {
      next = { orders, at: givenAt };
      running ??= run();
    },
    settled: async () => {
      while (running !== null) await running;
    },
    stop: () => {
      isStopped = true;
    },
  };
}

interface Changed {
  readonly order: OrderText;
  readonly digest: string;
}

async function digestOf({ bytes, length }: OrderText): Promise<string> {
  if (!isInParts(length)) return hash("sha1", bytes, "base64url");
  const whole = createHash("sha1");
  await hashInTurns([whole], bytes);
  return whole.digest("base64url");
}

function rowOf(order: OrderText, digest: string): SqlValue[] {
  const { number, alternativeStartNumber, externalIdentifier, deliveryNumber, length } = order;
  const text = isInParts(length) ? String(length) : order.text;
  const folded = (code: string | null | undefined) => (code ? fold(code) : null);
  return [
    ...[number, digest, text, fold(number)],
    ...[folded(alternativeStartNumber), folded(externalIdentifier), folded(deliveryNumber)],
  ];
}
