import { UnitOfMeasure } from "../../contract/enums.ts";
import { recentValues } from "../../kit/recent-values.ts";
import { pick } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { itemFactorRow } from "../store-rows.ts";

export interface FactorMemory {
  /** The factor that two different amounts have shown; null when there is none. */
  readonly recall: (itemNumber: string, unit: number) => number | null;
  /** Stores the factor that a line with a single served content has shown for that amount. */
  readonly observe: (itemNumber: string, unit: number, observed: Observation) => void;
  /** Called when a line contradicts the stored factor: the factor is no longer used for other orders. */
  readonly contradict: (itemNumber: string, unit: number) => void;
  /** Called after a rollback: what was learned last may not be stored. */
  readonly forget: () => void;
}

interface Observation {
  readonly factor: number;
  readonly amount: number;
}

interface Known extends Observation {
  /** Whether a second amount has shown the same factor. */
  readonly isProven: boolean;
}

/** Kept in memory, so that items picked all day are not read from the table every time. */
const rememberedFactors = 10_000;

const factorRow = pick(itemFactorRow, "factor", "amount", "proven");

/**
 * Factors of items. A single line may have been lowered on the floor before it was shown: only two different amounts
 * prove a factor.
 */
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

interface FactorFacts {
  /** The line's amount in base units, as the platform shows it. */
  readonly base: number;
  /**
   * Every amount that a served content had for this line, in its own unit: the platform may have fetched any of them.
   */
  readonly amounts: ReadonlySet<number>;
  readonly unit: number;
  /** The factor that two different amounts of the same item and unit have shown before; null when there is none. */
  readonly carried: number | null;
}

/**
 * How many base units one unit of the order line has; 0 when that is in doubt. A wrong factor would lower a running
 * line to a wrong amount, so two possible answers count as none. Pieces have factor 1.
 */
export function learnFactor({ base, amounts, unit, carried }: FactorFacts): number {
  if (unit === UnitOfMeasure.Piece) return 1;
  if (carried !== null) return base > 0 && amounts.has(base / carried) ? carried : uncertainFactor;
  // Thousands of lines may have as many amounts: two of them are enough to know that there is more than one.
  const [amount = 0, other] = amounts
    .values()
    .filter((one) => one > 0)
    .take(2);
  if (amount === 0 || other !== undefined) return uncertainFactor;
  return isFactor(base / amount) ? base / amount : uncertainFactor;
}

const isFactor = (factor: number): boolean => Number.isSafeInteger(factor) && factor >= 1;
