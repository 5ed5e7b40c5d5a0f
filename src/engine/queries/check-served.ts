import { type Operation, resultForFault } from "../../contract/operation.ts";
import type { InputOf } from "../../contract/operations.ts";
import { type PushedItem, pushRow } from "../../contract/pushes.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { halfCharacters, halfCharactersInTurns } from "../../contract/validate/half-characters.ts";
import type { Problem } from "../../contract/validate/problem.ts";
import { type Validator, validator } from "../../contract/validate/validator.ts";
import type { Log } from "../../kit/log.ts";
import { recentValues } from "../../kit/recent-values.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { normaliseItem } from "../../operation/normalise-work-order.ts";
import { type AnyOutcome, type Fact, isReadyText, ListInParts, type Ok, refuse } from "../../operation/outcome.ts";
import { asObjects, type HoldingTexts, holdTexts, type OrderText, shownNumber } from "../intake/order-texts.ts";
import {
  type BadRecordLog,
  numberOf,
  type OrderFilterNeeds,
  orderFilter,
  readOrder,
  readOrderInTurns,
} from "../quarantine/order-filter.ts";

export interface ServedSettings extends OrderFilterNeeds {
  readonly badItems?: BadRecordLog | undefined;
}

/**
 * Converts a connector's answer into the contract's form and holds back what is invalid: one bad order must not stop
 * the others. Ready texts were checked when they were created and pass unchanged.
 */
export function checkServed(row: Operation, outcome: AnyOutcome, settings: ServedSettings): AnyOutcome {
  const given = givenOrders(row, outcome);
  if (given === null) return checkOne(row, outcome, settings);
  const isWhole = !row.results.includes(withheldResult);
  const filter = orderFilter(isWhole ? { ...settings, ...allOrNothing } : settings, asObjects);
  for (const order of given) filter.take(order);
  const checked = filter.outcome();
  if (checked.ok || !isWhole) return settled(outcome, checked);
  return { ...checked, result: resultForFault(row, "invalid") };
}

const withheldResult = "WorkOrderInvalid";
/**
 * The settings for an uploaded file, which is refused as a whole: the user can correct it at once, and nobody would
 * notice orders that were left out.
 */
const allOrNothing = { invalidOrders: "refuse", badRecords: undefined } as const;

/** Checking this many lines takes one or two milliseconds. */
const linesPerTurn = 500;

type InTurns = ServedSettings & { readonly turn: () => Promise<void> };

/** Checks a list of any length in pieces, so that other requests run in between, and keeps it as text. */
export async function checkServedInTurns(row: Operation, outcome: AnyOutcome, settings: InTurns): Promise<AnyOutcome> {
  const given = givenOrders(row, outcome);
  if (given !== null) return await sieved(outcome, [given], settings);
  if (outcome.ok && served(row) === "order" && !isReadyText(outcome.data) && linesOf(outcome.data) > manyLines) {
    const checked = await readOrderInTurns(outcome.data, settings);
    return { ...outcome, data: servedOrder(outcome.data, checked, settings) };
  }
  if (outcome.ok && served(row) === "item" && !isReadyText(outcome.data) && outcome.data !== null) {
    return { ...outcome, data: await itemInTurns(outcome.data, settings) } satisfies Ok;
  }
  return checkOne(row, outcome, settings);
}

/** Processes a list in parts while it arrives; anything else passes unchanged. */
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
  const filter = orderFilter(settings, texts);
  let lines = 0;
  for await (const part of parts) {
    for (const order of part) {
      const own = linesOf(order);
      lines += own;
      if (lines > linesPerTurn) {
        await settings.turn();
        lines = own;
      }
      if (own <= manyLines) filter.take(order);
      else filter.takeRead(order, await readLongOrder(order, texts, settings));
    }
  }
  const checked = filter.outcome();
  // The line above adds only orders.
  return checked.ok ? { ...outcome, ...checked, data: texts.list(checked.data as readonly OrderText[]) } : checked;
}

async function readLongOrder(given: unknown, texts: HoldingTexts, settings: InTurns) {
  const read = await readOrderInTurns(given, settings);
  if ("problems" in read) return read;
  return { number: read.workOrder.number, held: await texts.holdInTurns(read.workOrder) };
}

function givenOrders(row: Operation, outcome: AnyOutcome): readonly unknown[] | null {
  if (!outcome.ok || isReadyText(outcome.data) || served(row) !== "orders") return null;
  if (Array.isArray(outcome.data)) return outcome.data;
  throw new Fault("rejected", "the external system's orders are not a list");
}

/** Keeps the message of the answer, unless the check has something more important to say. */
const settled = (outcome: AnyOutcome, checked: AnyOutcome): AnyOutcome =>
  checked.ok ? { ...outcome, ...checked } : checked;

function checkOne(row: Operation, outcome: AnyOutcome, settings: ServedSettings): AnyOutcome {
  if (!outcome.ok || isReadyText(outcome.data) || outcome.data === null) return outcome;
  const kind = served(row);
  if (kind === "order") return { ...outcome, data: oneOrder(outcome.data, settings) };
  if (kind === "item") return { ...outcome, data: oneItem(outcome.data, settings) } satisfies Ok;
  return outcome;
}

/** What a row serves, derived from its data schema. */
function served(row: Operation): "orders" | "order" | "item" | "other" {
  const data = row.data as { title?: string; items?: { title?: string } } | undefined;
  if (data?.items?.title === "WorkOrder") return "orders";
  if (data?.title === "WorkOrder") return "order";
  return data?.title === "Item" ? "item" : "other";
}

/** An order takes a millisecond for every few hundred lines. */
const manyLines = 500;

