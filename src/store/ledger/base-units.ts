import { UnitOfMeasure } from "../../contract/enums.ts";
import { type FactorMemory, learnFactor, uncertainFactor } from "./factor-memory.ts";
import { type LedgerLine, roundAmount } from "./ledger-line.ts";
import type { LineRef } from "./line-ref.ts";
import type { openPossibleAmounts } from "./new-ledger-line.ts";

/** How amounts in the unit of an order line become amounts in base units, as the platform counts. */
export interface BaseUnits {
  readonly inBaseUnits: (line: LedgerLine, ref: LineRef) => LedgerLine;
  readonly unknownLineFactor: (item: string, unit: number, base: number | null) => number | null;
  /** Clears what is kept in memory; called after a rollback. */
  readonly forget: () => void;
}

export function openBaseUnits(needs: {
  readonly factors: FactorMemory;
  readonly possibleAmounts: ReturnType<typeof openPossibleAmounts>;
}): BaseUnits {
  const { factors, possibleAmounts } = needs;

  /**
   * Converts a ledger line from the order line's unit to base units, once the platform has shown an amount in base
   * units.
   */
  const inBaseUnits = (line: LedgerLine, { requested: base, indistinguishable }: LineRef): LedgerLine => {
    if (base === null) return line;
    if (line.factor === uncertainFactor) return { ...line, factor: laterFactor(line, base, indistinguishable) };
    if (line.factor !== null) return line;
    const factor = factorOf(line, base, indistinguishable);
    const scale = factor === uncertainFactor ? 1 : factor;
    const picked = roundAmount(line.picked * scale);
    const requested = Math.max(base, picked);
    // A line that an earlier model left out and nobody gave up is there after all.
    const gone = line.shortPicked === 0 ? 0 : roundAmount(line.cancelled * scale);
    const cancelled = Math.min(gone, roundAmount(requested - picked));
    const shortPicked = Math.min(roundAmount(line.shortPicked * scale), cancelled);
    return {
      ...line,
      factor,
      requested,
      picked,
      cancelled,
      shortPicked,
      overPicked: roundAmount(line.overPicked * scale),
    };
  };

  const factorOf = (line: LedgerLine, shown: number, indistinguishable: LineRef["indistinguishable"]): number => {
    if (line.unit === UnitOfMeasure.Piece) return 1;
    const { base, amounts } = possibleAmounts(line, shown, indistinguishable);
    const carried = factors.recall(line.itemNumber, line.unit);
    const factor = learnFactor({ base, amounts, unit: line.unit, carried });
    if (factor === uncertainFactor) {
      if (carried !== null) factors.contradict(line.itemNumber, line.unit);
    } else if (amounts.size === 1) {
      factors.observe(line.itemNumber, line.unit, { factor, amount: base / factor });
    }
    return factor;
  };

  /** The factor of a line that was in doubt at its first event: other orders may have shown it since. */
  const laterFactor = (line: LedgerLine, shown: number, indistinguishable: LineRef["indistinguishable"]): number => {
    const carried = factors.recall(line.itemNumber, line.unit);
    if (carried === null) return uncertainFactor;
    // `requested` is in base units by now and no longer an amount that was served.
    const { base, amounts } = possibleAmounts({ ...line, requested: line.intake ?? 0 }, shown, indistinguishable);
    return learnFactor({ base, amounts, unit: line.unit, carried });
  };

  /** The factor of a line that no served content ever had. */
  const unknownLineFactor = (item: string, unit: number, base: number | null): number | null => {
    if (unit === UnitOfMeasure.Piece) return 1;
    // Without an amount in base units, as at a put wall, the ledger line is in the line's own unit.
    return base === null ? null : (factors.recall(item, unit) ?? uncertainFactor);
  };

  return { inBaseUnits, unknownLineFactor, forget: factors.forget };
}
