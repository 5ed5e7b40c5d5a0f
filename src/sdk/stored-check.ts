import { hash } from "node:crypto";
import { type PushedWorkOrder, pushRow } from "../contract/pushes.ts";
import { type Validator, validator } from "../contract/validator.ts";
import type { DateSettings } from "./dates.ts";
import { halfCharacters } from "./half-characters.ts";
import { normaliseWorkOrder } from "./normalise-work-order.ts";

/** To be raised where what is asked of an order or item changes beside the schemas. */
const ofTheCode = 1;

/** Says by which limits records were checked: where it is another one than noted, what is stored may be beyond them. */
export function limitsMark(): string {
  const schemas = [pushRow("workOrders").element, pushRow("items").element];
  return hash("sha1", `${ofTheCode} ${JSON.stringify(schemas)}`).slice(0, 16);
}

let orders: Validator | undefined;
let items: Validator | undefined;

/** Whether a stored order can be served: by the limits of this version, and readable for a strict client. */
export function isServableOrder(json: string, dates: DateSettings): boolean {
  orders ??= validator(pushRow("workOrders").element);
  const order = orders.canonical(JSON.parse(json));
  // Checked by the line below as a pushed order.
  return orders.isValid(order) && "workOrder" in normaliseWorkOrder(order as PushedWorkOrder, dates);
}

export function isServableItem(json: string): boolean {
  items ??= validator(pushRow("items").element);
  const item = items.canonical(JSON.parse(json));
  return items.isValid(item) && halfCharacters(item).length === 0;
}
