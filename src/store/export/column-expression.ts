import type jsonata from "jsonata";
import type { ExportRow } from "../../contract/schemas/queries.ts";
import { parseExactJson } from "../../kit/json/exact-number.ts";
import { expression as compile, ExpressionError } from "../../mapping/expressions/expression.ts";
import { Fault } from "../../operation/fault.ts";

export { isTimeOut } from "../../mapping/expressions/expression.ts";

export interface Expression {
  readonly sources: readonly SourceName[];
  readonly opensData: boolean;
  readonly evaluate: (input: Partial<Record<SourceName, unknown>>) => Promise<unknown>;
}

/** Compiles a column's JSONata expression. An invalid expression fails at the start, not at the first export. */
export async function expression(columnKey: string, text: string): Promise<Expression> {
  try {
    const { ast, evaluate } = compile(text);
    const sources = sourcesIn(ast);
    if (sources.length === 0) throw new Error(`it reads none of ${sourceNames.join(", ")}`);
    return { sources, opensData: insideOrderData.test(text), evaluate };
  } catch (cause) {
    // Compiling only throws Error objects.
    const { message } = cause as Error;
    const position = cause instanceof ExpressionError ? cause.position : undefined;
    const place = position === undefined ? "" : ` (at line ${position.line}, column ${position.column})`;
    throw new Fault("broken", `export column ${columnKey}: "${text}" cannot be used: ${message}${place}`, { cause });
  }
}

const insideOrderData = /\border`?\s*\.\s*`?externalData`?\s*[.[]/;

/** Nodes that may read any member: wildcards, `$` (a variable with an empty name) and `$$` (one called `$`). */
const reachesAll = ({ type, value }: { type?: unknown; value?: unknown }) =>
  type === "wildcard" || type === "descendant" || (type === "variable" && (value === "" || value === "$"));

/** The sources an expression reads. */
function sourcesIn(root: jsonata.ExprNode): SourceName[] {
  const names = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    // It is an object by the check above; its members may be anything.
    const { type, value } = node as { type?: unknown; value?: unknown };
    if (type === "name") names.add(value);
    if (reachesAll({ type, value })) for (const name of sourceNames) names.add(name);
    for (const child of Object.values(node)) visit(child);
  };
  visit(root);
  return sourceNames.filter((name) => names.has(name));
}

/** The sources a column can read, by the name its expression uses. */
export const sourceNames = ["externalData", "deliveryNote", "deliveryAddress", "order"] as const;
export type SourceName = (typeof sourceNames)[number];

interface Source {
  readonly text: string;
  readonly value: unknown;
}

/** The sources of one row: each is undefined when it is missing or unreadable. */
export type Material = { readonly [Name in SourceName]: Source | undefined };

/** Prepares only the sources that are used: parsing them is most of the work of an export. */
export function openSources(needs: {
  readonly used: readonly SourceName[];
  /** Whether a column reads inside the order's external data, which an order has as text. */
  readonly opensData: boolean;
  readonly orderText: (number: string) => string | undefined;
}): (row: ExportRow) => Material {
  const texts: Record<SourceName, (row: ExportRow) => string | null | undefined> = {
    externalData: (row) => row.externalData,
    deliveryNote: (row) => row.deliveryNoteExternalData,
    deliveryAddress: (row) => row.deliveryAddressExternalData,
    order: (row) => needs.orderText(row.workOrderNumber),
  };
  const reader = (name: SourceName) => (needs.used.includes(name) ? read(texts[name]) : nothing);
  const [externalData, deliveryNote] = [reader("externalData"), reader("deliveryNote")];
  const deliveryAddress = reader("deliveryAddress");
  const order = needs.opensData ? withData(reader("order")) : reader("order");
  // Written out instead of a loop: adding the members one by one takes longer than reading them.
  return (row) => ({
    externalData: externalData(row),
    deliveryNote: deliveryNote(row),
    deliveryAddress: deliveryAddress(row),
    order: order(row),
  });
}

const nothing = () => undefined;

const withData =
  (readOrder: (row: ExportRow) => Source | undefined) =>
  (row: ExportRow): Source | undefined => {
    const found = readOrder(row);
    const order: { readonly externalData?: unknown } = Object(found?.value);
    const data = typeof order.externalData === "string" ? parsed(order.externalData) : undefined;
    const isOpened = found !== undefined && typeof data === "object" && data !== null;
    return isOpened ? { ...found, value: { ...order, externalData: data } } : found;
  };

const read =
  (textOf: (row: ExportRow) => string | null | undefined) =>
  (row: ExportRow): Source | undefined => {
    const text = textOf(row);
    if (text === null || text === undefined || text === "") return undefined;
    const value = parsed(text);
    return value === undefined ? undefined : { text, value };
  };

/** External data may be any text: text that is not JSON counts as missing and never fails the export. */
function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
