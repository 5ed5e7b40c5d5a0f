import type { PushedItem, PushedWorkOrder } from "../../contract/pushes.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Orders SO-1005 to SO-1008 are picked together and sorted at the put wall under this code. */
export const putWallBatch = "BATCH-7";

interface SampleOrder {
  readonly number: string;
  readonly storage: "Main" | "Annex";
  readonly dueInDays: number;
  readonly customer: string;
  readonly city: string;
  readonly batch?: string;
  readonly lines: readonly (readonly [itemNumber: string, amount: number])[];
}

const table: readonly SampleOrder[] = [
  {
    number: "SO-1001",
    storage: "Main",
    dueInDays: 0,
    customer: "Bäckerei Huber",
    city: "Salzburg",
    lines: [
      ["100100", 1],
      ["100110", 2],
      ["100200", 3],
    ],
  },
  {
    number: "SO-1002",
    storage: "Main",
    dueInDays: 0,
    customer: "Tischlerei Kern",
    city: "Linz",
    lines: [
      ["100120", 4],
      ["100220", 10],
    ],
  },
  {
    number: "SO-1003",
    storage: "Annex",
    dueInDays: 1,
    customer: "Hotel Post",
    city: "Innsbruck",
    lines: [
      ["100400", 20],
      ["100300", 12],
      ["100410", 1],
    ],
  },
  {
    number: "SO-1004",
    storage: "Annex",
    dueInDays: 1,
    customer: "Elektro Nowak",
    city: "Wien",
    lines: [["100320", 50]],
  },
  {
    number: "SO-1005",
    storage: "Main",
    dueInDays: 1,
    batch: putWallBatch,
    customer: "A. Rossi",
    city: "Bolzano",
    lines: [
      ["100300", 2],
      ["100310", 1],
    ],
  },
  {
    number: "SO-1006",
    storage: "Main",
    dueInDays: 1,
    batch: putWallBatch,
    customer: "M. Dubois",
    city: "Lyon",
    lines: [["100300", 4]],
  },
  {
    number: "SO-1007",
    storage: "Main",
    dueInDays: 1,
    batch: putWallBatch,
    customer: "J. de Vries",
    city: "Utrecht",
    lines: [
      ["100110", 1],
      ["100210", 2],
      ["100300", 1],
    ],
  },
  {
    number: "SO-1008",
    storage: "Main",
    dueInDays: 1,
    batch: putWallBatch,
    customer: "K. Nowak",
    city: "Kraków",
    lines: [
      ["100200", 1],
      ["100310", 1],
    ],
  },
  {
    number: "SO-1009",
    storage: "Annex",
    dueInDays: 3,
    customer: "Stadtwerke Ost",
    city: "Dresden",
    lines: [
      ["100320", 120],
      ["100410", 2],
      ["100500", 1],
    ],
  },
  {
    number: "SO-1010",
    storage: "Main",
    dueInDays: 7,
    customer: "Möbel Brandl",
    city: "Graz",
    lines: [
      ["100100", 5],
      ["100120", 5],
      ["100200", 20],
      ["100220", 20],
    ],
  },
];

/** Ten orders in two storages; due dates count from today, so that a new installation has no overdue orders. */
export function sampleOrders(nowMs: number, sampleItems: readonly PushedItem[]): PushedWorkOrder[] {
  const items = new Map(sampleItems.map((item) => [item.number, item]));
  return table.map(({ number, storage, dueInDays, customer, city, batch, lines }) => {
    const orderId = number.replace("SO-", "");
    return {
      number,
      externalIdentifier: `order-${orderId}`,
      description: `${customer}, ${city}`,
      dueDate: endOfDay(nowMs + dueInDays * dayMs),
      workOrderTypeName: batch === undefined ? "Sales order" : "Web order",
      designatedStorageName: storage,
      // The code that a scanner reads from the order's paper.
      alternativeStartNumber: `0400${orderId}`,
      deliveryNumber: batch ?? `D-${orderId}`,
      externalData: { customer: { name: customer, city }, channel: batch === undefined ? "sales" : "web" },
      requests: lines.map(([itemNumber, requestedAmount], index) => {
        const item = items.get(itemNumber);
        return {
          itemNumber,
          itemName: item?.name ?? null,
          languageIsoCode: "en",
          requestedAmount,
          unitOfMeasure: item?.unitOfMeasure ?? null,
          itemExternalIdentifier: item?.externalIdentifier ?? null,
          requestExternalIdentifier: `${number}/${index + 1}`,
        };
      }),
    };
  });
}

/** 18:00 UTC of the next day at the earliest, so that the due date is always in the future. */
const endOfDay = (ms: number) => new Date(Math.floor(ms / dayMs) * dayMs + dayMs + 18 * 60 * 60 * 1000).toISOString();
