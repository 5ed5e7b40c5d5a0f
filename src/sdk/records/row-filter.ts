import type { CsvRows } from "./csv-rows.ts";
import { asksForBlank, type ColumnCondition, holds } from "./where.ts";

export type RowVerdict = "taken" | "left-out" | "unclear";

/**
 * Decides about rows by `where`. A row without a number of its own belongs to the one above that has one: if that was
 * left out, the row cannot stay, or it would be booked to the order before; and a blank cell of such a row may stand for
 * what the first row says. Where that leaves two meanings the row is unclear, and the file is refused.
 */
export class RowFilter {
  leftOut = 0;
  /** Heading of the column that made the latest row unclear. */
  unclearColumn = "";
  readonly #conditions: readonly ColumnCondition[];
  readonly #numberIndex: number | undefined;
  #isHeadTaken: boolean | null = null;

  constructor(conditions: readonly ColumnCondition[], numberIndex: number | undefined) {
    this.#conditions = conditions;
    this.#numberIndex = numberIndex;
  }

  get isActive(): boolean {
    return this.#conditions.length > 0;
  }

  judge(rows: Pick<CsvRows, "trimmed">): RowVerdict {
    const failed = this.#conditions.find(({ index, condition }) => !holds(condition, rows.trimmed(index)));
    const isTaken = failed === undefined;
    const isHead = this.#numberIndex === undefined || rows.trimmed(this.#numberIndex) !== "";
    if (isHead) this.#isHeadTaken = isTaken;
    else if (this.#isHeadTaken !== null && this.#isHeadTaken !== isTaken) {
      const isSaid = failed !== undefined && (rows.trimmed(failed.index) !== "" || asksForBlank(failed.condition));
      if (!isSaid) {
        this.unclearColumn = (failed ?? this.#conditions[0])?.header ?? "";
        return "unclear";
      }
    }
    if (isTaken) return "taken";
    this.leftOut++;
    return "left-out";
  }
}
