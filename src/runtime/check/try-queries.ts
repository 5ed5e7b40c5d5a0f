import { type InputOf, type OperationId, operationIds, operationRow, type QueryId } from "../../contract/operations.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import { checkMapped } from "../../mapping/compile-mapping.ts";
import { type RecordSource, sourceRecordOf } from "../../mapping/source-record.ts";
import { localise } from "../../messages/localise.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { problemText } from "../../operation/fault.ts";
import { type AnyOutcome, ListInParts, ReadyJson, ReadyJsonList, ReadyJsonSlices } from "../../operation/outcome.ts";
import type { OnRecord, OpenConnector, Preview } from "../../sdk/connector.ts";

export interface TriedQueries {
  readonly previews: readonly Preview[];
  /** Each text begins with the name of the query. */
  readonly errors: readonly string[];
  /** Answers that may be wrong, and queries that could not be tried. */
  readonly notes: readonly string[];
}

type AnyQuery = (input: unknown, context: object) => AnyOutcome | Promise<AnyOutcome>;

const queryIds = operationIds.filter((id: OperationId): id is QueryId => operationRow(id).kind === "query");
const answerMs = 25_000;

/** Runs every query that the preview did not cover, for the first order and item that the preview found. */
export async function tryQueries(
  { operations }: Pick<OpenConnector, "operations">,
  known: readonly Preview[],
  onRecord?: OnRecord,
): Promise<TriedQueries> {
  const previews: Preview[] = [];
  const errors: string[] = [];
  const notes: string[] = [];
  const order = first(known, ["listWorkOrders", "workOrders", "findPutWallOrders"]);
  const item = first(known, ["items", "getItem"]);
  const number = textAt(order, "number");
  const itemNumber = textAt(item, "number") ?? textAt(recordsIn(memberOf(order, "requests"))[0], "itemNumber");
  const storage = textAt(order, "designatedStorageName") ?? "";
  const about: Partial<Record<QueryId, { input: unknown; what: string } | null>> = {
    findWorkOrderByCode: ifKnown(number, (Code) => ({ input: { Code, StorageName: storage }, what: `order ${Code}` })),
    findPutWallOrders: ifKnown(number, (code) => ({ input: { code }, what: `order ${code}` })),
    getItem: ifKnown(itemNumber, (one) => ({ input: { number: one }, what: `item ${one}` })),
    getItemImage: ifKnown(itemNumber, (one) => ({ input: { number: one }, what: `item ${one}` })),
    getReport: ifKnown(number, (one) => ({
      input: { workOrdersNumbers: [one], storageId: storage, remainingRequests: {} },
      what: `order ${one}`,
    })),
    getExportColumns: { input: {}, what: "the columns" },
    getIndexableValueLabel: { input: {}, what: "the label" },
    getExportValues: ifKnown(number, (one) => ({
      input: [{ workOrderNumber: one, externalData: null }],
      what: `order ${one}`,
    })),
  };
  const covered = new Set<string>(known.map(({ serves }) => serves));
  for (const id of queryIds) {
    // Each id has its own input type; a union of all ids cannot express that.
    const operate = operations[id as keyof typeof operations] as AnyQuery | undefined;
    const attempt = about[id];
    if (operate === undefined || attempt === undefined || covered.has(id)) continue;
    if (attempt === null) {
      notes.push(`${id} was not tried: no record was found to query for`);
      continue;
    }
    try {
      const outcome = await operate(attempt.input, { language: "en", signal: AbortSignal.timeout(answerMs) });
      if (!outcome.ok) {
        const words = outcome.message === undefined ? "" : `: ${localise(outcome.message, "en")}`;
        notes.push(`${id} has no answer for ${attempt.what}, which it serves itself (${outcome.result}${words})`);
        continue;
      }
      if (id === "findWorkOrderByCode" || id === "findPutWallOrders" || id === "getItem") {
        const answered = recordsIn(outcome.data);
        for (const [nth, mapped] of answered.entries()) {
          const source = sourceRecordOf(mapped);
          if (source !== undefined) onRecord?.({ path: ["operations", id], serves: id, record: source.record });
          if (nth === 0) previews.push(previewOf(id, mapped, source));
        }
      }
    } catch (error) {
      errors.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { previews, errors, notes };
}

const ifKnown = <Made>(text: string | undefined, make: (text: string) => Made): Made | null =>
  text === undefined ? null : make(text);

const first = (previews: readonly Preview[], serves: readonly string[]): unknown =>
  previews.find((one) => serves.includes(one.serves))?.mapped;

/** Without a mapping, the record is its own source. */
const previewOf = (serves: QueryId, mapped: unknown, source?: RecordSource): Preview => ({
  ...{ serves, raw: source?.record ?? mapped, mapped, problems: [] },
  sourceOf: source?.sourceOf ?? (() => undefined),
});

// Any object can be read by name; the value found is unknown again.
const memberOf = (owner: unknown, name: string): unknown =>
  typeof owner === "object" && owner !== null ? (owner as Record<string, unknown>)[name] : undefined;

function textAt(owner: unknown, name: string): string | undefined {
  const found = memberOf(owner, name);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/**
 * Makes a preview for a connector that has none of its own: queries the list as the platform would, then one order and
 * one item from it. It cannot show the source field of a value, which only the connector knows.
 */
export async function previewByQuerying({ operations }: OpenConnector, limit: number): Promise<Preview[]> {
  const signal = AbortSignal.timeout(answerMs);
  const previews: Preview[] = [];
  const query = async <Id extends "listWorkOrders" | "findWorkOrderByCode" | "getItem">(id: Id, input: InputOf<Id>) => {
    // Each id has its own input type; a union of three ids cannot express that.
    const operate = operations[id] as
      | ((input: unknown, context: object) => AnyOutcome | Promise<AnyOutcome>)
      | undefined;
    const outcome = await operate?.(input, { language: "en", signal });
    if (outcome === undefined || !outcome.ok) return;
    const records = outcome.data instanceof ListInParts ? await firstPart(outcome.data) : recordsIn(outcome.data);
    for (const raw of records.slice(0, limit)) previews.push(previewOf(id, raw));
  };
  await query("listWorkOrders", {});
  const [order] = previews;
  const number = memberOf(order?.raw, "number");
  if (typeof number === "string") await query("findWorkOrderByCode", { Code: number, StorageName: "" });
  const [line] = recordsIn(memberOf(order?.raw, "requests"));
  const itemNumber = memberOf(line, "itemNumber");
  if (typeof itemNumber === "string") await query("getItem", { number: itemNumber });
  return previews;
}

async function firstPart({ parts }: ListInParts): Promise<readonly unknown[]> {
  for await (const part of parts) if (part.length > 0) return part;
  return [];
}

function recordsIn(data: unknown): readonly unknown[] {
  if (data instanceof ReadyJson) return recordsIn(JSON.parse(data.text));
  if (data instanceof ReadyJsonList) {
    const pieces = [...data.pieces].flatMap((piece) => {
      if (typeof piece === "string") return [piece];
      // Only the embedded store has orders that are read while they are sent.
      return piece instanceof ReadyJsonSlices ? [] : [Buffer.from(piece).toString()];
    });
    return recordsIn(JSON.parse(`[${pieces.join(",")}]`));
  }
  return Array.isArray(data) ? data : data === null || data === undefined ? [] : [data];
}

/** One record of an external system and the contract record it is mapped to. */
export interface CheckedRecord {
  readonly serves: QueryId | PushTopic;
  readonly raw: unknown;
  /** The mapped record; absent if the mapping produced none. */
  readonly record?: unknown;
  readonly problems: readonly { readonly field: string; readonly source?: string; readonly text: string }[];
}

/** Checks a previewed record against the contract. */
export function checkedRecord(
  { serves, raw, mapped, problems, sourceOf }: Preview,
  dates: DateSettings,
): CheckedRecord {
  const withSource = (field: string, text: string) => {
    const source = sourceOf(field);
    return { field, ...(source === undefined ? {} : { source }), text };
  };
  const own = problems.map(({ field, text }) => withSource(field, text));
  const checked = checkMapped(serves, mapped, dates);
  if ("record" in checked)
    return { serves, raw, ...(own.length === 0 ? { record: checked.record } : {}), problems: own };
  // The mapping has already reported more exactly why this member is missing.
  const named = new Set(own.map(({ field }) => field));
  const found = checked.problems
    .filter(({ field }) => !named.has(field))
    .map((problem) => withSource(problem.field, localise(problemText(problem), "en")));
  return { serves, raw, problems: [...own, ...found] };
}
