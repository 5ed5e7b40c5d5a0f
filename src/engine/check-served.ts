import type { Operation } from "../contract/operation.ts";
import { type PushedItem, type PushedWorkOrder, pushRow } from "../contract/pushes.ts";
import type { WorkOrder } from "../contract/schemas/work-order.ts";
import { type Problem, type Validator, validator } from "../contract/validator.ts";
import { say } from "../messages/message.ts";
import type { DateSettings } from "../sdk/dates.ts";
import { Fault } from "../sdk/fault.ts";
import { normaliseItem, normaliseWorkOrder } from "../sdk/normalise-work-order.ts";
import { type AnyOutcome, type Ok, ok, type Refusal, refuse } from "../sdk/outcome.ts";
import { problemText } from "../sdk/problem-text.ts";
import { ReadyJson, ReadyJsonList } from "../sdk/ready-json.ts";

export interface ServedSettings {
  readonly dates: DateSettings;
  /** What one invalid order does to the list it came in. */
  readonly invalidOrders: "quarantine" | "refuse";
}

const maxNamedOrders = 5;

/**
 * Brings what a connector served into the contract's form, and keeps back what cannot be: one bad order must
 * not stop the others. Ready texts were checked when they were made and pass as they are.
 */
export function checkServed(row: Operation, outcome: AnyOutcome, settings: ServedSettings): AnyOutcome {
  if (!outcome.ok || outcome.data instanceof ReadyJson || outcome.data instanceof ReadyJsonList) return outcome;
  const kind = served(row);
  if (kind === "orders") return checkOrders(outcome as Ok<readonly unknown[]>, settings);
  if (kind === "order" && outcome.data !== null) return { ...outcome, data: oneOrder(outcome.data, settings) };
  if (kind === "item" && outcome.data !== null) return { ...outcome, data: oneItem(outcome.data) };
  return outcome;
}

/** What a row serves, read off its data schema. */
function served(row: Operation): "orders" | "order" | "item" | "other" {
  const data = row.data as { title?: string; items?: { title?: string } } | undefined;
  if (data?.items?.title === "WorkOrder") return "orders";
  if (data?.title === "WorkOrder") return "order";
  return data?.title === "Item" ? "item" : "other";
}

function checkOrders(outcome: Ok<readonly unknown[]>, settings: ServedSettings): Ok | Refusal {
  const good = new Map<string, WorkOrder>();
  const withheld: { number: string; problems: readonly Problem[] }[] = [];
  for (const [index, given] of (outcome.data as readonly unknown[]).entries()) {
    const checked = readOrder(given, settings.dates);
    if ("problems" in checked) {
      withheld.push({ number: nameOf(given, index), problems: checked.problems });
      continue;
    }
    const { workOrder } = checked;
    const twin = good.get(workOrder.number);
    if (twin !== undefined && JSON.stringify(twin) !== JSON.stringify(workOrder)) {
      withheld.push({
        number: workOrder.number,
        problems: [{ field: "number", expected: "unique", detail: workOrder.number }],
      });
    } else good.set(workOrder.number, workOrder);
  }
  if (withheld.length === 0) return { ...outcome, data: [...good.values()] };
  const numbers = withheld.slice(0, maxNamedOrders).map(({ number }) => number);
  const named = withheld.length > maxNamedOrders ? [...numbers, "…"] : numbers;
  const message = say("general.withheld", { count: withheld.length, numbers: named.join(", ") });
  if (good.size > 0 && settings.invalidOrders === "quarantine") return ok([...good.values()], { message });
  const problems = withheld.flatMap(({ number, problems: own }) =>
    own.map((problem) => problemText({ ...problem, field: `${number}: ${problem.field}` })),
  );
  return refuse("WorkOrderInvalid", message, { problems });
}

function oneOrder(given: unknown, { dates }: ServedSettings): WorkOrder {
  const checked = readOrder(given, dates);
  if ("workOrder" in checked) return checked.workOrder;
  const message = say("general.withheld", { count: 1, numbers: nameOf(given, 0) });
  const fields = checked.problems.map(({ field }) => field).join(", ");
  throw new Fault("rejected", `the external system's order is invalid: ${fields}`, { operatorText: message });
}

function oneItem(given: unknown) {
  const checks = validatorOf("items");
  const item = checks.canonical(given);
  if (checks.isValid(item)) return normaliseItem(item as PushedItem);
  const fields = checks.problems(item).map(({ field }) => field);
  throw new Fault("rejected", `the external system's item is invalid: ${fields.join(", ")}`);
}

function readOrder(given: unknown, dates: DateSettings) {
  const checks = validatorOf("workOrders");
  const order = checks.canonical(given);
  if (!checks.isValid(order)) return { problems: checks.problems(order) };
  return normaliseWorkOrder(order as PushedWorkOrder, dates);
}

const validators = new Map<string, Validator>();
function validatorOf(topic: "workOrders" | "items"): Validator {
  let known = validators.get(topic);
  if (known === undefined) {
    known = validator(pushRow(topic).element);
    validators.set(topic, known);
  }
  return known;
}

/** How a person would find the order: by its number where it has one, else by its place in the list. */
function nameOf(given: unknown, index: number): string {
  const number = typeof given === "object" && given !== null ? (given as { number?: unknown }).number : undefined;
  return typeof number === "string" && number !== "" ? number : `#${index + 1}`;
}
