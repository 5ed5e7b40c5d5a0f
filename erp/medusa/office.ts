import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../../src/kit/ids.ts";
import { type MedusaClient, MedusaError } from "./medusa-client.ts";

interface ShopLine {
  readonly id: string;
  readonly detail: { readonly quantity: number; readonly fulfilled_quantity: number };
}

interface ShopOrder {
  readonly id: string;
  readonly display_id: number;
  readonly items: readonly ShopLine[];
}

export type ShopChange = "cancel" | "lower";

const fields = "id,display_id,items.id,items.detail.quantity,items.detail.fulfilled_quantity";

/** Cancels an order, or lowers one of its lines, whether the floor is at it or not. */
export async function changeShopOrder(
  medusa: MedusaClient,
  change: ShopChange,
  { random, isAtTheEnd }: { readonly random: Random; readonly isAtTheEnd: boolean },
): Promise<string> {
  const { orders } = (await medusa.get(`/admin/orders?status[]=pending&limit=200&fields=${fields}`)) as {
    readonly orders: readonly ShopOrder[];
  };
  const isLowered = change === "lower";
  const fitting = orders.filter(isLowered ? hasLineToLower : isUntouched);
  // An order that is fulfilled in part is being picked at this moment; where orders are booked at the end, it is over.
  const begun = fitting.filter((order) => isUntouched(order) === isAtTheEnd);
  const chosen = begun.length > 0 ? begun : fitting;
  const order = chosen[random.whole(0, Math.max(0, chosen.length - 1))];
  if (order === undefined) return `found nothing left to ${change}`;
  try {
    return isLowered ? await lower(medusa, order) : await cancel(medusa, order);
  } catch (error) {
    // As a person at the screen would see it: something of it was fulfilled a moment ago.
    if (error instanceof MedusaError && error.status < 500) {
      return `was refused to ${change} M${order.display_id}: ${error.message}`;
    }
    throw error;
  }
}

const isOpen = ({ detail }: ShopLine): boolean => detail.fulfilled_quantity < detail.quantity;

/** Medusa cancels no order of which anything is fulfilled. */
const isUntouched = ({ items }: ShopOrder): boolean => items.every(({ detail }) => detail.fulfilled_quantity === 0);

const canBeLowered = (line: ShopLine): boolean => isOpen(line) && line.detail.quantity > 1;

const hasLineToLower = ({ items }: ShopOrder): boolean => items.some(canBeLowered);

async function cancel(medusa: MedusaClient, { id, display_id }: ShopOrder): Promise<string> {
  await medusa.post(`/admin/orders/${id}/cancel`);
  return `cancelled M${display_id}`;
}

async function lower(medusa: MedusaClient, { id, display_id, items }: ShopOrder): Promise<string> {
  const line = items.find(canBeLowered);
  if (line === undefined) return `found nothing to lower in M${display_id}`;
  const { quantity, fulfilled_quantity } = line.detail;
  const lowered = Math.max(1, fulfilled_quantity, Math.floor(quantity / 2));
  try {
    await medusa.post("/admin/order-edits", { order_id: id });
    await medusa.post(`/admin/order-edits/${id}/items/item/${line.id}`, { quantity: lowered });
    await medusa.post(`/admin/order-edits/${id}/request`);
    await medusa.post(`/admin/order-edits/${id}/confirm`);
  } catch (error) {
    // Refused halfway, or Medusa was killed meanwhile: a half-finished change blocks the order until somebody gives it up.
    const isGivenUp = await giveUp(medusa, id);
    if (error instanceof MedusaError && error.status < 500) throw error;
    if (isGivenUp) return `abandoned a change of M${display_id}`;
    return (await isNow(medusa, id, { ...line, lowered }))
      ? `lowered a line of M${display_id} from ${quantity} to ${lowered}`
      : `lost a change of M${display_id}`;
  }
  return `lowered a line of M${display_id} from ${quantity} to ${lowered}`;
}

/** Whether a change whose confirmation was cut off took effect. */
async function isNow(
  medusa: MedusaClient,
  order: string,
  { id, lowered }: { readonly id: string; readonly lowered: number },
): Promise<boolean> {
  const found = (await medusa.get(`/admin/orders/${order}?fields=${fields}`)) as { readonly order: ShopOrder };
  return found.order.items.some((line) => line.id === id && line.detail.quantity === lowered);
}

/** Whether there was a change to give up; waits until Medusa is back. */
async function giveUp(medusa: MedusaClient, id: string): Promise<boolean> {
  for (let attempt = 0; attempt < 600; attempt++) {
    try {
      await medusa.remove(`/admin/order-edits/${id}`);
      return true;
    } catch (error) {
      // Confirmed before the kill, or never begun.
      if (error instanceof MedusaError && error.status < 500) return false;
    }
    await pause(500);
  }
  throw new Error("Medusa did not come back");
}
