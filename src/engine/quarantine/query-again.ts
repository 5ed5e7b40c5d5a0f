import type { InputOf, QueryId } from "../../contract/operations.ts";
import type { Engine } from "../engine.ts";
import type { QuarantineRecord } from "./quarantine.ts";

export interface QueryAgainNeeds {
  readonly engine: () => Pick<Engine, "query">;
  /** The connector that answers for records of this kind; null if the embedded store does. */
  readonly serving: (kind: QuarantineRecord["kind"]) => string | null;
}

/** The queries that make an external system return a record again. They are sent one after the other, until it came. */
export type QueryAgain = (
  record: Pick<QuarantineRecord, "source" | "kind" | "number">,
) => readonly (() => Promise<unknown>)[];

/**
 * Queries a system that answers for its records itself. Each answer is checked: a record that is right now
 * leaves the quarantine, one that is still wrong stays there as it is now.
 */
export function queryAgain({ engine, serving }: QueryAgainNeeds): QueryAgain {
  const query =
    <Id extends QueryId>(id: Id, input: InputOf<Id>) =>
    async () =>
      await engine().query(id, input, "en");
  return ({ source, kind, number }) => {
    if (number === "" || serving(kind) !== source) return [];
    if (kind === "items") return [query("getItem", { number })];
    // By its number first: a list may be long. Some systems only have the list.
    return [query("findWorkOrderByCode", { Code: number, StorageName: "" }), query("listWorkOrders", {})];
  };
}
