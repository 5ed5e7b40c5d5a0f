import { setImmediate } from "node:timers/promises";
import type { TSchema } from "typebox";
import { operationRow, type QueryId } from "../contract/operations.ts";
import { type PushedItem, type PushedWorkOrder, type PushTopic, pushRow, pushTopics } from "../contract/pushes.ts";
import { type Problem, validator } from "../contract/validate/validator.ts";
import type { DateSettings } from "../operation/dates.ts";
import { normaliseItem, normaliseWorkOrder } from "../operation/normalise-work-order.ts";
import type { OptionProblem } from "../operation/option-problem.ts";
import { compileMembers } from "./compile/compile-members.ts";
import { type Compiling, MappingError, type Place } from "./compile/compiling.ts";
import { type Mapped, type Mapping, type Run, startRun } from "./run.ts";
import type { SourceShape } from "./source/source-shape.ts";
import { targetOf } from "./target.ts";

export { MappingError, mappingSchema, type RuleProblem } from "./compile/compiling.ts";
export type { Mapped, MappedProblem, Mapping } from "./run.ts";

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

const topicByQuery: Readonly<Partial<Record<QueryId, PushTopic>>> = {
  listWorkOrders: "workOrders",
  findWorkOrderByCode: "workOrders",
  findPutWallOrders: "workOrders",
  getItem: "items",
};

// The list has fewer names than a text may be; includes() takes only those.
const isTopic = (name: QueryId | PushTopic): name is PushTopic => (pushTopics as readonly string[]).includes(name);
const topicOf = (serves: QueryId | PushTopic): PushTopic | undefined =>
  isTopic(serves) ? serves : topicByQuery[serves];

/** What one record has to become: orders and items as they are pushed, everything else as the contract has it. */
export function mappedSchema(serves: QueryId | PushTopic): TSchema | undefined {
  const topic = topicOf(serves);
  if (topic !== undefined) return pushRow(topic).element;
  return isTopic(serves) ? undefined : operationRow(serves).data;
}

/** A mapped record in the form the platform would get it, or what the contract has against it. */
export function checkMapped(
  serves: QueryId | PushTopic,
  mapped: unknown,
  dates: DateSettings,
): { readonly record: unknown } | { readonly problems: readonly Problem[] } {
  const schema = mappedSchema(serves);
  if (schema === undefined) return { record: mapped };
  const checks = validator(schema);
  const value = checks.canonical(mapped);
  if (!checks.isValid(value)) return { problems: checks.problems(value) };
  const topic = topicOf(serves);
  if (topic === "workOrders") {
    // Checked against the schema of pushed orders just now; items below likewise.
    const normalised = normaliseWorkOrder(value as PushedWorkOrder, dates);
    return "workOrder" in normalised ? { record: normalised.workOrder } : normalised;
  }
  // Checked against the schema of its topic above.
  return { record: topic === "items" ? normaliseItem(value as PushedItem) : value };
}
