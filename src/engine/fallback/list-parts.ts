import { setImmediate as nextTurn } from "node:timers/promises";
import { pick } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { bytesPerTurn } from "../intake/order-texts.ts";
import { listedPartRow } from "./fallback-tables.ts";

/** A longer order is kept in parts: it would take too long to write or read it at once. */
export const isInParts = (bytes: number): boolean => bytes > bytesPerTurn;

/** Instead of the text of an order, its row has the length of the text if the text is in parts. No text is as short. */
const leastText = 20;
const hasParts = `octet_length(json) < ${leastText}`;

/** Selects the length of the text if it is in parts, and null otherwise. */
export const lengthOfParts = `CASE WHEN ${hasParts} THEN CAST(json AS INTEGER) END`;

/** Whether the parts of an order are missing, or some of them: a power failure may have taken them. */
export const isIncomplete = `${hasParts} AND CAST(json AS INTEGER) > (SELECT
  coalesce(sum(octet_length(bytes)), 0) FROM listed_part WHERE listed_part.digest = listed_order.digest)`;

const partBytes = 256 * 1024;
const removedPerTurn = 4;

/** Reads the whole text of a listed order at once: only for the start, where nothing else runs. */
export function wholeTexts(database: Database): (digest: string, json: string) => string {
  const parts = database.query(
    "SELECT bytes FROM listed_part WHERE digest = ? ORDER BY part",
    pick(listedPartRow, "bytes"),
  );
  return (digest, json) =>
    json.length < leastText ? Buffer.concat(parts.all(digest).map(({ bytes }) => bytes)).toString() : json;
}

/** Thrown if an order was replaced or removed while its parts were read. */
export class ReplacedMeanwhile extends Error {}

/** The parts of long orders, by the digest of the whole text: so the parts of two versions of an order never mix. */
export interface ListParts {
  /** The parts count as used from now on, also before their order refers to them. */
  readonly write: (digest: string, text: Uint8Array) => Promise<void>;
  /** Call it when the order refers to the parts, or never will. */
  readonly release: (digest: string) => void;
  /** Has no parts if the order is gone. Throws `ReplacedMeanwhile` if it is removed while it is read. */
  readonly read: (digest: string, length: number) => AsyncGenerator<Uint8Array>;
  /** Removes the parts that no order refers to any more. */
  readonly removeUnused: () => Promise<void>;
}

export function listParts(database: Database): ListParts {
  const insert = database.statement("INSERT OR REPLACE INTO listed_part (digest, part, bytes) VALUES (?, ?, ?)");
  const part = database.query(
    "SELECT bytes FROM listed_part WHERE digest = ? AND part = ?",
    pick(listedPartRow, "bytes"),
  );
  const unused = database.query(
    `SELECT id FROM listed_part INDEXED BY listed_part_by_digest WHERE NOT EXISTS
       (SELECT 1 FROM listed_order WHERE listed_order.digest = listed_part.digest AND ${hasParts}) LIMIT ?`,
    pick(listedPartRow, "id"),
  );
  /** How many lists hold each digest: two systems may list the same order. */
  const held = new Map<string, number>();
  const remove = database.statement("DELETE FROM listed_part WHERE id = ?");

  async function* read(digest: string, length: number): AsyncGenerator<Uint8Array> {
    for (let at = 0, index = 0; at < length; index++) {
      const bytes = part.get(digest, index)?.bytes;
      if (bytes === undefined && at === 0) return;
      if (bytes === undefined) throw new ReplacedMeanwhile("a listed order was replaced while it was read");
      at += bytes.length;
      yield bytes;
      await nextTurn();
    }
  }

  return {
    write: async (digest, text) => {
      held.set(digest, (held.get(digest) ?? 0) + 1);
      for (let at = 0, index = 0; at < text.length; at += partBytes, index++) {
        await nextTurn();
        // The file was closed meanwhile.
        if (!database.isOpen()) return;
        insert.run(digest, index, text.subarray(at, at + partBytes));
      }
    },
    release: (digest) => {
      const others = (held.get(digest) ?? 0) - 1;
      if (others > 0) held.set(digest, others);
      else held.delete(digest);
    },
    read,
    removeUnused: async () => {
      // If some are held, the next list removes what is left.
      while (held.size === 0 && database.isOpen()) {
        const found = unused.all(removedPerTurn);
        for (const { id } of found) remove.run(id);
        if (found.length < removedPerTurn) return;
        await nextTurn();
      }
    },
  };
}
