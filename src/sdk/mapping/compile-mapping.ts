import { setImmediate } from "node:timers/promises";
import type { TSchema } from "typebox";
import type { DateSettings } from "../dates.ts";
import { compileMembers } from "./compile-members.ts";
import type { Compiling, Place } from "./compiling.ts";
import type { Mapped, Mapping } from "./mapping.ts";
import { MappingError } from "./mapping-error.ts";
import { type Run, startRun } from "./run.ts";
import type { SourceShape } from "./source-shape.ts";
import { targetOf } from "./target.ts";

export type { Mapped, MappedProblem, Mapping } from "./mapping.ts";
export { MappingError, type RuleProblem } from "./mapping-error.ts";
export { mappingSchema } from "./mapping-schema.ts";

/** What a mapping is compiled for. */
export interface MappingOptions {
  readonly dates: DateSettings;
  /** What one record becomes (of a list: its element). Members it does not have are refused, and values are fitted to it. */
  readonly target?: TSchema;
  /** What is known of the records it reads, such as the schema of an event: a name that cannot be there is refused. */
  readonly source?: SourceShape;
  /** True where members that the target requires come from elsewhere. */
  readonly isPartial?: boolean;
}

/** Evaluations between two turns of the event loop: some milliseconds, so that a long list does not keep others waiting. */
const evaluationsPerTurn = 64;

/** Compiles field rules. Throws a MappingError that names everything that is wrong in them. */
export function compileMapping(spec: unknown, options: MappingOptions): Mapping {
  const compiling: Compiling = {
    dates: options.dates,
    problems: [],
    sources: new Map(),
    isPartial: options.isPartial ?? false,
    expressionCount: 0,
  };
  const place: Place = { field: "", path: "", bases: [""], shapes: [options.source ?? null] };
  const read = compileMembers(spec, targetOf(options.target), place, compiling);
  if (compiling.problems.length > 0) throw new MappingError(compiling.problems);
  let evaluations = 0;

  const finish = async (value: unknown, { jobs, problems }: Run): Promise<Mapped> => {
    for (const job of jobs) {
      await job();
      if (++evaluations % evaluationsPerTurn === 0) await setImmediate();
    }
    return { value, problems };
  };

  return {
    apply: (source) => {
      const run = startRun(source);
      const value = read(source, run);
      return run.jobs.length === 0 ? { value, problems: run.problems } : finish(value, run);
    },
    sourceOf: (field) => sourceOf(field, compiling.sources),
  };
}

/** The member itself, else the nearest around it that has a source. */
function sourceOf(field: string, sources: ReadonlyMap<string, string>): string | undefined {
  let template = field.replace(/^\[\d+\]\.?/, "").replace(/\[\d+\]/g, "[]");
  while (template !== "") {
    const source = sources.get(template) ?? sources.get(template.replace(/\[\]$/, ""));
    if (source !== undefined) return source;
    template = template.slice(0, Math.max(0, template.lastIndexOf(".")));
  }
  return undefined;
}
