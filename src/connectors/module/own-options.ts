import type { TObject } from "typebox";
import { Default } from "typebox/value";
import { validator } from "../../contract/validator.ts";
import { localise } from "../../messages/localise.ts";
import type { OptionProblem } from "../../sdk/connector.ts";
import { problemText } from "../../sdk/problem-text.ts";

/** The options of a customer's connector with their defaults, and what is wrong with them. */
export function ownOptions(
  schema: TObject,
  given: Readonly<Record<string, unknown>>,
): { value: Record<string, unknown>; problems: OptionProblem[] } {
  // The schema is an object's, and filling an object in leaves it one.
  const value = Default(schema, structuredClone(given)) as Record<string, unknown>;
  const { isValid, problems } = validator(schema);
  if (isValid(value)) return { value, problems: [] };
  return {
    value,
    problems: problems(value).map(({ found: _, ...problem }) => ({
      path: problem.field,
      // Without what was found: it may be a secret, and errors end up in logs.
      text: localise(problemText({ ...problem, field: "this" }), "en").replace(/^this: /, ""),
    })),
  };
}
