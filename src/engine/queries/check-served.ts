import { type Operation, resultForFault } from "../../contract/operation.ts";
import { type PushedItem, pushRow } from "../../contract/pushes.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { type Validator, validator } from "../../contract/validate/validator.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { halfCharacters, normaliseItem } from "../../operation/normalise-work-order.ts";
import { type AnyOutcome, ListInParts, type Ok, ReadyJson, ReadyJsonList } from "../../operation/outcome.ts";
import { holdTexts, type OrderText, shownNumber } from "../intake/order-texts.ts";
import {
  asObjects,
  numberOf,
  orderSieve,
  type RecordBooks,
  readOrder,
  type SieveNeeds,
} from "../quarantine/order-sieve.ts";

export interface ServedSettings extends SieveNeeds {
  readonly itemBooks?: RecordBooks | undefined;
}

/**
 * Brings what a connector served into the contract's form, and keeps back what cannot be: one bad order must
 * not stop the others. Ready texts were checked when they were made and pass as they are.
 */
export function checkServed(row: Operation, outcome: AnyOutcome, settings: ServedSettings): AnyOutcome {
  const given = givenOrders(row, outcome);
  if (given === null) return checkOne(row, outcome, settings);
  const isWhole = !row.results.includes(withheldResult);
  const sieve = orderSieve(isWhole ? { ...settings, ...allOrNothing } : settings, asObjects);
  for (const order of given) sieve.take(order);
  const checked = sieve.outcome();
  if (checked.ok || !isWhole) return settled(outcome, checked);
  return { ...checked, result: resultForFault(row, "invalid") };
}

const withheldResult = "WorkOrderInvalid";
/** Of an uploaded file: whoever uploaded it is there to mend it, and orders left out would be missed by nobody. */
const allOrNothing = { invalidOrders: "refuse", books: undefined } as const;

/** So many orders of ten lines take about a millisecond or two. */
const ordersPerTurn = 50;

type InTurns = ServedSettings & { readonly turn: () => Promise<void> };

/** The same for a list of any length: others get their turn between two pieces of it, and it is kept as texts. */
export async function checkServedInTurns(row: Operation, outcome: AnyOutcome, settings: InTurns): Promise<AnyOutcome> {
  const given = givenOrders(row, outcome);
  return given === null ? checkOne(row, outcome, settings) : await sieved(outcome, [given], settings);
}

/** Takes a list that comes in parts while it comes; anything else passes as it is. */
export function gatherParts(outcome: AnyOutcome, settings: InTurns): AnyOutcome | Promise<AnyOutcome> {
  if (!outcome.ok || !(outcome.data instanceof ListInParts)) return outcome;
  return sieved(outcome, outcome.data.parts, settings);
}

async function sieved(
  outcome: AnyOutcome,
  parts: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>,
  settings: InTurns,
): Promise<AnyOutcome> {
  const texts = holdTexts();
  const sieve = orderSieve(settings, texts);
  let count = 0;
  for await (const part of parts) {
    for (const order of part) {
      if (count++ > 0 && count % ordersPerTurn === 0) await settings.turn();
      sieve.take(order);
    }
  }
  const checked = sieve.outcome();
  // Held by the line above, as nothing else.
  return checked.ok ? { ...outcome, ...checked, data: texts.list(checked.data as readonly OrderText[]) } : checked;
}

const isReady = (data: unknown) => data instanceof ReadyJson || data instanceof ReadyJsonList;

function givenOrders(row: Operation, outcome: AnyOutcome): readonly unknown[] | null {
  if (!outcome.ok || isReady(outcome.data) || served(row) !== "orders") return null;
  if (Array.isArray(outcome.data)) return outcome.data;
  throw new Fault("rejected", "the external system's orders are no list");
}

/** What came with the answer stays with it, unless there is something more important to say. */
const settled = (outcome: AnyOutcome, checked: AnyOutcome): AnyOutcome =>
  checked.ok ? { ...outcome, ...checked } : checked;

function checkOne(row: Operation, outcome: AnyOutcome, settings: ServedSettings): AnyOutcome {
  if (!outcome.ok || isReady(outcome.data) || outcome.data === null) return outcome;
  const kind = served(row);
  if (kind === "order") return { ...outcome, data: oneOrder(outcome.data, settings) };
  if (kind === "item") return { ...outcome, data: oneItem(outcome.data, settings) } satisfies Ok;
  return outcome;
}

/** What a row serves, read off its data schema. */
function served(row: Operation): "orders" | "order" | "item" | "other" {
  const data = row.data as { title?: string; items?: { title?: string } } | undefined;
  if (data?.items?.title === "WorkOrder") return "orders";
  if (data?.title === "WorkOrder") return "order";
  return data?.title === "Item" ? "item" : "other";
}

function oneOrder(given: unknown, { dates, books }: ServedSettings): WorkOrder {
  const checked = readOrder(given, dates);
  const number = numberOf(given);
  if ("workOrder" in checked) {
    if (books?.holds(number)) books.release(number);
    return checked.workOrder;
  }
  books?.keep(number, checked.problems, given);
  const message = say("general.withheld", { count: 1, numbers: number === "" ? "#1" : shownNumber(number) });
  const fields = checked.problems.map(({ field }) => field).join(", ");
  throw new Fault("rejected", `the external system's order is invalid: ${fields}`, { operatorText: message });
}

let itemChecks: Validator | undefined;

function oneItem(given: unknown, { itemBooks }: ServedSettings) {
  itemChecks ??= validator(pushRow("items").element);
  const item = itemChecks.canonical(given);
  const number = numberOf(given);
  const isValid = itemChecks.isValid(item);
  const halves = isValid ? halfCharacters(item) : [];
  if (isValid && halves.length === 0) {
    if (itemBooks?.holds(number)) itemBooks.release(number);
    // Valid against the schema of this type.
    return normaliseItem(item as PushedItem);
  }
  const problems = isValid ? halves : itemChecks.problems(item);
  itemBooks?.keep(number, problems, given);
  const fields = problems.map(({ field }) => field).join(", ");
  const operatorText = say("items.withheld", { number: number === "" ? "?" : shownNumber(number) });
  throw new Fault("rejected", `the external system's item is invalid: ${fields}`, { operatorText });
}
