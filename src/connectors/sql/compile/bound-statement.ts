import type { TSchema } from "typebox";
import { compileMapping, type Mapping, MappingError } from "../../../mapping/compile-mapping.ts";
import { objectShape, type SourceShape } from "../../../mapping/source/source-shape.ts";
import type { DateSettings } from "../../../operation/dates.ts";
import { Fault } from "../../../operation/fault.ts";
import type { ReadyStatement } from "../drivers/in-transaction.ts";
import { compileStatement, StatementError } from "../statement/compile-statement.ts";
import { type BoundValue, boundInTurns, boundValue, type Dialect } from "../statement/dialect.ts";
import { anything, joinedScope, readPath, resolvePath, type Scope } from "../statement/parameter-scope.ts";

/** A statement that knows the source of each of its values. */
export interface BoundStatement {
  readonly bind: (given: Given) => ReadyStatement;
  /** Like bind, for an event, which may be megabytes long: other requests run while a value is written as JSON. */
  readonly bindInTurns: (given: Given) => Promise<ReadyStatement>;
  /** First names of its parameters, in their documented spelling. */
  readonly uses: ReadonlySet<string>;
  readonly text: string;
}

/** The input of a call, by name. */
export type Given = Readonly<Record<string, unknown>>;

/** Compiles one statement. A parameter without a source is a configuration problem. */
export function boundStatement(
  sql: string,
  scope: Scope,
  path: OptionProblem["path"],
  { dialect, problems }: Compiling,
): BoundStatement {
  try {
    const { text, names } = compileStatement(sql, dialect);
    const paths = names.map((name) => {
      const found = resolvePath(name, scope);
      if ("path" in found) return found.path;
      problems.push({ path, text: `:${name}: ${found.problem}` });
      return [];
    });
    const takesLists = dialect.name === "postgres";
    return {
      text,
      uses: new Set(paths.map(([first = ""]) => first)),
      bind: (given) => ({ text, values: paths.map((one) => boundValue(readPath(given, one), takesLists)) }),
      bindInTurns: async (given) => {
        const values: BoundValue[] = [];
        for (const one of paths) values.push(await boundInTurns(readPath(given, one), takesLists));
        return { text, values };
      },
    };
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    problems.push({ path, text: error.message });
    const unbound = { text: sql, values: [] };
    return { text: sql, uses: new Set(), bind: () => unbound, bindInTurns: async () => unbound };
  }
}

/** A problem in the options that the schema cannot find. */
export interface OptionProblem {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** What every part of the options is compiled with. Problems are collected, so that all are reported together. */
export interface Compiling {
  readonly dialect: Dialect;
  readonly dates: DateSettings;
  readonly problems: OptionProblem[];
}

export interface Params {
  readonly scope: Scope;
  /** The input of a call, with the additional parameters made from it. */
  readonly fill: (given: Given) => Promise<Given>;
}

/** Compiles the parameters that a mapping makes from the input. */
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

/** Without rules a record is used as it is: its columns must be named like the members of the contract. */
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
