import type { TSchema } from "typebox";
import type { Operation } from "../../contract/operation.ts";
import { pushRow } from "../../contract/pushes.ts";
import { AmbiguousRecord, contentOf } from "../../http-client/answers/ambiguous-records.ts";
import type { Answer } from "../../http-client/answers/read-body.ts";
import type { Scope } from "../../http-client/answers/template.ts";
import type { Redact } from "../../http-client/redact.ts";
import type { Place } from "../../kit/json/parse/members-twice.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { compileMapping, type Mapped } from "../../mapping/compile-mapping.ts";
import { compilePossible, compileRecordFilter } from "../../mapping/record-filter.ts";
import { withProblems } from "../../mapping/run.ts";
import { sourceSteps, withSource } from "../../mapping/source-record.ts";
import type { DateSettings } from "../../operation/dates.ts";
import type { CallContext } from "../../sdk/connector.ts";
import type { DetailOptions, QueryOptions } from "./options/operation-options.ts";
import { type HttpSettings, rulesOf } from "./options/options.ts";
import type { PageFetch } from "./queries/fetch-pages.ts";
import { withLineKeys } from "./queries/line-keys.ts";
import { type Caller, requestPlan } from "./request-plan.ts";

/** Maps a record of the external system to a record of the contract. */
export interface RecordMapper {
  readonly apply: (record: unknown) => Mapped | Promise<Mapped>;
  readonly sourceOf: (field: string) => string | undefined;
  /** The records that pass `where`, and those for which it cannot be decided. */
  readonly filter: (records: readonly unknown[]) => Promise<readonly unknown[]>;
}

interface MapperNeeds {
  readonly map: unknown;
  readonly where?: QueryOptions["where"];
  readonly lineKey?: QueryOptions["lineKey"];
  readonly target: TSchema | undefined;
  readonly dates: DateSettings;
}

/** Without field rules a record must already be in the contract's form. */
export function recordMapper({ map, where, lineKey, target, dates }: MapperNeeds): RecordMapper {
  const compiled =
    map === undefined
      ? { apply: (value: unknown) => ({ value, problems: [] }), sourceOf: (field: string) => field }
      : compileMapping(map, { dates, ...(target === undefined ? {} : { target }) });
  const whole = lineKey === undefined ? compiled : { ...compiled, apply: keyed(compiled.apply, lineKey) };
  const mapping = { ...whole, apply: withholding(whole, target) };
  if (where === undefined) return { ...mapping, filter: async (records) => records };
  const filter = compileRecordFilter(where);
  const mayPass = compilePossible(where);
  return {
    apply: (record) => {
      if (!(record instanceof UndecidedRecord)) return mapping.apply(record);
      // Neither served nor lost: the record is quarantined with the reason.
      return { value: record.value, problems: [{ field: "number", text: record.reason }] };
    },
    sourceOf: mapping.sourceOf,
    filter: async (records) => {
      const passed: unknown[] = [];
      for (const record of records) {
        // The member that is given twice may be the one that decides.
        const verdict = record instanceof AmbiguousRecord ? mayPass(record.value) : await filter(record);
        if (verdict === true) passed.push(record);
        if (typeof verdict === "object") passed.push(new UndecidedRecord(record, verdict.reason));
      }
      return passed;
    },
  };
}

const keyed =
  (apply: RecordMapper["apply"], names: readonly string[]): RecordMapper["apply"] =>
  async (record) => {
    const { value, problems } = await apply(record);
    return { value: withLineKeys(value, names), problems };
  };

/** Maps what can be read of an ambiguous record, so that its number is known, and adds why it must not be used. */
function withholding(
  { apply, sourceOf }: Pick<RecordMapper, "apply" | "sourceOf">,
  target: TSchema | undefined,
): RecordMapper["apply"] {
  const spoiled = async ({ value: content, member, reason }: AmbiguousRecord): Promise<Mapped> => {
    const { value, problems } = await apply(content);
    // The last one: a problem within the same member would hide it.
    return {
      value,
      problems: [...problems, { field: spoiledField(member, sourceOf, target), text: reason }],
    };
  };
  return (record) => (record instanceof AmbiguousRecord ? spoiled(record) : apply(record));
}

/**
 * The member of the mapped record that must not be used: the one that is made from the ambiguous member, or from more
 * than that, or from a part. If it is unknown which one that is, it is one that every record of this kind needs, or else
 * the last one; but never the record's number, which comes first.
 */
