import { Type } from "typebox";
import { ExpressionError, expression, isTrue } from "../../mapping/expressions/expression.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import type { ReadAnswer } from "./read-answer.ts";
import type { Answer } from "./read-body.ts";
import { memberAt, pathFlaw } from "./template.ts";

type Scalar = string | number | boolean | null;

/** A configured condition on an answer. All given members must match. */
export interface AnswerCondition {
  readonly status?: number | readonly number[] | undefined;
  readonly code?: string | undefined;
  readonly codePath?: string | undefined;
  readonly path?: string | undefined;
  readonly equals?: Scalar | undefined;
  readonly in?: readonly Scalar[] | undefined;
  readonly not?: Scalar | readonly Scalar[] | undefined;
  readonly when?: string | undefined;
}

/** An answer as conditions and expressions see it. */
export interface JudgedAnswer {
  readonly status: number;
  readonly headers: Answer["headers"];
  readonly json: unknown;
  readonly text: string;
  /** Further variables of expressions, such as `$cookies`. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export const judgedAnswer = ({ status, headers }: Answer, { json, text }: ReadAnswer): JudgedAnswer => ({
  ...{ status, headers, json, text },
});

export type AnswerTest = (answer: JudgedAnswer) => Promise<boolean>;

const defaultCodePath = "code";

const httpStatus = Type.Integer({ minimum: 100, maximum: 599 });
const scalarTypes = ["string", "number", "boolean", "null"];
const scalars = { type: "array", items: { type: scalarTypes }, minItems: 1 };
const scalar = (description: string) => Type.Unsafe<Scalar>({ type: scalarTypes, description });

/** An expression over an answer. Its input is the JSON; `$status`, `$headers` and `$text` give the rest. */
export const answerExpression = (description: string) => Type.Optional(Type.String({ description, pattern: "^\\s*=" }));

/** The members of a condition in the options. */
export const conditionMembers = {
  status: Type.Optional(
    Type.Unsafe<number | readonly number[]>({
      anyOf: [httpStatus, { type: "array", items: httpStatus, minItems: 1 }],
      description: "Only with this status, or one of these.",
    }),
  ),
  code: Type.Optional(Type.String({ description: "Only if the answer has this code." })),
  codePath: Type.Optional(
    Type.String({ description: `Path of the code in the answer; default: \`${defaultCodePath}\`.`, minLength: 1 }),
  ),
  path: Type.Optional(
    Type.String({ description: "Path of the member that is tested, such as `error[0]`.", minLength: 1 }),
  ),
  equals: Type.Optional(scalar("Value that the member must have; default: anything but false, null and missing.")),
  in: Type.Optional(Type.Unsafe<readonly Scalar[]>({ ...scalars, description: "Values of which it must have one." })),
  not: Type.Optional(
    Type.Unsafe<Scalar | readonly Scalar[]>({
      anyOf: [{ type: scalarTypes }, scalars],
      description: "Value, or values, that it must not have; a missing member has none of them.",
    }),
  ),
  when: answerExpression(
    '`= JSONata expression` over the answer, such as `= $contains(error.message, "locked")`; `$status`, `$headers` (names in small letters) and `$text` are the rest of the answer.',
  ),
};

/** Compiles a condition. An expression that fails at run time is a condition that is not met. */
export function compileCondition(given: AnswerCondition): AnswerTest {
  const { status, code, codePath = defaultCodePath, path, when } = given;
  const statuses = status === undefined ? undefined : [status].flat();
  const evaluate = when === undefined ? undefined : compileAnswerExpression(when);
  return async (answer) => {
    if (statuses !== undefined && !statuses.includes(answer.status)) return false;
    if (code !== undefined && !isCode(memberAt(answer.json, codePath), code)) return false;
    if (path !== undefined && !isMember(memberAt(answer.json, path), given)) return false;
    // An expression fails if the answer has an unexpected form. The condition is then not met, and the other rules
    // decide.
    return evaluate === undefined || isTrue(await evaluate(answer).catch(() => undefined));
  };
}

/** Whether one of the conditions is met. */
export async function anyMatches(conditions: readonly AnswerTest[], answer: JudgedAnswer): Promise<boolean> {
  for (const matches of conditions) if (await matches(answer)) return true;
  return false;
}

export const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

const isCode = (found: unknown, code: string): boolean =>
  (typeof found === "string" || typeof found === "number") && String(found) === code;

export function isMember(found: unknown, { equals, in: among, not }: Omit<AnswerCondition, "path">): boolean {
  // Compared as YAML reads the values: a missing member equals none of them, not even null.
  const has = (value: Scalar) => found === value;
  if (not !== undefined) return ![not].flat().some(has);
  if (among !== undefined) return among.some(has);
  return equals === undefined ? isSet(found) : has(equals);
}

/** Compiles `= expression`; throws an ExpressionError. */
export function compileAnswerExpression(text: string): (answer: JudgedAnswer) => Promise<unknown> {
  const start = text.indexOf("=") + 1;
  const { evaluate } = expression(" ".repeat(start) + text.slice(start));
  return ({ json, status, headers, text: words, more = {} }) =>
    evaluate(json, { status, headers: { ...headers }, text: words, ...more });
}

type Path = readonly (string | number)[];

/** Returns what is wrong with a path in the options. */
export function pathProblems(path: string | undefined, at: Path): OptionProblem[] {
  const flaw = path === undefined ? undefined : pathFlaw(path);
  return flaw === undefined ? [] : [{ path: at, text: flaw }];
}

/** Returns what is wrong with an expression over an answer. */
export function expressionProblems(text: string | undefined, at: Path): OptionProblem[] {
  if (text === undefined) return [];
  try {
    compileAnswerExpression(text);
    return [];
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { message, position } = error;
    const place = position === undefined ? "" : ` (line ${position.line}, column ${position.column} of the expression)`;
    return [{ path: at, text: `${message}${place}` }];
  }
}

/** Checks what the schema cannot express about a condition. */
export function conditionProblems(given: AnswerCondition, at: Path): OptionProblem[] {
  const { path, codePath, code, when, equals, in: among, not } = given;
  const tests = Object.entries({ equals, in: among, not }).filter(([, value]) => value !== undefined);
  const [first] = tests;
  return [
    ...pathProblems(path, [...at, "path"]),
    ...pathProblems(codePath, [...at, "codePath"]),
    ...expressionProblems(when, [...at, "when"]),
    ...(path === undefined && first !== undefined
      ? [{ path: [...at, first[0]], text: "the path of the member that is tested is missing", hint: "Set `path`." }]
      : []),
    ...(tests.length > 1 ? [{ path: [...at], text: `set only one of ${tests.map(([name]) => name).join(", ")}` }] : []),
    ...(codePath !== undefined && code === undefined
      ? [{ path: [...at, "codePath"], text: "the code is missing", hint: "Set `code`, or test `path` and `equals`." }]
      : []),
  ];
}
