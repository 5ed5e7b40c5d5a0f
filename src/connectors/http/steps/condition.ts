import type { Scope } from "../../../http-client/answers/template.ts";
import { scopeAt } from "../../../http-client/answers/template.ts";
import { compileMapping, mappingProblems } from "../../../mapping/compile-mapping.ts";
import { isTrue } from "../../../mapping/expressions/expression.ts";
import { objectShape, type SourceShape } from "../../../mapping/source/source-shape.ts";
import type { DateSettings } from "../../../operation/dates.ts";
import { Fault } from "../../../operation/fault.ts";
import type { OptionProblem } from "../../../operation/option-problem.ts";
import { type PlaceholderScope, shapeAt } from "../placeholder-scope.ts";
import { isExpression, type MemberCondition, type WhenOptions } from "./condition-options.ts";

type Path = readonly (string | number)[];
type Evaluated = unknown | Promise<unknown>;

/** A value of the scope, by path or by expression. A failed expression is a fault: nothing is lost silently. */
export function compileValue(text: string, what: string, dates: DateSettings): (scope: Scope) => Evaluated {
  if (!isExpression(text)) return (scope) => scopeAt(scope, text);
  const mapping = compileMapping({ value: text }, { dates });
  const made = ({ value, problems }: { readonly value: unknown; readonly problems: readonly { text: string }[] }) => {
    const [problem] = problems;
    if (problem !== undefined) throw new Fault("rejected", `${what}: ${problem.text}`);
    // The mapping above makes an object with this one member.
    return (value as { readonly value?: unknown }).value;
  };
  return (scope) => {
    const mapped = mapping.apply(scope);
    return mapped instanceof Promise ? mapped.then(made) : made(mapped);
  };
}

/** Whether a condition is met; always true when none is configured. */
export type Condition = (scope: Scope) => boolean | Promise<boolean>;

export function compileCondition(when: WhenOptions | undefined, what: string, dates: DateSettings): Condition {
  if (when === undefined) return () => true;
  if (typeof when !== "string") return (scope) => isMember(when, scopeAt(scope, when.path));
  const value = compileValue(when, what, dates);
  return async (scope) => isTrue(await value(scope));
}

function isMember({ equals, in: among, not, exists }: MemberCondition, found: unknown): boolean {
  if (equals !== undefined) return found === equals;
  // The list has single values; the value found may be anything.
  if (among !== undefined) return (among as readonly unknown[]).includes(found);
  // As above.
  if (not !== undefined) return !([not].flat() as readonly unknown[]).includes(found);
  const hasValue = found !== undefined && found !== null;
  if (exists !== undefined) return hasValue === exists;
  return hasValue && found !== false;
}

/** Finds conditions that would be never or always true, when the configuration is loaded. */
export function conditionProblems(
  when: WhenOptions | undefined,
  path: Path,
  scope: PlaceholderScope,
): readonly OptionProblem[] {
  if (when === undefined) return [];
  if (typeof when === "string") {
    if (isExpression(when)) return expressionProblems(when, path, scope);
    const text = `${JSON.stringify(when)} is not an expression: one begins with =`;
    return [{ path, text, hint: `Write "= ${when}", or { path: ${when} } to test a member.` }];
  }
  const { path: tested, ...tests } = when;
  const given = Object.keys(tests);
  if (given.length > 1)
    return [{ path, text: `${given.join(" and ")} cannot stand together`, hint: "Keep one of them." }];
  const nothing = [tests.equals, tests.not].flat().includes(null) || tests.in?.includes(null) === true;
  if (nothing) {
    const hint = "Write `exists: false` for a member without a value, `exists: true` for one with a value.";
    return [
      { path: [...path, given[0] ?? "equals"], text: "null is never compared: a missing member is not null", hint },
    ];
  }
  const shape = shapeOfPath(tested, [...path, "path"], scope);
  if ("problems" in shape) return shape.problems;
  const values = [tests.equals, tests.in, tests.not].flat(2).filter((value) => value !== undefined);
  return values.flatMap((value) => valueProblem(value, tested, shape.shape, [...path, given[0] ?? "equals"]));
}

/** Checks a path or an expression that selects a list to repeat over, or part of an answer. */
export function valueProblems(text: string | undefined, path: Path, scope: PlaceholderScope): readonly OptionProblem[] {
  if (text === undefined) return [];
  if (isExpression(text)) return expressionProblems(text, path, scope);
  const found = shapeOfPath(text, path, scope);
  return "problems" in found ? found.problems : [];
}

const expressionProblems = (text: string, path: Path, scope: PlaceholderScope): OptionProblem[] =>
  mappingProblems({ value: text }, { source: objectShape(scope), path }).map((problem) => ({ ...problem, path }));

/** Names may contain nearly any character, but these only in quotes; otherwise somebody has written an expression. */
const isNoPath = (text: string): boolean => /[=<>()&|!?+*,]|\s(and|or|in|not)\s/.test(text.replace(/\["[^"]*"\]/g, ""));

function shapeOfPath(
  tested: string,
  path: Path,
  scope: PlaceholderScope,
): { readonly shape: SourceShape } | { readonly problems: OptionProblem[] } {
  if (isNoPath(tested)) {
    const hint = `An expression stands in place of the whole: "= ${tested.replace(/^\s*=\s*/, "")}".`;
    return { problems: [{ path, text: `${JSON.stringify(tested)} is not a path`, hint }] };
  }
  const found = shapeAt(tested, scope);
  return "problem" in found ? { problems: [{ path, text: `${tested}: ${found.problem}` }] } : found;
}

const typeNames: Readonly<Record<string, readonly string[]>> = {
  number: ["integer", "number"],
  string: ["string"],
  boolean: ["boolean"],
};

/** Checks the type of a compared value: a number in quotes equals no number, and nothing would ever be sent. */
function valueProblem(value: unknown, tested: string, shape: SourceShape, path: Path): OptionProblem[] {
  const types = [shape?.type ?? []].flat().filter((type) => type !== "null");
  const fits = types.length === 0 || (typeNames[typeof value] ?? []).some((type) => types.includes(type));
  if (!fits) {
    const text = `${tested} is never ${JSON.stringify(value)}: it is of type ${types.join(" or ")}`;
    return [{ path, text, hint: typeof value === "string" ? "Write it without quotes." : "Write it in quotes." }];
  }
  const allowed: readonly unknown[] = (shape?.enum ?? []).filter((one) => one !== null);
  if (allowed.length === 0 || allowed.includes(value)) return [];
  return [{ path, text: `${tested} is never ${JSON.stringify(value)}`, hint: `Its values: ${allowed.join(", ")}.` }];
}
