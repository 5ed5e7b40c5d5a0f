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
  const value = Default(schema, fitted(schema, structuredClone(given))) as Record<string, unknown>;
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

/** What JSON Schema says of a value; TypeBox hides it. */
interface Shape {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** The environment has texts only: a port or a flag that comes from there is made what the schema wants. */
function fitted(shape: Shape | undefined, value: unknown): unknown {
  if (typeof value === "string") {
    const { type } = shape ?? {};
    if ((type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
    return type === "boolean" && /^(true|false)$/.test(value) ? value === "true" : value;
  }
  if (Array.isArray(value)) return value.map((one: unknown) => fitted(shape?.items, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fitted(shape?.properties?.[name], member)]),
  );
}
