import { Type } from "typebox";
import { validator } from "../contract/validate/validator.ts";
import { type Condition, conditionSchema, holds, type Where, whereSchema } from "../formats/import/where.ts";
import { memberAt, pathFlaw } from "../kit/json/member-path.ts";
import { namesMeant } from "../kit/nearest-name.ts";
import type { OptionProblem } from "../operation/option-problem.ts";
import { type Expression, ExpressionError, expression } from "./expressions/expression.ts";

/** Why it cannot be decided whether a record is wanted. */
export interface Undecided {
  readonly reason: string;
}

/** Whether a record is wanted. */
export type RecordFilter = (
  record: unknown,
  variables?: Readonly<Record<string, unknown>>,
) => boolean | Promise<boolean | Undecided>;

/** `where` as an option: conditions by path, or an expression. */
export const whereOption = (description: string) =>
  Type.Optional(
    Type.Unsafe<Where | string>({
      anyOf: [
        { ...whereSchema, description: "Conditions by path." },
        { type: "string", pattern: "^\\s*=" },
      ],
      description:
        `${description}: conditions by path (a value, a list of values, or an object with \`not\`, \`filled\` or ` +
        "`startsWith`; all must be met; case-insensitive), or `= JSONata expression` that is true or false.",
    }),
  );

/** Compiles `where`; throws an ExpressionError. */
export function compileRecordFilter(where: Where | string): RecordFilter {
  if (typeof where === "string") return expressionFilter(where);
  const conditions = Object.entries(where);
  return (record) => conditions.every(([path, condition]) => holds(condition, memberAt(record, path)));
}

/**
 * Whether a record of which some members are missing may be wanted. It may not only if what is there decides it. Of an
 * expression nobody knows what it reads.
 */
export function compilePossible(where: Where | string): (record: unknown) => boolean {
  if (typeof where === "string") return () => true;
  const conditions = Object.entries(where);
  return (record) =>
    conditions.every(([path, condition]) => {
      const value = memberAt(record, path);
      // Of an object or a list, a part may be missing.
      return value === undefined || typeof value === "object" || holds(condition, value);
    });
}

/** Compiles `where: "= expression"`. The sign becomes a space, so that positions match the text. */
export function filterExpression(text: string): Expression {
  const start = text.indexOf("=") + 1;
  return expression(" ".repeat(start) + text.slice(start));
}

function expressionFilter(text: string): RecordFilter {
  const { evaluate } = filterExpression(text);
  return async (record, variables = {}) => {
    try {
      const found: unknown = await evaluate(record, variables);
      // A missing member makes a comparison false. Any value other than true or false is a mistake in the expression.
      if (found === undefined || typeof found === "boolean") return found ?? false;
      return { reason: `\`where\` gives ${JSON.stringify(found)?.slice(0, 60)} instead of true or false` };
    } catch (error) {
      // JSONata throws objects that are not errors; most have a message.
      return {
        reason: `\`where\` failed: ${String((error as { message?: unknown })?.message ?? error).slice(0, 200)}`,
      };
    }
  };
}

/** Compiles one condition of `where`, because it is checked for every line of every order. */
export function compileHolds(condition: Condition): (value: unknown) => boolean {
  if (typeof condition === "object" && !Array.isArray(condition)) return (value) => holds(condition, value);
  const exact = new Set([condition].flat().map(String));
  return (value) => exact.has(String(value)) || holds(condition, value);
}

const conditions = validator(conditionSchema);
const tests = ["not", "filled", "startsWith"];

/** Why a value cannot be a condition of `where`; undefined if it is one. */
export function conditionFlaw(given: unknown): string | undefined {
  if (conditions.isValid(given)) return undefined;
  const names = typeof given === "object" && given !== null && !Array.isArray(given) ? Object.keys(given) : [];
  const [unknown] = names.filter((name) => !tests.includes(name));
  const meant = unknown === undefined ? [] : namesMeant(unknown, tests);
  const what = unknown === undefined ? "" : `${JSON.stringify(unknown)} is no condition: `;
  const hint = meant.length === 0 ? "" : `; did you mean ${meant.join(" or ")}?`;
  return `${what}must be a value, a list of values, or an object with not, filled or startsWith${hint}`;
}

/** Checks of `where` that the schema cannot express. */
export function whereProblems(where: Where | string | undefined, path: readonly (string | number)[]): OptionProblem[] {
  if (where === undefined) return [];
  if (typeof where !== "string") {
    return Object.entries(where).flatMap(([name, condition]) => {
      const flaw = pathFlaw(name) ?? conditionFlaw(condition);
      return flaw === undefined ? [] : [{ path: [...path, name], text: flaw }];
    });
  }
  try {
    compileRecordFilter(where);
    return [];
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return [{ path, text: error.message }];
  }
}
