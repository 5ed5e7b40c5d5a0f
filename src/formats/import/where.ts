import { type Static, Type } from "typebox";
import type { CsvRows } from "../csv/csv-rows.ts";
import { foldName } from "../fields/enum-names.ts";

type RowVerdict = "taken" | "left-out" | "unclear";

/**
 * Filters rows by `where`. A row without its own number belongs to the last row that has one. If that row was filtered
 * out, this row must go too, or it would be added to the previous order. A blank cell of such a row may stand for
 * the value of the first row. If that leaves two meanings, the row is unclear and the file is refused.
 */
export class RowFilter {
  leftOut = 0;
  /** Heading of the column that made the last row unclear. */
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
      const isReported = failed !== undefined && (rows.trimmed(failed.index) !== "" || wantsBlank(failed.condition));
      if (!isReported) {
        this.unclearColumn = (failed ?? this.#conditions[0])?.header ?? "";
        return "unclear";
      }
    }
    if (isTaken) return "taken";
    this.leftOut++;
    return "left-out";
  }
}

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const oneOrMore = Type.Union([scalar, Type.Array(scalar, { minItems: 1 })]);
export const conditionSchema = Type.Union(
  [
    oneOrMore,
    Type.Object(
      {
        not: Type.Optional(oneOrMore),
        filled: Type.Optional(Type.Boolean()),
        startsWith: Type.Optional(oneOrMore),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
  ],
  { description: "A value, a list of values, or an object with `not`, `filled` (true or false) or `startsWith`." },
);

/**
 * The rows or records of a file that are read; all conditions must be met. Plain data, because it is sent between
 * threads.
 */
export const whereSchema = Type.Record(Type.String(), conditionSchema, {
  description:
    "Which rows are read, by column: a value, a list of values, or an object with `not`, `filled` (true or false) or " +
    "`startsWith`. All conditions must be met; case-insensitive.",
});
export type Where = Static<typeof whereSchema>;
export type Condition = Where[string];

const texts = (value: Static<typeof oneOrMore>): string[] =>
  [value].flat().map((one) => String(one).trim().toLowerCase());

/** Whether a text, blank if missing, meets the condition. */
export function holds(condition: Condition, given: unknown): boolean {
  const text = given === null || given === undefined ? "" : String(given).trim().toLowerCase();
  if (typeof condition !== "object" || Array.isArray(condition)) return texts(condition).includes(text);
  const { not, filled, startsWith } = condition;
  return (
    (not === undefined || !texts(not).includes(text)) &&
    (filled === undefined || filled === (text !== "")) &&
    (startsWith === undefined || texts(startsWith).some((start) => text.startsWith(start)))
  );
}

/** Whether the condition is about blank cells: then a blank cell is a value and not a gap. */
const wantsBlank = (condition: Condition): boolean =>
  typeof condition === "object" && !Array.isArray(condition) && condition.filled !== undefined;

export interface ColumnCondition {
  readonly index: number;
  readonly header: string;
  readonly condition: Condition;
}

/** Finds the columns of the conditions, and the conditions whose column is missing. */
export function whereColumns(
  wheres: readonly (Where | undefined)[],
  headers: readonly string[],
): { conditions: ColumnCondition[]; missing: string[] } {
  const conditions: ColumnCondition[] = [];
  const missing: string[] = [];
  const folded = headers.map(foldName);
  for (const [name, condition] of wheres.flatMap((where) => Object.entries(where ?? {}))) {
    const index = folded.indexOf(foldName(name));
    if (index < 0) missing.push(name);
    else conditions.push({ index, header: headers[index] ?? name, condition });
  }
  return { conditions, missing };
}
