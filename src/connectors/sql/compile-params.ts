import { Fault } from "../../sdk/fault.ts";
import { objectShape } from "../../sdk/mapping/source-shape.ts";
import type { Given } from "./bound-statement.ts";
import { compileMap } from "./compile-map.ts";
import type { Compiling, OptionProblem } from "./compiling.ts";
import { anything, joinedScope, type Scope } from "./statement/parameter-scope.ts";

export interface Params {
  readonly scope: Scope;
  /** What comes in, and the further parameters made of it. */
  readonly fill: (given: Given) => Promise<Given>;
}

/** Parameters that a mapping makes of what comes in. */
export function compileParams(
  spec: Readonly<Record<string, unknown>> | undefined,
  scope: Scope,
  path: OptionProblem["path"],
  compiling: Compiling,
): Params {
  if (spec === undefined) return { scope, fill: async (given) => given };
  const source = objectShape(Object.fromEntries(scope));
  const mapping = compileMap(spec, undefined, path, compiling, source);
  const names = new Map(Object.keys(spec).map((name) => [name, anything]));
  return {
    scope: joinedScope(scope, names),
    fill: async (given) => {
      const { value, problems } = await mapping.apply(given);
      const [first] = problems;
      if (first !== undefined) throw new Fault("rejected", `params.${first.field}: ${first.text}`);
      return { ...given, ...Object(value) };
    },
  };
}
