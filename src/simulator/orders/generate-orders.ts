import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";
import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import type { Random } from "../../kit/seeded-random.ts";
import type { FloorItem } from "./generate-items.ts";

interface OrderWishes {
  readonly run: string;
  readonly count: number;
  readonly items: readonly [FloorItem, ...FloorItem[]];
  readonly random: Random;
  readonly storage: string;
}

/** Far ahead and the same every day: no adapter takes the orders for expired, and the same seed gives the same bytes. */
export const dueDate = "2035-01-31T15:00:00+00:00";

/** Orders as a shop or a factory has them: some batches for the put wall, some put-aways, lots, several units. */
export function generateOrders({ run, count, items, random, storage }: OrderWishes): WorkOrder[] {
  const orders: WorkOrder[] = [];
  for (let batch = 1; orders.length < count; batch++) {
    const isBatch = random.chance(0.12);
    const size = Math.min(count - orders.length, isBatch ? random.whole(2, 5) : 1);
    for (let part = 0; part < size; part++) {
      const number = `${run}-${String(orders.length + 1).padStart(6, "0")}`;
      const isPutAway = !isBatch && random.chance(0.08);
      orders.push({
        number,
        externalIdentifier: `${number}-X`,
        description: isPutAway ? "Put-away" : "Customer order",
        dueDate,
        customerRequiredDeliveryDate: null,
        workOrderTypeName: isPutAway ? "PutAway" : "Pick",
        designatedStorageName: random.chance(0.5) ? storage : null,
        deliveryNumber: isBatch ? `${run}-B${batch}` : null,
        alternativeStartNumber: random.chance(0.3) ? `${number}-S` : null,
        externalData: JSON.stringify({ route: random.whole(1, 9) }),
        requests: linesOf(number, { items, random, isPutAway }),
      });
    }
  }
  return orders;
}

function linesOf(
  number: string,
  { items, random, isPutAway }: Pick<OrderWishes, "items" | "random"> & { isPutAway: boolean },
): RequestLine[] {
  const count = random.chance(0.1) ? random.whole(5, 9) : random.whole(1, 4);
  return Array.from({ length: count }, (_, index): RequestLine => {
    const item = random.oneOf(items);
    const isPiece = item.unit === UnitOfMeasure.Piece;
    return {
      itemNumber: item.number,
      itemName: item.name,
      languageIsoCode: "en",
      requestedAmount: isPiece ? random.whole(1, 12) : random.whole(1, 4),
      unitOfMeasure: item.unit,
      lotNumber: random.chance(0.2) ? `L${random.whole(100, 999)}` : null,
      requestExternalIdentifier: `${number}-${index + 1}`,
      requestType: isPutAway ? RequestType.PlaceItem : RequestType.PickItem,
      order: index + 1,
      designatedLocationName: isPutAway ? item.location : null,
    };
  });
}
