import type { TSchema } from "typebox";
import { compileMapping, type Mapped, type Mapping, MappingError } from "../../sdk/mapping/compile-mapping.ts";
import type { Compiling, OptionProblem } from "./compiling.ts";

/** Without rules a record is taken as it comes: its columns are named as the contract names its members. */
const asItIs: Mapping = {
  apply: (source) => ({ value: source, problems: [] }),
  sourceOf: (field) => field,
};

export function compileMap(
  spec: unknown,
  target: TSchema | undefined,
  path: OptionProblem["path"],
  { dates, problems }: Compiling,
): Mapping {
  if (spec === undefined) return asItIs;
  try {
    return compileMapping(spec, { dates, ...(target === undefined ? {} : { target }) });
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    for (const { path: inner, text, position } of error.problems) {
      const place = position === undefined ? "" : ` (line ${position.line}, column ${position.column})`;
      problems.push({ path: [...path, ...inner.split(".").filter(Boolean)], text: text + place });
    }
    return asItIs;
  }
}

/**
 * What the mapping made, with everything it could not do put where the member is missing: whoever checks the record
 * against the contract finds it there, and keeps back this one record instead of serving it without the member.
 */
export function withProblems({ value, problems }: Mapped): unknown {
  if (problems.length === 0) return value;
  return problems.reduce((spoiled, { field, text }) => withMember(spoiled, stepsOf(field), { problem: text }), value);
}

const stepsOf = (field: string): string[] => field.split(/[.[\]]/).filter(Boolean);

function withMember(value: unknown, steps: readonly string[], member: unknown): unknown {
  const [first, ...rest] = steps;
  if (first === undefined) return member;
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => (index === Number(first) ? withMember(one, rest, member) : one));
  }
  const members = typeof value === "object" && value !== null ? value : {};
  return { ...members, [first]: withMember(Reflect.get(members, first), rest, member) };
}
