import { UnitOfMeasure } from "../../contract/enums.ts";
import { recentValues } from "../../kit/recent-values.ts";
import { pick } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { itemFactorRow } from "../store-rows.ts";

export interface FactorMemory {
  /** The factor that two different amounts have shown; null where there is none. */
  readonly recall: (itemNumber: string, unit: number) => number | null;
  /** A line with a single content has shown this factor for that amount. */
  readonly observe: (itemNumber: string, unit: number, seen: Observation) => void;
  /** A line contradicts what was shown before: nothing is carried to other orders any more. */
  readonly contradict: (itemNumber: string, unit: number) => void;
  /** After a rollback: what was learned last may not be stored. */
  readonly forget: () => void;
}

interface Observation {
  readonly factor: number;
  readonly amount: number;
}

interface Known extends Observation {
  /** Whether a second amount has shown the same. */
  readonly isProven: boolean;
}

/** Items that are picked all day are not looked up every time. */
const rememberedFactors = 10_000;

const factorRow = pick(itemFactorRow, "factor", "amount", "proven");

/** Factors of items. One line alone may have been lowered on the floor before it was shown: it takes two amounts to be sure. */
export function openFactorMemory(database: Database): FactorMemory {
  const select = database.query(
    "SELECT factor, amount, proven FROM item_factor WHERE item_number = ? AND unit = ?",
    factorRow,
  );
  const store = database.statement(
    `INSERT INTO item_factor (item_number, unit, factor, amount, proven) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET factor = excluded.factor, amount = excluded.amount, proven = excluded.proven`,
  );
  const remove = database.statement("DELETE FROM item_factor WHERE item_number = ? AND unit = ?");
  const recent = recentValues<{ readonly known: Known | null }>(rememberedFactors);
  const keyOf = (itemNumber: string, unit: number) => `${unit} ${itemNumber}`;

  const find = (itemNumber: string, unit: number): Known | null => {
    const kept = recent.get(keyOf(itemNumber, unit));
    if (kept !== undefined) return kept.known;
    const row = select.get(itemNumber, unit);
    const known = row === undefined ? null : { factor: row.factor, amount: row.amount, isProven: row.proven === 1 };
    recent.set(keyOf(itemNumber, unit), { known });
    return known;
  };

  return {
    recall: (itemNumber, unit) => {
      const known = find(itemNumber, unit);
      return known?.isProven === true ? known.factor : null;
    },
    observe: (itemNumber, unit, { factor, amount }) => {
      const known = find(itemNumber, unit);
      if (known?.factor === factor && (known.isProven || known.amount === amount)) return;
      const isProven = known?.factor === factor;
      store.run(itemNumber, unit, factor, amount, isProven ? 1 : 0);
      recent.set(keyOf(itemNumber, unit), { known: { factor, amount, isProven } });
    },
    contradict: (itemNumber, unit) => {
      remove.run(itemNumber, unit);
      recent.set(keyOf(itemNumber, unit), { known: null });
    },
    forget: recent.clear,
  };
}

export const uncertainFactor = 0;

interface FactorSight {
  /** The line's amount in base units, as the platform shows it. */
  readonly base: number;
  /** Every amount that a content served had for this line, in its own unit: the platform may have fetched any of them. */
  readonly amounts: readonly number[];
  readonly unit: number;
  /** What two different amounts of the same item and unit have shown before. */
  readonly carried: number | null;
}

/**
 * How many base units one unit of the order line has, or 0 where that is in doubt. A wrong factor would cut a running
 * line to a wrong amount, so two possible answers count as none. Pieces are counted one by one.
 */
export function learnFactor({ base, amounts, unit, carried }: FactorSight): number {
  if (unit === UnitOfMeasure.Piece) return 1;
  const distinct = new Set(amounts.filter((amount) => amount > 0));
  if (carried !== null) return distinct.has(base / carried) ? carried : uncertainFactor;
  if (distinct.size !== 1) return uncertainFactor;
  const [amount = 0] = distinct;
  return isFactor(base / amount) ? base / amount : uncertainFactor;
}

const isFactor = (factor: number): boolean => Number.isSafeInteger(factor) && factor >= 1;
