import type { TSchema } from "typebox";
import { Build, Errors } from "typebox/schema";
import { Settings } from "typebox/system";
import { canonicalNames } from "./canonical-names.ts";
import type { Problem } from "./problem.ts";
import { type SchemaError, schemaProblems, valueAt } from "./schema-problems.ts";

export interface Validator {
  /** Gives members their documented spelling, in place if possible. */
  readonly canonical: (value: unknown) => unknown;
  readonly isValid: (value: unknown) => boolean;
  /**
   * Returns all problems of an invalid value. It is slow, so it is called only after isValid returned false. `asSent` is
   * the same value with every digit of its numbers; the problems show what is found there.
   */
  readonly problems: (value: unknown, asSent?: unknown) => Problem[];
  /**
   * Returns the total number of problems, even if the list was cut. It takes that list, so that problems are searched
   * only once.
   */
  readonly problemCount: (value: unknown, listed: readonly Problem[]) => number;
}

// By default the library stops at eight errors, but a person corrects all at once. The limit protects the memory
// against a value full of errors.
Settings.Set({ maxErrors: 10_000 });

/** Problems of a list beyond this number are only counted: nobody reads them, and a bad body can have millions. */
const maxListProblems = 1_000;
const maxCountedInDetail = 10_000;

/**
 * Compiled without the text of its code. The library would keep that as small pieces, two hundred thousand for all
 * schemas: two fifths of all objects of the main thread, which each full garbage collection has to visit.
 */
export function compiledCheck(schema: TSchema) {
  const compiled = Build(schema).Evaluate();
  Reflect.set(compiled, "code", "");
  return compiled;
}

export function validator(schema: TSchema): Validator {
  const compiled = compiledCheck(schema);
  const whole = {
    canonical: canonicalNames(schema),
    isValid: (value: unknown) => compiled.Check(value),
    // The errors of the library, with the members that are read here.
    problems: (value: unknown, asSent: unknown = value) =>
      schemaProblems(Errors(schema, value)[1] as unknown as SchemaError[], asSent, schema),
  };
  // Only schemas of lists have these members.
  const { items } = schema as { items?: TSchema };
  if (items === undefined) return { ...whole, problemCount: (_value, listed) => listed.length };
  // Only schemas of lists have this member.
  const { maxItems = Infinity } = schema as { maxItems?: number };
  return { ...whole, ...listProblems(validator(items), maxItems, whole.problems) };
}

/** Element by element: the library would keep every error of the whole list before the first can be reported. */
function listProblems(
  element: Validator,
  maxItems: number,
  ofNoList: Validator["problems"],
): Pick<Validator, "problems" | "problemCount"> {
  return {
    problems: (value, asSent = value) => {
      if (!Array.isArray(value)) return ofNoList(value, asSent);
      // Nothing else is reported, because checking millions of elements takes seconds.
      if (value.length > maxItems) return [{ field: "", expected: "elements", detail: String(maxItems) }];
      const problems: Problem[] = [];
      for (let index = 0; index < value.length && problems.length < maxListProblems; index++) {
        if (element.isValid(value[index])) continue;
        for (const problem of element.problems(value[index], valueAt(asSent, `/${index}`))) {
          const field = problem.field === "" ? `[${index}]` : `[${index}].${problem.field}`;
          problems.push({ ...problem, field });
        }
      }
      return problems;
    },
    problemCount: (value, listed) => {
      if (!Array.isArray(value) || value.length > maxItems) return listed.length;
      let count = 0;
      for (const one of value) {
        if (element.isValid(one)) continue;
        count += count < maxCountedInDetail ? element.problemCount(one, element.problems(one)) : 1;
      }
      return count;
    },
  };
}
