import { UnitOfMeasure } from "../../../contract/enums.ts";

export const uncertainFactor = 0;

export interface FactorSight {
  /** The line's amount in base units, as the platform shows it. */
  readonly base: number;
  /** Amounts the line has had in its own unit: the platform may have fetched any of them. */
  readonly amounts: readonly number[];
  readonly unit: number;
  /** What an unmistakable line of the same item and unit has taught before. */
  readonly remembered: number | null;
}

/**
 * How many base units one unit of the order line has, or 0 where that is not certain: a wrong factor would
 * cut a running line to a wrong amount, so two possible answers count as none.
 */
export function learnFactor({ base, amounts, unit, remembered }: FactorSight): number {
  const possible = new Set(amounts.map((amount) => base / amount).filter((factor) => isFactor(factor)));
  if (possible.size === 1) return possible.values().next().value ?? uncertainFactor;
  if (remembered !== null && possible.has(remembered)) return remembered;
  // Pieces are counted one by one unless the amounts leave no other reading.
  if (unit === UnitOfMeasure.Piece && possible.has(1)) return 1;
  return uncertainFactor;
}

const isFactor = (factor: number): boolean => Number.isSafeInteger(factor) && factor >= 1;
