import { type Family, followUpNumber } from "../changes/family.ts";
import type { Desk } from "./desk.ts";

/** What the external system wants of this order; null where it is not ours, or where nothing is changed on this day. */
export const familyOf = ({ families }: Pick<Desk, "families">, order: string): Family | null =>
  families.get(order) ?? families.get(order.replace(followUpNumber, "")) ?? null;
