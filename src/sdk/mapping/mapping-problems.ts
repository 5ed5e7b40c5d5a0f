import type { TSchema } from "typebox";
import type { OptionProblem } from "../connector.ts";
import { compileMapping, MappingError } from "./compile-mapping.ts";
import type { SourceShape } from "./source-shape.ts";

// Only to read the rules: whether they can be read does not depend on it.
const dates = { timeZone: "UTC", timeOfDay: "00:00" };

/** Everything that is wrong in the field rules at this place of the options. */
export function mappingProblems(
  map: unknown,
  {
    target,
    source,
    path,
  }: {
    readonly target?: TSchema | undefined;
    /** What is known of the records that are read. */
    readonly source?: SourceShape | undefined;
    readonly path: readonly (string | number)[];
  },
): OptionProblem[] {
  if (map === undefined) return [];
  try {
    compileMapping(map, {
      dates,
      ...(target === undefined ? {} : { target }),
      ...(source === undefined ? {} : { source }),
    });
    return [];
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return error.problems.map(({ path: inner, text, position }) => ({
      path: [...path, ...inner.split(".").filter(Boolean)],
      text:
        position === undefined ? text : `${text} (line ${position.line}, column ${position.column} of the expression)`,
    }));
  }
}
