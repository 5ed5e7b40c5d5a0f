import type { BookedAmount } from "../harness/real-system.ts";
import type { MedusaClient } from "./medusa-client.ts";

interface FulfilledOrder {
  readonly display_id: number;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly items: readonly {
    readonly id: string;
    readonly variant_sku: string;
    readonly detail: { readonly fulfilled_quantity: number };
  }[];
}

/** Fulfilled amounts, and those that the order itself names as picked too late to be fulfilled. */
export async function bookedFulfilments(medusa: MedusaClient): Promise<readonly BookedAmount[]> {
  const fields = "id,display_id,metadata,items.id,items.variant_sku,items.detail.fulfilled_quantity";
  // The fields that the request names.
  const { orders } = (await medusa.get(`/admin/orders?limit=1000&fields=${fields}`)) as {
    readonly orders: readonly FulfilledOrder[];
  };
  return orders.flatMap(({ display_id, metadata, items }) =>
    items.map(({ id, variant_sku, detail }) => ({
      ...{ order: `M${display_id}`, item: variant_sku, lot: null, location: null },
      amount: detail.fulfilled_quantity + Number(metadata?.[`surplus ${id}`] ?? 0),
    })),
  );
}
