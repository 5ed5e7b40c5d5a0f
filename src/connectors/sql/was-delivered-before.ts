import type { Pool } from "./drivers/database.ts";
import type { ReadyStatement, Transaction } from "./drivers/in-transaction.ts";
import type { RowLimit } from "./drivers/row-collector.ts";
import type { BoundValue } from "./statement/bound-value.ts";
import type { Dialect } from "./statement/dialect.ts";

export interface EarlierNeeds {
  readonly explain: Pool["explain"];
  readonly transaction: Transaction;
  readonly limit: RowLimit;
  readonly dialect: Dialect;
  readonly entryColumn: string;
}

/** Ends a transaction in which the statement went through: nothing of it may stay. */
class WentThrough extends Error {}

/**
 * Whether a duplicate of the entry's id was there before the transaction that met it. An event that writes its id twice
 * meets its own row; taken for an earlier delivery, it would be rolled back and count as delivered.
 */
export async function wasDeliveredBefore(
  refused: ReadyStatement,
  entryId: BoundValue,
  signal: AbortSignal,
  needs: EarlierNeeds,
): Promise<boolean> {
  const { transaction, explain, limit } = needs;
  const look = lookFor(refused.text, needs);
  if (look !== null) {
    try {
      return await transaction("write", signal, async (session) => {
        const { rows } = await session.run({ text: look, values: [entryId] }, { maxRows: 1, onMore: "cut" });
        return rows.length > 0;
      });
    } catch (error) {
      // The login may only insert, or the column has another name there.
      if (explain(error).kind !== "statement") throw error;
    }
  }
  try {
    await transaction("write", signal, async (session) => {
      await session.run(refused, limit);
      throw new WentThrough();
    });
    return false;
  } catch (error) {
    if (error instanceof WentThrough) return false;
    return explain(error).kind === "duplicate";
  }
}

const tableName = /^\s*insert\s+into\s+((?:[\w$.]|"[^"]+"|`[^`]+`|\[[^\]]+\])+)/i;

/** Null where the statement does not begin with the name of the table it writes. */
function lookFor(text: string, { entryColumn, dialect }: EarlierNeeds): string | null {
  const table = tableName.exec(text)?.[1];
  if (table === undefined || !/^\w+$/.test(entryColumn)) return null;
  return `SELECT 1 AS found FROM ${table} WHERE ${entryColumn} = ${dialect.placeholder(1)}`;
}
