import type { Random } from "../../src/kit/ids.ts";
import { type MedusaClient, recordIn } from "./medusa-client.ts";

const itemCount = 12;
const stock = 100_000;

interface Shop {
  readonly region: string;
  readonly channel: string;
  readonly location: string;
  readonly shipping: string;
  readonly variants: readonly string[];
}

/** A shop with one warehouse, items in stock and paid orders. */
export async function seedShop(medusa: MedusaClient, orders: number, random: Random): Promise<void> {
  const shop = await makeShop(medusa);
  for (let index = 0; index < orders; index++) {
    const lines = new Map<string, number>();
    for (let line = random.whole(1, 4); line > 0; line--) {
      lines.set(shop.variants[random.whole(0, shop.variants.length - 1)] ?? "", random.whole(1, 9));
    }
    const draft = await medusa.post("/admin/draft-orders", {
      ...{ region_id: shop.region, sales_channel_id: shop.channel, email: `customer-${index + 1}@example.com` },
      items: [...lines].map(([variant_id, quantity]) => ({ variant_id, quantity })),
      shipping_methods: [{ shipping_option_id: shop.shipping, name: "Parcel", amount: 5 }],
    });
    await medusa.post(`/admin/draft-orders/${recordIn(draft, "draft_order").id}/convert-to-order`);
  }
}

async function makeShop(medusa: MedusaClient): Promise<Shop> {
  const create = async (path: string, name: string, body: unknown) => recordIn(await medusa.post(path, body), name).id;
  const channel = await create("/admin/sales-channels", "sales_channel", { name: "Shop" });
  const region = await create("/admin/regions", "region", { name: "Belgium", currency_code: "eur", countries: ["be"] });
  const address = { address_1: "Dock 1", city: "Ghent", country_code: "be" };
  const location = await create("/admin/stock-locations", "stock_location", { name: "Main", address });
  await medusa.post(`/admin/stock-locations/${location}/sales-channels`, { add: [channel] });
  await medusa.post(`/admin/stock-locations/${location}/fulfillment-providers`, { add: ["manual_manual"] });
  const sets = await medusa.post(`/admin/stock-locations/${location}/fulfillment-sets?fields=*fulfillment_sets`, {
    ...{ name: "Parcels", type: "shipping" },
  });
  const [set] = recordIn(sets, "stock_location")["fulfillment_sets"] as readonly { id: string }[];
  const zones = await medusa.post(`/admin/fulfillment-sets/${set?.id}/service-zones`, {
    ...{ name: "Belgium", geo_zones: [{ type: "country", country_code: "be" }] },
  });
  const [zone] = recordIn(zones, "fulfillment_set")["service_zones"] as readonly { id: string }[];
  const profile = await create("/admin/shipping-profiles", "shipping_profile", { name: "Goods", type: "goods" });
  const shipping = await create("/admin/shipping-options", "shipping_option", {
    ...{ name: "Parcel", service_zone_id: zone?.id, shipping_profile_id: profile, provider_id: "manual_manual" },
    ...{ price_type: "flat", prices: [{ currency_code: "eur", amount: 5 }] },
    type: { label: "Parcel", description: "By parcel", code: "parcel" },
  });
  const variants: string[] = [];
  for (let index = 1; index <= itemCount; index++) {
    const sku = `SKU-${String(index).padStart(3, "0")}`;
    const product = await medusa.post("/admin/products?fields=*variants,*variants.inventory_items", {
      ...{
        title: `Item ${index}`,
        status: "published",
        shipping_profile_id: profile,
        sales_channels: [{ id: channel }],
      },
      options: [{ title: "Size", values: ["One"] }],
      variants: [
        {
          title: sku,
          sku,
          options: { Size: "One" },
          prices: [{ currency_code: "eur", amount: 10 }],
          manage_inventory: true,
        },
      ],
    });
    const [variant] = recordIn(product, "product")["variants"] as readonly {
      id: string;
      inventory_items: readonly { inventory_item_id: string }[];
    }[];
    const kept = variant?.inventory_items[0]?.inventory_item_id;
    const levels = { location_id: location, stocked_quantity: stock };
    await medusa.post(`/admin/inventory-items/${kept}/location-levels`, levels);
    variants.push(variant?.id ?? "");
  }
  return { region, channel, location, shipping, variants };
}
