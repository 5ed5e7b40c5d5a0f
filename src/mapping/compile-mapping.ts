import { setImmediate } from "node:timers/promises";
import type { TSchema } from "typebox";
import { operationRow, type QueryId } from "../contract/operations.ts";
import { type PushedItem, type PushedWorkOrder, type PushTopic, pushRow, pushTopics } from "../contract/pushes.ts";
import type { Problem } from "../contract/validate/problem.ts";
import { validator } from "../contract/validate/validator.ts";
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
  /** The target of one record (of a list: its element). Unknown members are refused, and values are converted to it. */
  readonly target?: TSchema;
  /** The known shape of the source records, such as the schema of an event: a name that cannot exist is refused. */
  readonly source?: SourceShape;
  /** True if members that the target requires come from elsewhere. */
  readonly isPartial?: boolean;
}

/**
 * Evaluations between two turns of the event loop: a few milliseconds, so that a long list does not delay other
 * requests.
 */
const evaluationsPerTurn = 64;

/** Compiles field rules. Throws a MappingError with all problems in them. */
export function compileMapping(spec: unknown, options: MappingOptions): Mapping {
  const compiling: Compiling = {
    dates: options.dates,
    problems: [],
    sources: new Map(),
    isPartial: options.isPartial ?? false,
    isOfContract: options.target !== undefined,
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

/** The source of the member itself, or of the nearest enclosing member that has one. */
function sourceOf(field: string, sources: ReadonlyMap<string, string>): string | undefined {
  let template = field.replace(/^\[\d+\]\.?/, "").replace(/\[\d+\]/g, "[]");
  while (template !== "") {
    const source = sources.get(template) ?? sources.get(template.replace(/\[\]$/, ""));
    if (source !== undefined) return source;
    template = template.slice(0, Math.max(0, template.lastIndexOf(".")));
  }
  return undefined;
}

// Only for checking the rules: their validity does not depend on the dates.
const dates = { timeZone: "UTC", timeOfDay: "00:00" };

/** All problems of the field rules at this place of the options. */
export function mappingProblems(
  map: unknown,
  {
    target,
    source,
    path,
  }: {
    readonly target?: TSchema | undefined;
    /** The known shape of the source records. */
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

// The list's type has only known names; includes() accepts no other text.
const isTopic = (name: QueryId | PushTopic): name is PushTopic => (pushTopics as readonly string[]).includes(name);
const topicOf = (serves: QueryId | PushTopic): PushTopic | undefined =>
  isTopic(serves) ? serves : topicByQuery[serves];

/** The target of one record: orders and items as they are pushed, everything else as in the contract. */
export function mappedSchema(serves: QueryId | PushTopic): TSchema | undefined {
  const topic = topicOf(serves);
  if (topic !== undefined) return pushRow(topic).element;
  return isTopic(serves) ? undefined : operationRow(serves).data;
}

/** Returns a mapped record in the form for the platform, or the problems that the contract's schema finds in it. */
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
    // Checked above against the schema of pushed orders.
    const normalised = normaliseWorkOrder(value as PushedWorkOrder, dates);
    return "workOrder" in normalised ? { record: normalised.workOrder } : normalised;
  }
  // Checked above against the schema of its topic.
  return { record: topic === "items" ? normaliseItem(value as PushedItem) : value };
}
