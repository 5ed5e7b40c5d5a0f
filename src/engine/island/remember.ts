import type { AskId } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { AnyOutcome } from "../../sdk/outcome.ts";
import { ReadyJson, ReadyJsonList } from "../../sdk/ready-json.ts";
import { islandAsks } from "./island-asks.ts";
import type { LastKnown, ListedOrder } from "./last-known.ts";
import { lookUpKey } from "./look-up-key.ts";

const ordersPerTurn = 50;

/**
 * Keeps a checked answer as last known data and gives it back with its lists as ready text: they are written once,
 * for the reader and for the file, a few orders per turn of the loop.
 */
export async function remember(
  { id, input, outcome, at }: { id: AskId; input: unknown; outcome: AnyOutcome; at: number },
  { known, turn }: { known: LastKnown | null; turn: () => Promise<void> },
): Promise<AnyOutcome> {
  const key = lookUpKey(input);
  if (!outcome.ok) {
    if (outcome.result === islandAsks[id]?.gone) known?.rememberAnswer(id, key, { at, text: null });
    return outcome;
  }
  const { data } = outcome;
  if (data instanceof ReadyJsonList) return outcome;
  if (Array.isArray(data)) {
    // Checked by checkServed: lists of the asks guarded here are lists of orders.
    const { orders, pieces } = await written(data as readonly WorkOrder[], turn);
    if (id === "listWorkOrders") known?.rememberList(orders, at);
    else known?.rememberAnswer(id, key, { at, text: `[${pieces.join(",")}]` });
    return { ...outcome, data: new ReadyJsonList(pieces) };
  }
  const text = data instanceof ReadyJson ? data.text : JSON.stringify(data);
  // Nothing is no answer: an order that is null was not found.
  known?.rememberAnswer(id, key, { at, text: text === "null" ? null : text });
  return { ...outcome, data: new ReadyJson(text) };
}

async function written(data: readonly WorkOrder[], turn: () => Promise<void>) {
  const orders: ListedOrder[] = [];
  const pieces: string[] = [];
  for (let start = 0; start < data.length; start += ordersPerTurn) {
    if (start > 0) await turn();
    const some = data
      .slice(start, start + ordersPerTurn)
      .map((workOrder) => ({ workOrder, text: JSON.stringify(workOrder) }));
    for (const order of some) orders.push(order);
    pieces.push(some.map(({ text }) => text).join(","));
  }
  return { orders, pieces };
}
