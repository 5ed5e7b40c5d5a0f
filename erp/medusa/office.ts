import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../../src/kit/ids.ts";
import { type MedusaClient, MedusaError } from "./medusa-client.ts";

interface ShopOrder {
  readonly id: string;
  readonly display_id: number;
  readonly items: readonly {
    readonly id: string;
    readonly detail: { readonly quantity: number; readonly fulfilled_quantity: number };
  }[];
}

const fields = "id,display_id,items.id,items.detail.quantity,items.detail.fulfilled_quantity";

/** Cancels an order, or lowers one of its lines, whether the floor is at it or not. */
export async function changeShopOrder(medusa: MedusaClient, random: Random): Promise<string> {
  const { orders } = (await medusa.get(`/admin/orders?status[]=pending&limit=200&fields=${fields}`)) as {
    readonly orders: readonly ShopOrder[];
  };
  const [isCancelled, which] = [random.chance(0.4), random.whole(0, 9999)];
  const open = orders.filter(({ items }) => items.some(({ detail }) => detail.fulfilled_quantity < detail.quantity));
  const order = open[which % Math.max(1, open.length)];
  if (order === undefined) return "found nothing left to change";
  try {
    return isCancelled ? await cancel(medusa, order) : await lower(medusa, order);
  } catch (error) {
    // Refused, as a person at the screen would see it: something of it is fulfilled already.
    if (error instanceof MedusaError && error.status < 500) return `was refused a change of M${order.display_id}: ${error.message}`;
    throw error;
  }
}

async function cancel(medusa: MedusaClient, { id, display_id }: ShopOrder): Promise<string> {
  await medusa.post(`/admin/orders/${id}/cancel`);
  return `cancelled M${display_id}`;
}

async function lower(medusa: MedusaClient, { id, display_id, items }: ShopOrder): Promise<string> {
  const line = items.find(({ detail }) => detail.fulfilled_quantity < detail.quantity && detail.quantity > 1);
  if (line === undefined) return `found nothing to lower in M${display_id}`;
  const quantity = Math.max(1, line.detail.fulfilled_quantity, Math.floor(line.detail.quantity / 2));
  try {
    await medusa.post("/admin/order-edits", { order_id: id });
    await medusa.post(`/admin/order-edits/${id}/items/item/${line.id}`, { quantity });
    await medusa.post(`/admin/order-edits/${id}/request`);
    await medusa.post(`/admin/order-edits/${id}/confirm`);
  } catch (error) {
    // Medusa was killed meanwhile: a person would give up the half-finished change, which blocks the order.
    if (!(error instanceof TypeError)) throw error;
    return (await giveUp(medusa, id)) ? `gave up a change of M${display_id}` : `lost a change of M${display_id}`;
  }
  return `lowered a line of M${display_id} to ${quantity}`;
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