/** An order has about as many members as a line. */
const membersPerLine = 16;

/** How many lines cost as much to check as this order, or more than `manyLines`. */
function linesOf(order: unknown): number {
  if (typeof order !== "object" || order === null || Array.isArray(order)) return 1;
  let lines = 1;
  let members = 0;
  for (const name in order) {
    // Any object can be read by name; the values are unknown again.
    const member = (order as Record<string, unknown>)[name];
    if (Array.isArray(member)) lines += member.length;
    lines += members++ % membersPerLine === membersPerLine - 1 ? 1 : 0;
    if (lines > manyLines) break;
  }
  return lines;
}

const oneOrder = (given: unknown, settings: ServedSettings): WorkOrder =>
  servedOrder(given, readOrder(given, settings.dates), settings);

function servedOrder(
  given: unknown,
  checked: ReturnType<typeof readOrder>,
  { badRecords }: Pick<ServedSettings, "badRecords">,
): WorkOrder {
  const number = numberOf(given);
  if ("workOrder" in checked) {
    if (badRecords?.holds(number)) badRecords.release(number);
    return checked.workOrder;
  }
  badRecords?.keep(number, checked.problems, given);
  const message = say("general.withheld", { count: 1, numbers: number === "" ? "#1" : shownNumber(number) });
  const fields = checked.problems.map(({ field }) => field).join(", ");
  throw new Fault("rejected", `the external system's order is invalid: ${fields}`, { operatorText: message });
}

let itemChecks: Validator | undefined;

function oneItem(given: unknown, settings: ServedSettings) {
  const { item, problems } = readItem(given);
  return servedItem(given, item, problems ?? halfCharacters(item), settings);
}

/** An item may have thousands of members that the contract does not define. */
async function itemInTurns(given: unknown, settings: InTurns) {
  const { item, problems } = readItem(given);
  return servedItem(given, item, problems ?? (await halfCharactersInTurns(item, settings.turn)), settings);
}

/** Returns the item with the documented names, and its problems; null if it is valid against its schema. */
function readItem(given: unknown): { readonly item: unknown; readonly problems: readonly Problem[] | null } {
  itemChecks ??= validator(pushRow("items").element);
  const item = itemChecks.canonical(given);
  return { item, problems: itemChecks.isValid(item) ? null : itemChecks.problems(item) };
}

function servedItem(given: unknown, item: unknown, problems: readonly Problem[], { badItems }: ServedSettings) {
  const number = numberOf(given);
  if (problems.length === 0) {
    if (badItems?.holds(number)) badItems.release(number);
    // The item is valid against the schema of this type.
    return normaliseItem(item as PushedItem);
  }
  badItems?.keep(number, problems, given);
  const fields = problems.map(({ field }) => field).join(", ");
  const operatorText = say("items.withheld", { number: number === "" ? "?" : shownNumber(number) });
  throw new Fault("rejected", `the external system's item is invalid: ${fields}`, { operatorText });
}

/** Records the numbers of orders that an external system served. Never throws. */
export type ServedOrders = (numbers: readonly string[]) => Promise<void>;

/** More numbers than orders are ever open at once. */
const rememberedNumbers = 200_000;
/** So few that an event never waits behind them. */
const numbersPerFact = 500;

/**
 * Stores which orders the external systems have listed or found. Events and reports then know these orders while that
 * system is down, after the order has left its list, and after a restart. Each number is stored once per process.
 */
export function servedOrders({
  record,
  log,
}: {
  readonly record: (facts: readonly Fact[]) => Promise<void>;
  readonly log: Log;
}): ServedOrders {
  const written = recentValues<true>(rememberedNumbers);
  let last: Promise<void> = Promise.resolve();

  const write = async (numbers: readonly string[]) => {
    try {
      await record([{ topic: "knownOrders", lane: "", payload: { numbers } }]);
    } catch (error) {
      // Forgets the numbers, so that they are stored when the system serves them next.
      for (const number of numbers) written.delete(number);
      log.warn({ err: error, orders: numbers.length }, "the numbers of served orders could not be stored");
    }
  };

  return async (numbers) => {
    const fresh = new Set<string>();
    for (const number of numbers) {
      if (written.get(number) || fresh.has(number)) continue;
      fresh.add(number);
    }
    if (fresh.size === 0) return;
    const all = [...fresh];
    for (const number of all) written.set(number, true);
    for (let start = 0; start < all.length; start += numbersPerFact) {
      const some = all.slice(start, start + numbersPerFact);
      last = last.then(() => write(some));
    }
    // The answer waits until a few orders are stored, so that a report that follows at once knows them. It does not
    // wait for a long list.
    if (all.length <= numbersPerFact) await last;
  };
}

const fold = (name: string) => name.trim().normalize("NFC").toLowerCase();

/**
 * Refuses a scanned order that belongs to another storage, and names that storage. An external system finds an order by
 * the code and does not know where the scan happened. Ready texts come from the embedded store, which checks this
 * itself.
 */
export function ofThisStorage(outcome: AnyOutcome, input: unknown): AnyOutcome {
  if (!outcome.ok || outcome.data === null || isReadyText(outcome.data)) return outcome;
  // The scan was checked against its row, and the order against its schema.
  const { StorageName } = input as InputOf<"findWorkOrderByCode">;
  // Both checks were made before this is called.
  const { number, designatedStorageName } = outcome.data as unknown as WorkOrder;
  if (!designatedStorageName || !StorageName?.trim()) return outcome;
  if (fold(designatedStorageName) === fold(StorageName)) return outcome;
  return refuse("WorkOrderDoesNotExist", say("orders.other-storage", { number, storage: designatedStorageName }));
}
