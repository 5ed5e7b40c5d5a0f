import type { TSchema } from "typebox";
import { compileMapping, type Mapping, MappingError } from "../../sdk/mapping/compile-mapping.ts";
import type { SourceShape } from "../../sdk/mapping/source-shape.ts";
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
  source?: SourceShape,
): Mapping {
  if (spec === undefined) return asItIs;
  try {
    return compileMapping(spec, {
      dates,
      ...(target === undefined ? {} : { target }),
      ...(source === undefined ? {} : { source }),
    });
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    for (const { path: inner, text, position } of error.problems) {
      const place = position === undefined ? "" : ` (line ${position.line}, column ${position.column})`;
      problems.push({ path: [...path, ...inner.split(".").filter(Boolean)], text: text + place });
    }
    return asItIs;
  }
}
