import type { AskId } from "../../contract/operations.ts";
import type { AnyOutcome } from "../../sdk/outcome.ts";
import { ReadyJson, ReadyJsonList } from "../../sdk/ready-json.ts";
import { OrderTexts } from "../order-texts.ts";
import { islandAsks } from "./island-asks.ts";
import type { LastKnown } from "./last-known.ts";
import { lookUpKey } from "./look-up-key.ts";

/** Keeps a checked answer as last known data and gives it back as ready text: it is written once, for the reader and for the file. */
export function remember(
  { id, input, outcome, at }: { id: AskId; input: unknown; outcome: AnyOutcome; at: number },
  known: LastKnown | null,
): AnyOutcome {
  const key = lookUpKey(input);
  if (!outcome.ok) {
    if (outcome.result === islandAsks[id]?.gone) known?.rememberAnswer(id, key, { at, text: null });
    return outcome;
  }
  const { data } = outcome;
  if (data instanceof OrderTexts) {
    if (id === "listWorkOrders") known?.rememberList(data.orders, at);
    else known?.rememberAnswer(id, key, { at, text: `[${data.orders.map(({ text }) => text).join(",")}]` });
    return outcome;
  }
  if (data instanceof ReadyJsonList) return outcome;
  const text = data instanceof ReadyJson ? data.text : JSON.stringify(data);
  // Nothing is no answer: an order that is null was not found.
  known?.rememberAnswer(id, key, { at, text: text === "null" ? null : text });
  return { ...outcome, data: new ReadyJson(text) };
}
