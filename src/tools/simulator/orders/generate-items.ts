import { RequestType, UnitOfMeasure } from "../../../contract/enums.ts";
import type { PushedItem } from "../../../contract/pushes.ts";
import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Random } from "../../../kit/ids.ts";

interface OrderOptions {
  readonly run: string;
  readonly count: number;
  readonly items: readonly [FloorItem, ...FloorItem[]];
  readonly random: Random;
  readonly storage: string;
}

/** Fixed and far ahead, so that no adapter treats the orders as expired and the same seed gives the same bytes. */
export const dueDate = "2035-01-31T15:00:00+00:00";

/** Typical orders of a shop or factory: some batches for the put wall, some put-aways, lots, several units. */
export function generateOrders({ run, count, items, random, storage }: OrderOptions): WorkOrder[] {
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
  { items, random, isPutAway }: Pick<OrderOptions, "items" | "random"> & { isPutAway: boolean },
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

const linesPerOrder = 20;
/** Two different amounts show the number of base units per unit. The third order is for a shelf that was empty. */
const amounts = [1, 2, 3] as const;

/**
 * Orders that are picked before anything changes. For items not counted in pieces, the adapter must first see the
 * number of base units per unit; otherwise no change of them can be converted.
 */
export function generateTeaching(run: string, items: readonly FloorItem[], dueDate: string): WorkOrder[] {
  const counted = items.filter(({ unit }) => unit !== UnitOfMeasure.Piece);
  const chunks = Array.from({ length: Math.ceil(counted.length / linesPerOrder) }, (_, index) =>
    counted.slice(index * linesPerOrder, (index + 1) * linesPerOrder),
  );
  return chunks.flatMap((chunk, index) =>
    amounts.map((requestedAmount): WorkOrder => {
      const number = `${run}-U${index + 1}-${requestedAmount}`;
      return {
        number,
        description: "Order before the shift",
        dueDate,
        workOrderTypeName: "Pick",
        requests: chunk.map((item, position) => ({
          itemNumber: item.number,
          itemName: item.name,
          requestedAmount,
          unitOfMeasure: item.unit,
          requestExternalIdentifier: `${number}-${position + 1}`,
          requestType: RequestType.PickItem,
          order: position + 1,
        })),
      };
    }),
  );
}

export interface FloorItem {
  readonly number: string;
  readonly name: string;
  readonly unit: UnitOfMeasure;
  readonly location: string;
  readonly hasImage: boolean;
}

/** A minimal PNG: one transparent pixel. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const nouns = ["Bolt", "Bearing", "Hose", "Cable", "Filter", "Valve", "Gasket", "Sensor"] as const;
/** Mostly pieces, as on most floors. */
const units = [
  ...Array.from({ length: 8 }, () => UnitOfMeasure.Piece),
  UnitOfMeasure.Meter,
  UnitOfMeasure.Kilogram,
] as const;

export const aisles = ["A", "B", "C", "D", "E", "F"] as const;
export const baysPerAisle = 30;

export function generateItems({ run, count, random }: { run: string; count: number; random: Random }): FloorItem[] {
  return Array.from({ length: count }, (_, index) => ({
    number: `${run}-I${String(index + 1).padStart(4, "0")}`,
    name: `${random.oneOf(nouns)} ${index + 1}`,
    unit: random.oneOf([UnitOfMeasure.Piece, ...units]),
    location: `${random.oneOf(aisles)}-${String(random.whole(1, baysPerAisle)).padStart(2, "0")}`,
    hasImage: index % 3 === 0,
  }));
}

export const pushedItem = ({ number, name, unit, hasImage }: FloorItem): PushedItem => ({
  number,
  name,
  languageIsoCode: "en",
  unitOfMeasure: unit,
  ...(hasImage ? { image: dot } : {}),
});
