import type { TSchema } from "typebox";
import type { Operation } from "../../../contract/operation.ts";
import { operationRow, type QueryId } from "../../../contract/operations.ts";
import { meantText } from "../../../kit/nearest-name.ts";
import type { Mapping } from "../../../mapping/compile-mapping.ts";
import { withProblems } from "../../../mapping/run.ts";
import { withSource } from "../../../mapping/source-record.ts";
import { Fault } from "../../../operation/fault.ts";
import { unusedInput } from "../../../operation/option-problem.ts";
import type { Row } from "../drivers/database.ts";
import type { EventOptions, QueryOptions, RefusalRule } from "../options.ts";
import { type RecordReader, recordReader } from "../rows/row-reader.ts";
import {
  elementOf,
  joinedScope,
  mayBeList,
  resolvePath,
  type Scope,
  scopeOfNames,
  scopeOfNotices,
  scopeOfOperation,
} from "../statement/parameter-scope.ts";
import {
  type BoundStatement,
  boundStatement,
  type Compiling,
  compileMap,
  compileParams,
  type OptionProblem,
  type Params,
} from "./bound-statement.ts";

export interface EventStatement {
  readonly statement: BoundStatement;
  /** Path of the list for whose elements the statement runs; undefined: it runs once. */
  readonly each: readonly string[] | undefined;
  readonly expectRows: number | undefined;
  readonly otherwise: { readonly result: string; readonly text: string | undefined } | undefined;
}

export interface CompiledEvent {
  readonly name: string;
  readonly row: Operation | null;
  readonly params: Params;
  readonly statements: readonly EventStatement[];
  /** Its own rules first, then the connector's rules that apply to this operation. */
  readonly refusals: readonly RefusalRule[];
}

export interface EventPlace {
  readonly name: string;
  /** Null for the adapter's own messages, which are not in the contract. */
  readonly row: Operation | null;
  /** The schema of these messages. */
  readonly body?: TSchema;
  readonly path: OptionProblem["path"];
  readonly commonRefusals: readonly RefusalRule[];
}

export function compileEvent(options: EventOptions, place: EventPlace, compiling: Compiling): CompiledEvent {
  const { row, body, path, name, commonRefusals } = place;
  const params = compileParams(options.params, scopeOf(row, body), [...path, "params"], compiling);
  const own = options.refusals ?? [];
  const demandResult = (result: string, at: OptionProblem["path"]) => {
    const known = row?.results.filter((one) => one !== row.success) ?? [];
    if (known.includes(result)) return;
    const text =
      row === null
        ? "there is no result here: nobody waits for the answer"
        : `${result} is not a refusal of ${name}; ${meantText(result, known)}choose from ${known.join(", ")}`;
    compiling.problems.push({ path: at, text });
  };
  for (const [index, { result }] of own.entries()) demandResult(result, [...path, "refusals", index, "result"]);
  const statements = options.statements.map((one, index) => {
    const at = [...path, "statements", index];
    const each = one.each === undefined ? undefined : listPath(one.each, params.scope, [...at, "each"], compiling);
    if (one.otherwise !== undefined) demandResult(one.otherwise, [...at, "otherwise"]);
    return {
      statement: boundStatement(one.sql, each?.scope ?? params.scope, [...at, "sql"], compiling),
      each: each?.path,
      expectRows: one.expectRows,
      otherwise: one.otherwise === undefined ? undefined : { result: one.otherwise, text: one.otherwiseText },
    };
  });
  return {
    name,
    row,
    params,
    statements,
    refusals: [...own, ...commonRefusals.filter(({ result }) => row?.results.includes(result) === true)],
  };
}

const scopeOf = (row: Operation | null, body: TSchema | undefined): Scope =>
  row === null ? scopeOfNotices(body) : scopeOfOperation(row);

function listPath(name: string, scope: Scope, path: OptionProblem["path"], { problems }: Compiling) {
  const found = resolvePath(name, scope, true);
  if ("problem" in found) {
    problems.push({ path, text: found.problem });
    return undefined;
  }
  if (!mayBeList(found.shape)) problems.push({ path, text: `${name} is not a list` });
  const inner = new Map([
    ["each", elementOf(found.shape)],
    ["parent", null],
  ]);
  return { path: found.path, scope: joinedScope(scope, inner, scopeOfNames(["eachIndex"])) };
}

/** The kind of answer of an operation, from its data schema. */
type Shape = "list" | "one" | "rows" | "image";

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
  const before = compiling.problems.length;
  const reader = recordReader(options, params.scope, path, compiling);
  // A problem of the statement itself explains this one.
  if (compiling.problems.length === before) {
    const problem = unusedInput(id, inputsOf(reader, options.params ?? {}), (name) => `:${name}`);
    if (problem !== undefined) compiling.problems.push({ path, text: `${problem.text}. ${problem.hint}` });
  }
  return {
    id,
    shape,
    isOrders: plain(row.data).items?.title === "WorkOrder",
    reader,
    params,
    mapping,
    mapped: async (record) => {
      const made = await mapping.apply(record);
      const [first] = made.problems;
      // Orders and items are checked one by one later. Nothing else is, so it must be complete here.
      if (first === undefined || isChecked)
        return withSource(withProblems(made), { record, sourceOf: mapping.sourceOf });
      throw new Fault("rejected", `${first.field}: ${first.text}`);
    },
  };
}

/** The names that the statements use, and the names in the rules of parameters that they use. */
function inputsOf({ statements }: RecordReader, params: Readonly<Record<string, unknown>>): string[] {
  const used = statements.flatMap(({ uses }) => [...uses]);
  const rules = used.filter((name) => Object.hasOwn(params, name)).map((name) => JSON.stringify(params[name]));
  return [...used, ...rules.flatMap((rule) => rule.match(/\w+/g) ?? [])];
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