function spoiledField(ambiguous: Place, sourceOf: RecordMapper["sourceOf"], target: TSchema | undefined): string {
  // TSchema hides its members; the target is the schema of an object.
  const { properties = {}, required = [] } = (target ?? {}) as { properties?: object; required?: readonly string[] };
  // Data may have any content, so a problem would not be seen there.
  const names = Object.keys(properties).filter((name) => !/externaldata$/i.test(name));
  const others = names.slice(1);
  const place = namesOf(ambiguous);
  const made = names.find((name) => sourceSteps(sourceOf(name) ?? "").some((steps) => isWithin(namesOf(steps), place)));
  return made ?? required.filter((name) => others.includes(name)).at(-1) ?? others.at(-1) ?? "number";
}

/** Elements of a list are not told apart: a rule that names none of them may read any. */
const namesOf = (place: Place) => place.filter((step) => typeof step === "string");

/** Whether one of two places lies within the other. */
const isWithin = (one: readonly string[], other: readonly string[]): boolean =>
  one.every((name, depth) => depth >= other.length || name === other[depth]);

/** A record for which `where` cannot decide whether it is wanted. */
class UndecidedRecord {
  readonly value: unknown;
  readonly reason: string;
  constructor(value: unknown, reason: string) {
    this.value = value;
    this.reason = reason;
  }
}

/** All records, in order; a record that could not be mapped carries its problems. Each leads to its source. */
export async function mapRecords(mapper: RecordMapper, records: readonly unknown[]): Promise<unknown[]> {
  const made: unknown[] = [];
  for (const record of records) {
    const mapped = mapper.apply(record);
    const complete = withProblems(mapped instanceof Promise ? await mapped : mapped);
    const sent = record instanceof UndecidedRecord ? record.value : contentOf(record);
    made.push(withSource(complete, { record: sent, sourceOf: mapper.sourceOf }));
  }
  return made;
}

interface Served {
  readonly isList: boolean;
  readonly kind: "order" | "item" | "other";
  /** The schema of one record. */
  readonly element: TSchema | undefined;
}

/**
 * The target of the mapping. Orders and items take the form of pushes, which accepts dates and data as ERPs write them.
 */
export function servedSchema(row: Operation): Served {
  // TSchema hides its members; every schema of the contract is plain JSON Schema.
  const data = row.data as { type?: string; title?: string; items?: TSchema & { title?: string } } | undefined;
  const isList = data?.type === "array";
  const element = isList ? data.items : data;
  if (element?.title === "WorkOrder") return { isList, kind: "order", element: pushRow("workOrders").element };
  if (element?.title === "Item") return { isList, kind: "item", element: pushRow("items").element };
  return { isList, kind: "other", element: isList ? data.items : row.data };
}

/** What every operation of one opened connector needs. */
export interface Workbench {
  readonly settings: HttpSettings;
  readonly baseUrl: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly dates: DateSettings;
  readonly redact: Redact;
  /** Sends the requests of events. */
  readonly call: Caller;
  /** Fetches an image from an address found in an answer. */
  readonly imageAt: (url: URL, signal: AbortSignal) => Promise<Answer>;
  readonly fetch: (options: FetchOptions, isNone?: PageFetch["isNone"]) => PageFetch;
  readonly scope: (input: unknown, context?: CallContext) => Scope;
}

type FetchOptions = Omit<QueryOptions, "map" | "notFound" | "where" | "lineKey">;

export interface WorkbenchNeeds extends Omit<Workbench, "fetch" | "scope"> {
  /** Sends the requests of queries; fails at once while the breaker is open. */
  readonly query: Caller;
}

export function workbench({ query, ...needs }: WorkbenchNeeds): Workbench {
  const { settings, baseUrl, headers, redact, clock } = needs;
  const detailOf = (detail: DetailOptions | undefined): PageFetch["detail"] => {
    if (detail === undefined) return undefined;
    const { records, ...request } = detail;
    return { plan: requestPlan({ request, baseUrl, method: "GET", headers }), records };
  };
  return {
    ...needs,
    fetch: (options, isNone) => ({
      plan: requestPlan({ request: options, baseUrl, method: "GET", headers }),
      page: options.page,
      records: options.records,
      detail: detailOf(options.detail),
      rules: rulesOf({ settings, request: options }),
      limits: settings.limits,
      call: query,
      redact,
      now: clock.now,
      isNone,
    }),
    scope: (input, context) => scopeOf(input, settings.variables ?? {}, context),
  };
}

/** Members of the input override variables of the same name: a variable must not replace a scanned code. */
function scopeOf(
  input: unknown,
  variables: Readonly<Record<string, unknown>>,
  context: CallContext | undefined,
): Scope {
  const members = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  const delivery = context?.delivery;
  return {
    ...variables,
    ...members,
    input,
    language: context?.language ?? "en",
    ...(delivery === undefined ? {} : { entryId: delivery.entryId, topic: delivery.topic, attempt: delivery.attempt }),
  };
}
