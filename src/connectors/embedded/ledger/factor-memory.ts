import type { Database } from "../../../kit/sqlite.ts";

export interface FactorMemory {
  readonly recall: (itemNumber: string, unit: number) => number | null;
  readonly remember: (itemNumber: string, unit: number, factor: number) => void;
}

/** Factors of items, learned from lines that left no doubt. */
export function openFactorMemory(database: Database): FactorMemory {
  const recall = database.statement("SELECT factor FROM item_factor WHERE item_number = ? AND unit = ?");
  const remember = database.statement(
    `INSERT INTO item_factor (item_number, unit, factor) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET factor = excluded.factor`,
  );
  return {
    recall: (itemNumber, unit) => recall.get<{ factor: number }>(itemNumber, unit)?.factor ?? null,
    remember: (itemNumber, unit, factor) => {
      remember.run(itemNumber, unit, factor);
    },
  };
}
