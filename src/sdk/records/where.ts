import { type Static, Type } from "typebox";
import { foldName } from "./fold-name.ts";

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const oneOrMore = Type.Union([scalar, Type.Array(scalar, { minItems: 1 })]);
const condition = Type.Union([
  oneOrMore,
  Type.Object(
    {
      not: Type.Optional(oneOrMore),
      filled: Type.Optional(Type.Boolean()),
      startsWith: Type.Optional(oneOrMore),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
]);

/** Which rows or records of a file are read; all conditions must hold. Plain data, so that it can cross threads. */
export const whereSchema = Type.Record(Type.String(), condition, {
  description:
    "Which rows are read, by column: a value, a list of values, or an object with `not`, `filled` (true or false) or " +
    "`startsWith`. All must hold; letter case does not count.",
});
export type Where = Static<typeof whereSchema>;
export type Condition = Where[string];

const texts = (value: Static<typeof oneOrMore>): string[] =>
  [value].flat().map((one) => String(one).trim().toLowerCase());

/** Whether a text, blank where there is none, is what the condition asks for. */
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

/** Whether the condition speaks about blank cells itself, so that one is an answer and no gap. */
export const asksForBlank = (condition: Condition): boolean =>
  typeof condition === "object" && !Array.isArray(condition) && condition.filled !== undefined;

export interface ColumnCondition {
  readonly index: number;
  readonly header: string;
  readonly condition: Condition;
}

/** The conditions by the columns of a file, and those whose column is not there. */
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
