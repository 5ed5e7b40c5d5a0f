import { type OperationId, operationIds, operationRow, type QueryId } from "../../contract/operations.ts";
import { localise } from "../../messages/localise.ts";
import type { AnyOutcome } from "../../operation/outcome.ts";
import type { OpenConnector, Preview } from "../../sdk/connector.ts";
import { recordsIn } from "./preview-by-query.ts";

export interface TriedQueries {
  readonly previews: readonly Preview[];
  /** Each begins with the name of the query. */
  readonly errors: readonly string[];
  /** Answers that may be wrong, and queries that could not be tried. */
  readonly notes: readonly string[];
}

type Asked = (input: unknown, context: object) => AnyOutcome | Promise<AnyOutcome>;

const queryIds = operationIds.filter((id: OperationId): id is QueryId => operationRow(id).kind === "query");
const answerMs = 25_000;

/** Runs every query that the preview has not covered, for the first order and item that it found. */
export async function tryQueries(
  { operations }: Pick<OpenConnector, "operations">,
  seen: readonly Preview[],
): Promise<TriedQueries> {
  const previews: Preview[] = [];
  const errors: string[] = [];
  const notes: string[] = [];
  const order = first(seen, ["listWorkOrders", "workOrders", "findPutWallOrders"]);
  const item = first(seen, ["items", "getItem"]);
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
  const known = new Set<string>(seen.map(({ serves }) => serves));
  for (const id of queryIds) {
    // With a single id the function takes the input of that id; a union of all ids cannot express that.
    const operate = operations[id as keyof typeof operations] as Asked | undefined;
    const asked = about[id];
    if (operate === undefined || asked === undefined || known.has(id)) continue;
    if (asked === null) {
      notes.push(`${id} was not tried: no record was found to query for`);
      continue;
    }
    try {
      const outcome = await operate(asked.input, { language: "en", signal: AbortSignal.timeout(answerMs) });
      if (!outcome.ok) {
        const words = outcome.message === undefined ? "" : `: ${localise(outcome.message, "en")}`;
        notes.push(`${id} has no answer for ${asked.what}, which it serves itself (${outcome.result}${words})`);
        continue;
      }
      if (id === "findWorkOrderByCode" || id === "findPutWallOrders" || id === "getItem") {
        for (const raw of recordsIn(outcome.data).slice(0, 1)) previews.push(plainly(id, raw));
      }
    } catch (error) {
      errors.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { previews, errors, notes };
}

const ifKnown = <Made>(text: string | undefined, make: (text: string) => Made): Made | null =>
  text === undefined ? null : make(text);

const first = (seen: readonly Preview[], serves: readonly string[]): unknown =>
  seen.find((one) => serves.includes(one.serves))?.mapped;

const plainly = (serves: QueryId, raw: unknown): Preview => ({
  ...{ serves, raw, mapped: raw, problems: [] },
  sourceOf: () => undefined,
});

// Any object can be read by name; the value found is unknown again.
const memberOf = (owner: unknown, name: string): unknown =>
  typeof owner === "object" && owner !== null ? (owner as Record<string, unknown>)[name] : undefined;

function textAt(owner: unknown, name: string): string | undefined {
  const found = memberOf(owner, name);
  return typeof found === "string" && found !== "" ? found : undefined;
}
