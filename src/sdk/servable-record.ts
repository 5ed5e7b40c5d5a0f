import { hash } from "node:crypto";
import { type PushedWorkOrder, pushRow } from "../contract/pushes.ts";
import { halfCharacters } from "../contract/validate/half-characters.ts";
import { type Validator, validator } from "../contract/validate/validator.ts";
import type { DateSettings } from "../operation/dates.ts";
import { normaliseWorkOrder } from "../operation/normalise-work-order.ts";

/** Increase it when the rules for an order or item change outside the schemas. */
const ofTheCode = 1;

/**
 * A fingerprint of the limits that records are checked with. If it differs from the stored one, stored records may
 * exceed the limits.
 */
export function limitsMark(): string {
  const schemas = [pushRow("workOrders").element, pushRow("items").element];
  return hash("sha1", `${ofTheCode} ${JSON.stringify(schemas)}`).slice(0, 16);
}

let orders: Validator | undefined;
let items: Validator | undefined;

/** Whether a stored order can be served: it is within the limits of this version, and a strict client can read it. */
export function isServableOrder(json: string, dates: DateSettings): boolean {
  orders ??= validator(pushRow("workOrders").element);
  const order = orders.canonical(JSON.parse(json));
  // Checked as a pushed order on the line below.
  return orders.isValid(order) && "workOrder" in normaliseWorkOrder(order as PushedWorkOrder, dates);
}

export function isServableItem(json: string): boolean {
  items ??= validator(pushRow("items").element);
  const item = items.canonical(JSON.parse(json));
  return items.isValid(item) && halfCharacters(item).length === 0;
}
