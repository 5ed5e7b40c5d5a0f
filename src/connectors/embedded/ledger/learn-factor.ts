import { UnitOfMeasure } from "../../../contract/enums.ts";

export const uncertainFactor = 0;

export interface FactorSight {
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
