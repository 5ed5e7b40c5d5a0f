import type { QueryId } from "../../contract/operations.ts";
import type { Log } from "../../kit/log.ts";
import { integer, pick, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { wholeTransaction } from "../../kit/sqlite/whole-transaction.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { answerRow } from "./fallback-tables.ts";
import { type KnownAnswer, type LastKnown, maxAnswerCharacters } from "./last-known.ts";

export interface KnownAnswers {
  readonly of: (connector: string) => Pick<LastKnown, "rememberAnswer" | "answer" | "latestAnswer">;
  readonly flush: () => void;
  readonly stop: () => void;
}

interface Waiting extends KnownAnswer {
  readonly connector: string;
  readonly operation: QueryId;
  readonly key: string;
}

const writeAfterMs = 250;
/** Limit of what is written in one step: more would hold up other requests for tens of milliseconds. */
const maxWaitingCharacters = 2_000_000;
const maxKeyLength = 1_000;

/**
 * The last answers to single look-ups. They are written together a moment later; those that were not refreshed for the
 * longest time are removed first.
 */
export function knownAnswers({
  database,
  timers,
  log,
  maxAnswers = 20_000,
  maxCharacters = 128_000_000,
}: {
  database: Database;
  timers: Timers;
  log: Log;
  maxAnswers?: number;
  maxCharacters?: number;
}): KnownAnswers {
  const find = database.query(
    "SELECT at, json FROM answer WHERE connector = ? AND operation = ? AND key = ?",
    pick(answerRow, "at", "json"),
  );
  const latest = database.query(
    `SELECT at, json FROM answer WHERE connector = ? AND operation = ? AND key >= ? AND key < ? AND json IS NOT NULL
     ORDER BY at DESC LIMIT 1`,
    pick(answerRow, "at", "json"),
  );
  const sizeOf = database.query(
    "SELECT size FROM answer WHERE connector = ? AND operation = ? AND key = ?",
    pick(answerRow, "size"),
  );
  const write = database.statement(
    "INSERT OR REPLACE INTO answer (connector, operation, key, at, json, size) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const oldest = database.query(
    "SELECT connector, operation, key, size FROM answer ORDER BY at LIMIT 100",
    pick(answerRow, "connector", "operation", "key", "size"),
  );
  const remove = database.statement("DELETE FROM answer WHERE connector = ? AND operation = ? AND key = ?");
  const totals = database
    .query(
      "SELECT count(*) AS answers, coalesce(sum(size), 0) AS characters FROM answer",
      row({ answers: integer, characters: integer }),
    )
    .get();
  let answers = totals?.answers ?? 0;
  let characters = totals?.characters ?? 0;
  const waiting = new Map<string, Waiting>();
  let waitingCharacters = 0;
  let callOff: (() => void) | null = null;

  const writeWaiting = () => {
    for (const { connector, operation, key, at, text } of waiting.values()) {
      const size = key.length + (text?.length ?? 0);
      const known = sizeOf.get(connector, operation, key);
      if (known === undefined) answers++;
      characters += size - (known?.size ?? 0);
      write.run(connector, operation, key, at, text, size);
    }
    while (answers > maxAnswers || characters > maxCharacters) {
      const rows = oldest.all();
      if (rows.length === 0) break;
      for (const { connector, operation, key, size } of rows) {
        if (answers <= maxAnswers && characters <= maxCharacters) break;
        remove.run(connector, operation, key);
        answers--;
        characters -= size;
      }
    }
  };

  const flush = () => {
    callOff?.();
    callOff = null;
    if (waiting.size === 0 || !database.isOpen()) return;
    const before = { answers, characters };
    try {
      wholeTransaction(database, writeWaiting);
    } catch (error) {
      ({ answers, characters } = before);
      log.warn({ err: error }, "fallback answers could not be stored");
    }
    waiting.clear();
    waitingCharacters = 0;
  };

  const nameOf = (connector: string, operation: QueryId, key: string) => JSON.stringify([connector, operation, key]);

  return {
    of: (connector) => ({
      rememberAnswer: (operation, key, { at, text }) => {
        const length = text?.length ?? 0;
        if (length > maxAnswerCharacters || key.length > maxKeyLength) return;
        if (waitingCharacters + length > maxWaitingCharacters) flush();
        waiting.set(nameOf(connector, operation, key), { connector, operation, key, at, text });
        waitingCharacters += length;
        callOff ??= timers.after(writeAfterMs, flush);
      },
      answer: (operation, key) => {
        const young = waiting.get(nameOf(connector, operation, key));
        if (young !== undefined) return { at: young.at, text: young.text };
        const row = find.get(connector, operation, key);
        return row === undefined ? undefined : { at: row.at, text: row.json };
      },
      latestAnswer: (operation, beginning) => {
        const row = latest.get(connector, operation, beginning, `${beginning}\u{10ffff}`);
        return row === undefined ? undefined : { at: row.at, text: row.json };
      },
    }),
    flush,
    stop: flush,
  };
}
