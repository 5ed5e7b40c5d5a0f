import { recentValues } from "../../../kit/recent-values.ts";
import type { Database } from "../../../kit/sqlite.ts";

export interface FactorMemory {
  readonly recall: (itemNumber: string, unit: number) => number | null;
  readonly remember: (itemNumber: string, unit: number, factor: number) => void;
  /** After a rollback: what was learned last may not be stored. */
  readonly forget: () => void;
}

/** Items that are picked all day are not looked up every time. */
const rememberedFactors = 10_000;

/** Factors of items, learned from lines that left no doubt. */
export function openFactorMemory(database: Database): FactorMemory {
  const recall = database.statement("SELECT factor FROM item_factor WHERE item_number = ? AND unit = ?");
  const remember = database.statement(
    `INSERT INTO item_factor (item_number, unit, factor) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET factor = excluded.factor`,
  );
  const recent = recentValues<{ readonly factor: number | null }>(rememberedFactors);
  const keyOf = (itemNumber: string, unit: number) => `${unit} ${itemNumber}`;
  return {
    recall: (itemNumber, unit) => {
      const known = recent.get(keyOf(itemNumber, unit));
      if (known !== undefined) return known.factor;
      const factor = recall.get<{ factor: number }>(itemNumber, unit)?.factor ?? null;
      recent.set(keyOf(itemNumber, unit), { factor });
      return factor;
    },
    remember: (itemNumber, unit, factor) => {
      remember.run(itemNumber, unit, factor);
      recent.set(keyOf(itemNumber, unit), { factor });
    },
    forget: recent.clear,
  };
}
