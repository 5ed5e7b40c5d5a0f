import type { TSchema } from "typebox";
import { validator } from "../contract/validator.ts";
import { localise } from "../messages/localise.ts";
import { problemText } from "../sdk/problem-text.ts";
import { type ConfigPath, type Objection, pathOf } from "./config-error.ts";
import { configShape, shapeAt } from "./config-shape.ts";

/** What a schema has against options; unknown ones are told elsewhere, with those that are known. */
export function wrongOptions(schema: TSchema, options: unknown, isSecret: (path: ConfigPath) => boolean): Objection[] {
  const { isValid, problems } = validator(schema);
  if (isValid(options)) return [];
  return problems(options)
    .filter(({ detail }) => detail !== "additionalProperties")
    .map((problem) => {
      const path = pathOf(problem.field);
      // The value itself is nobody's business: an error ends up in logs and tickets.
      const shown = isSecret(path)
        ? { ...problem, field: "this", found: "a value from outside the file" }
        : { ...problem, field: "this" };
      const hint = shapeAt(configShape(schema), path)?.description;
      return {
        path,
        text:
          problem.detail === "pattern"
            ? `${shown.found} does not have the form it needs`
            : localise(problemText(shown), "en").replace(/^this:? /, ""),
        ...(hint === undefined ? {} : { hint }),
      };
    });
}
