import type { Operation } from "../../../contract/operation.ts";
import { operationRow, type QueryId } from "../../../contract/operations.ts";
import type { Mapping } from "../../../mapping/compile-mapping.ts";
import { withProblems } from "../../../mapping/run.ts";
import { Fault } from "../../../operation/fault.ts";
import type { Row } from "../drivers/row-collector.ts";
import type { QueryOptions } from "../options.ts";
import { type RecordReader, recordReader } from "../rows/row-reader.ts";
import { scopeOfOperation } from "../statement/parameter-scope.ts";
import { type Compiling, compileMap, compileParams, type Params } from "./bound-statement.ts";

/** The kind of answer of an operation, from its data schema. */
export type Shape = "list" | "one" | "rows" | "image";

export interface CompiledQuery {
  readonly id: QueryId;
  readonly shape: Shape;
  /** Whether the answer consists of orders. */
  readonly isOrders: boolean;
  readonly reader: RecordReader;
  readonly params: Params;
  readonly mapping: Mapping;
  /** One record in the contract's form, not yet checked. */
  readonly mapped: (record: Row | { readonly rows: readonly Row[] }) => Promise<unknown>;
}

export function compileQuery(id: QueryId, options: QueryOptions, compiling: Compiling): CompiledQuery {
  const row = operationRow(id);
  const path = ["operations", id];
  const shape = shapeOf(row);
  const params = compileParams(options.params, scopeOfOperation(row), [...path, "params"], compiling);
  if (shape === "image" && options.map !== undefined) {
    compiling.problems.push({
      path: [...path, "map"],
      text: "an image is read from the first column of the row; `map` cannot be used",
    });
  }
  const mapping = compileMap(shape === "image" ? undefined : options.map, row.data, [...path, "map"], compiling);
  const isChecked = isOrderOrItem(row);
  return {
    id,
    shape,
    isOrders: plain(row.data).items?.title === "WorkOrder",
    reader: recordReader(options, params.scope, path, compiling),
    params,
    mapping,
    mapped: async (record) => {
      const made = await mapping.apply(record);
      const [first] = made.problems;
      // Orders and items are checked one by one later. Nothing else is, so it must be complete here.
      if (first === undefined || isChecked) return withProblems(made);
      throw new Fault("rejected", `${first.field}: ${first.text}`);
    },
  };
}

function shapeOf({ data }: Operation): Shape {
  const { type, title } = plain(data);
  if (type === "array") return "list";
  if (type === "string") return "image";
  return title === "Report" ? "rows" : "one";
}

function isOrderOrItem({ data }: Operation): boolean {
  const { title, items } = plain(data);
  const name = items?.title ?? title;
  return name === "WorkOrder" || name === "Item";
}

interface PlainSchema {
  readonly type?: string;
  readonly title?: string;
  readonly items?: { readonly title?: string };
}

// Every schema of the contract is plain JSON Schema, which its declared type hides.
const plain = (schema: Operation["data"]): PlainSchema => (schema ?? {}) as PlainSchema;
