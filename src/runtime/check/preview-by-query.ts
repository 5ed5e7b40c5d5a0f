import type { InputOf, QueryId } from "../../contract/operations.ts";
import { type AnyOutcome, ListInParts, ReadyJson, ReadyJsonList } from "../../operation/outcome.ts";
import type { OpenConnector, Preview } from "../../sdk/connector.ts";

/**
 * Preview for a connector that has none of its own: queries the list as the platform would, then one order and one item
 * from it. It cannot show the source field of a value; only the connector knows that.
 */
export async function previewByQuerying({ operations }: OpenConnector, limit: number): Promise<Preview[]> {
  const signal = AbortSignal.timeout(answerMs);
  const previews: Preview[] = [];
  const look = async <Id extends "listWorkOrders" | "findWorkOrderByCode" | "getItem">(id: Id, input: InputOf<Id>) => {
    // With a single id the function takes the input of that id; a union of three ids cannot express that.
    const operate = operations[id] as
      | ((input: unknown, context: object) => AnyOutcome | Promise<AnyOutcome>)
      | undefined;
    const outcome = await operate?.(input, { language: "en", signal });
    if (outcome === undefined || !outcome.ok) return;
    const records = outcome.data instanceof ListInParts ? await firstPart(outcome.data) : recordsIn(outcome.data);
    for (const raw of records.slice(0, limit)) previews.push(shown(id, raw));
  };
  await look("listWorkOrders", {});
  const [order] = previews;
  const number = memberOf(order?.raw, "number");
  if (typeof number === "string") await look("findWorkOrderByCode", { Code: number, StorageName: "" });
  const [line] = recordsIn(memberOf(order?.raw, "requests"));
  const itemNumber = memberOf(line, "itemNumber");
  if (typeof itemNumber === "string") await look("getItem", { number: itemNumber });
  return previews;
}

async function firstPart({ parts }: ListInParts): Promise<readonly unknown[]> {
  for await (const part of parts) if (part.length > 0) return part;
  return [];
}

const answerMs = 25_000;

const shown = (serves: QueryId, raw: unknown): Preview => ({
  ...{ serves, raw, mapped: raw, problems: [] },
  sourceOf: () => undefined,
});

export function recordsIn(data: unknown): readonly unknown[] {
  if (data instanceof ReadyJson) return recordsIn(JSON.parse(data.text));
  if (data instanceof ReadyJsonList) {
    const pieces = [...data.pieces].map((piece) => (typeof piece === "string" ? piece : Buffer.from(piece).toString()));
    return recordsIn(JSON.parse(`[${pieces.join(",")}]`));
  }
  return Array.isArray(data) ? data : data === null || data === undefined ? [] : [data];
}

// Any object can be read by name; the value found is unknown again.
const memberOf = (owner: unknown, name: string): unknown =>
  typeof owner === "object" && owner !== null ? (owner as Record<string, unknown>)[name] : undefined;
