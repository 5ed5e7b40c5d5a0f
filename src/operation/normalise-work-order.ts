import type { TSchema } from "typebox";
import { RequestType, UnitOfMeasure } from "../contract/enums.ts";
import { limits } from "../contract/limits.ts";
import type { QueryId } from "../contract/operations.ts";
import type { PushedItem, PushedWorkOrder } from "../contract/pushes.ts";
import {
  type Item,
  itemSchema,
  type RequestLine,
  requestLineSchema,
  type WorkOrder,
  workOrderSchema,
} from "../contract/schemas/work-order.ts";
import { halfCharacters, halfCharactersInTurns } from "../contract/validate/half-characters.ts";
import type { Problem } from "../contract/validate/problem.ts";
import { longNumberIn } from "../kit/json/exact-number.ts";
import { type DateSettings, firstYear, readDateTime } from "./dates.ts";

type Members = Record<string, unknown>;

type NormalisedOrder = { workOrder: WorkOrder } | { problems: Problem[] };

/**
 * Converts a pushed order that passed its schema to the contract's form. Dates get an offset, external data becomes
 * text, and unit, type and sequence are always set (the platform reads a missing enum as 0, which means "ignore the
 * line"). Null members are left out. Members that the contract does not define are kept unchanged.
 */
export function normaliseWorkOrder(pushed: PushedWorkOrder, dates: DateSettings): NormalisedOrder {
  const { order, problems } = normalised(pushed, dates);
  return checked(order, [...problems, ...halfCharacters(order)]);
}

/** The same for an order of thousands of lines. Other requests run in between. */
export async function normaliseLongOrder(
  pushed: PushedWorkOrder,
  { dates, turn }: { readonly dates: DateSettings; readonly turn: () => Promise<void> },
): Promise<NormalisedOrder> {
  const { order, problems } = normalised(pushed, dates);
  await turn();
  return checked(order, [...problems, ...(await halfCharactersInTurns(order, turn))]);
}

function normalised(pushed: PushedWorkOrder, dates: DateSettings): { order: Members; problems: Problem[] } {
  const problems: Problem[] = [];
  const order = withoutNulls(pushed, workOrderSchema.properties);
  for (const field of ["dueDate", "customerRequiredDeliveryDate"]) {
    const text = order[field];
    if (typeof text !== "string") continue;
    const dateTime = readDateTime(text, dates);
    const found = JSON.stringify(text.slice(0, 60));
    if (dateTime === null) problems.push({ field, expected: "date", found });
    else if (field === "dueDate" && Number(dateTime.slice(0, 4)) < firstYear) {
      problems.push({ field, expected: "likely-date", detail: String(firstYear), found });
    } else order[field] = dateTime;
  }
  stringify(order, "externalData", "", problems);
  order["requests"] = pushed.requests.map((line, index) => normaliseLine(line, index, problems));
  return { order, problems };
}

function checked(order: Members, problems: Problem[]): NormalisedOrder {
  if (problems.length > 0) return { problems };
  // The members were checked against the schema of pushed orders. It differs from WorkOrder only in the members that
  // were replaced above.
  return { workOrder: order as unknown as WorkOrder };
}

function normaliseLine(pushed: PushedWorkOrder["requests"][number], index: number, problems: Problem[]): RequestLine {
  const line = withoutNulls(pushed, requestLineSchema.properties);
  stringify(line, "requestExternalData", `requests[${index}].`, problems);
  line["requestType"] ??= RequestType.PickItem;
  line["unitOfMeasure"] ??= UnitOfMeasure.Piece;
  line["order"] ??= index + 1;
  // The members were checked too; only the external data had a different type.
  return line as unknown as RequestLine;
}

/** Returns the item in the contract's form. Its image is not part of the contract's item and is stored separately. */
export function normaliseItem(pushed: PushedItem): Item {
  const item = withoutNulls(pushed, itemSchema.properties);
  delete item["image"];
  item["unitOfMeasure"] ??= UnitOfMeasure.Piece;
  // The members were checked; the image was the only one that Item does not have.
  return item as unknown as Item;
}

/** Checks the length again: the schema limits texts, but an object has a length only after it was serialised. */
function stringify(members: Members, name: string, owner: string, problems: Problem[]): void {
  const value = members[name];
  if (typeof value !== "object" || value === null) return;
  const text = JSON.stringify(value);
  members[name] = text;
  const { externalDataLength: limit } = limits;
  if (text.length > limit) problems.push({ field: owner + name, expected: "length", detail: String(limit) });
}

function withoutNulls(source: object, known: object): Members {
  const members: Members = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === null && Object.hasOwn(known, name)) continue;
    // Assigning to __proto__ would change the prototype instead of keeping the member.
    if (name === "__proto__") Object.defineProperty(members, name, { value, enumerable: true, writable: true });
    else members[name] = value;
  }
  return members;
}

/** Every number of an item is a measure and may be rounded. All other numbers are amounts, which must stay exact. */
export const isMeasure = (name: string) => Object.hasOwn(itemSchema.properties, name);

interface Shape {
  readonly properties?: Readonly<Record<string, { readonly type?: string | readonly string[] }>>;
}

/**
 * Rounds weights, lengths and minimum stock levels with more digits than a JavaScript number keeps (a third of a
 * kilogram) to the nearest number, as a mapping does. Nothing else is rounded: an amount on hand or still wanted, a
 * whole number or an identifier would become a different one.
 */
export function nearestMeasures(schema: TSchema): (value: unknown) => unknown {
  // Schemas of the contract are plain JSON Schema.
  const names = Object.entries((schema as Shape).properties ?? {}).flatMap(([name, { type }]) =>
    isMeasure(name) && (type === "number" || (Array.isArray(type) && type.includes("number"))) ? [name] : [],
  );
  if (names.length === 0) return (value) => value;
  return (value) => {
    if (typeof value !== "object" || value === null) return value;
    // An object, by the check above; its members may be anything.
    let members = value as Record<string, unknown>;
    for (const name of names) {
      const digits = longNumberIn(members[name]);
      if (digits !== undefined) members = { ...members, [name]: Number(digits) };
    }
    return members;
  };
}

/**
 * Removes the spaces and line ends that scanners add to a code, so that every system is queried with the code itself.
 */
export function scannedInput(id: QueryId, input: unknown): unknown {
  const name = id === "findWorkOrderByCode" ? "Code" : id === "findPutWallOrders" ? "code" : undefined;
  if (name === undefined || typeof input !== "object" || input === null) return input;
  // Any object can be read by name; the values are unknown again.
  const code = (input as Record<string, unknown>)[name];
  return typeof code === "string" && code !== code.trim() ? { ...input, [name]: code.trim() } : input;
}
