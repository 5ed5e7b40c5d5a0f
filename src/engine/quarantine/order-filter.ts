import { type PushedWorkOrder, pushRow } from "../../contract/pushes.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { Problem } from "../../contract/validate/problem.ts";
import { type Validator, validator } from "../../contract/validate/validator.ts";
import { say } from "../../messages/message.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { problemText } from "../../operation/fault.ts";
import { normaliseLongOrder, normaliseWorkOrder } from "../../operation/normalise-work-order.ts";
import { type Ok, ok, type Refusal, refuse } from "../../operation/outcome.ts";
import { type Holding, shownNumber } from "../intake/order-texts.ts";

/** Records bad orders or items of one connector, and removes those that became valid. */
export interface BadRecordLog {
  readonly keep: (number: string, problems: readonly Problem[], raw: unknown) => void;
  readonly holds: (number: string) => boolean;
  readonly release: (number: string) => void;
}

export interface OrderFilterNeeds {
  readonly dates: DateSettings;
  /** How one invalid order affects the list it came in. */
  readonly invalidOrders: "quarantine" | "refuse";
  readonly badRecords?: BadRecordLog | undefined;
}

/** Takes a connector's orders one at a time: good ones in the contract's form, bad ones kept back. */
export interface OrderFilter<Held> {
  readonly take: (given: unknown) => void;
  /** Takes an order that was read already, because it has thousands of lines. */
  readonly takeRead: (given: unknown, read: ReadRecord<Held>) => void;
  /** Call this once, at the end. */
  readonly outcome: () => Ok<readonly Held[]> | Refusal;
}

type ReadRecord<Held> = { readonly number: string; readonly held: Held } | { readonly problems: readonly Problem[] };

const maxNamedOrders = 5;
/** Further bad orders are only counted: a list of nothing but errors must not fill the memory. */
const maxWithheldListed = 100;

export function orderFilter<Held>(
  { dates, invalidOrders, badRecords }: OrderFilterNeeds,
  { hold, isSame }: Holding<Held>,
): OrderFilter<Held> {
  const good = new Map<string, Held>();
  const withheld: { number: string; problems: readonly Problem[] }[] = [];
  const badNumbers = new Set<string>();
  /** Numbers that came with different contents. */
  const doubtful = new Set<string>();
  let badCount = 0;
  let problemCount = 0;
  let index = 0;

  const withhold = (given: unknown, problems: readonly Problem[]) => {
    const number = numberOf(given);
    badCount++;
    problemCount += problems.length;
    if (number !== "") badNumbers.add(number);
    if (withheld.length < maxWithheldListed) {
      // The name for display: the order's number if it has one, otherwise its position in the list.
      withheld.push({ number: number === "" ? `#${index}` : shownNumber(number), problems });
    }
    badRecords?.keep(number, problems, given);
  };

  const takeRead = (given: unknown, read: ReadRecord<Held>) => {
    index++;
    if ("problems" in read) return withhold(given, read.problems);
    const { number, held } = read;
    if (doubtful.has(number)) return;
    const earlier = good.get(number);
    if (earlier === undefined) good.set(number, held);
    else if (!isSame(earlier, held)) {
      // It is unclear which of the two orders is meant: neither is served, and one is kept in quarantine.
      good.delete(number);
      doubtful.add(number);
      withhold(given, [{ field: "number", expected: "unique", detail: shownNumber(number) }]);
    }
  };

  return {
    take: (given) => {
      const read = readOrder(given, dates);
      takeRead(given, "problems" in read ? read : { number: read.workOrder.number, held: hold(read.workOrder) });
    },
    takeRead,
    outcome: () => {
      if (badRecords !== undefined) {
        for (const number of good.keys()) {
          if (badRecords.holds(number) && !badNumbers.has(number)) badRecords.release(number);
        }
      }
      const orders = [...good.values()];
      if (badCount === 0) return ok(orders);
      const numbers = withheld.slice(0, maxNamedOrders).map(({ number }) => number);
      const named = badCount > maxNamedOrders ? [...numbers, "…"] : numbers;
      const message = say("general.withheld", { count: badCount, numbers: named.join(", ") });
      if (good.size > 0 && invalidOrders === "quarantine") return ok(orders, { message });
      const problems = withheld.flatMap(({ number, problems: own }) =>
        own.map((problem) => problemText({ ...problem, field: `${number}: ${problem.field}` })),
      );
      return refuse("WorkOrderInvalid", message, { problems, problemCount });
    },
  };
}

let checks: Validator | undefined;

/** Returns one order in the contract's form, or its problems. */
export function readOrder(
  given: unknown,
  dates: DateSettings,
): { readonly workOrder: WorkOrder } | { readonly problems: readonly Problem[] } {
  checks ??= validator(pushRow("workOrders").element);
  const order = checks.canonical(given);
  if (!checks.isValid(order)) return { problems: checks.problems(order) };
  // The line above checked the order against the schema of this type.
  return normaliseWorkOrder(order as PushedWorkOrder, dates);
}

/** Reads an order of thousands of lines. Other requests run between the steps, each of which takes milliseconds. */
export async function readOrderInTurns(
  given: unknown,
  { dates, turn }: { readonly dates: DateSettings; readonly turn: () => Promise<void> },
): Promise<ReturnType<typeof readOrder>> {
  checks ??= validator(pushRow("workOrders").element);
  await turn();
  const order = checks.canonical(given);
  await turn();
  const isValid = checks.isValid(order);
  await turn();
  if (!isValid) return { problems: checks.problems(order) };
  // The check above used the schema of this type.
  const read = await normaliseLongOrder(order as PushedWorkOrder, { dates, turn });
  await turn();
  return read;
}

/** Returns the number of an order of unknown shape; empty if it has none. */
export function numberOf(given: unknown): string {
  const number = typeof given === "object" && given !== null ? (given as { number?: unknown }).number : undefined;
  return typeof number === "string" ? number : typeof number === "number" ? String(number) : "";
}
