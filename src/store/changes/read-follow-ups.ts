import { setImmediate as nextTurn } from "node:timers/promises";
import { integer, pick, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { ReadyJsonSlices } from "../../operation/outcome.ts";
import { type LongTexts, parsedText } from "../long-texts/long-texts.ts";
import { longBytes } from "../queries/listed-orders.ts";
import { workOrderRow } from "../store-rows.ts";

/** Follow-up orders that nobody has begun, oldest first. Each is read when its turn has come. */
export interface WaitingFollowUps {
  /** As JSON texts. */
  readonly texts: () => Iterable<string | ReadyJsonSlices>;
  readonly orders: () => AsyncIterable<unknown>;
}

/** The follow-up orders. They exist only here, whoever serves the other orders. */
export interface FollowUpOrders {
  /** Null if there are none. */
  readonly waiting: () => WaitingFollowUps | null;
  /** Whether a scanned code is the number of a follow-up order. */
  readonly isOne: (code: string) => boolean;
}

/** Reads the follow-up orders on a read-only connection. */
export function followUpOrders(database: Database, longTexts: Pick<LongTexts, "later">): FollowUpOrders {
  const isStored = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'follow_up'").get() !== undefined;
  if (!isStored) return { waiting: () => null, isOne: () => false };
  // SQLite stores the length before the text: the text itself is not read.
  const measured = database.query(
    `SELECT id, octet_length(json) AS bytes FROM work_order
     WHERE state = 'waiting' AND number IN (SELECT number FROM follow_up) ORDER BY id`,
    row({ id: integer, bytes: integer }),
  );
  const textOf = database.query(
    "SELECT json FROM work_order WHERE id = ? AND state = 'waiting'",
    pick(workOrderRow, "json"),
  );
  const isOne = database.statement("SELECT 1 FROM follow_up WHERE number = ? COLLATE NOCASE");

  return {
    waiting: () => {
      const found = measured.all();
      if (found.length === 0) return null;
      function* texts(): Generator<string | ReadyJsonSlices> {
        for (const { id, bytes } of found) {
          if (bytes > longBytes) yield longTexts.later({ order: id, must: "be open", bytes });
          else {
            const text = textOf.get(id)?.json;
            if (text !== undefined) yield text;
          }
        }
      }
      return { texts, orders: () => ordersIn(texts()) };
    },
    isOne: (code) => isOne.get(code.trim()) !== undefined,
  };
}

async function* ordersIn(texts: Iterable<string | ReadyJsonSlices>): AsyncGenerator<unknown> {
  for (const text of texts) {
    const order: unknown = typeof text === "string" ? JSON.parse(text) : await parsedText(text);
    if (order !== undefined) yield order;
    await nextTurn();
  }
}
