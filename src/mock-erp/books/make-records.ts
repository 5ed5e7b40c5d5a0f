import { type Random, seededRandom } from "../../kit/seeded-random.ts";
import type { ErpItem, ErpOrder } from "./erp-records.ts";

type Customer = ErpOrder["customer"];

const tools = ["hammer", "level", "rule", "gloves", "pliers", "saw", "drill", "clamp", "chisel", "brush"] as const;
const kinds = [
  "Claw",
  "Spirit",
  "Folding",
  "Work",
  "Combination",
  "Fine",
  "Cordless",
  "Quick",
  "Wood",
  "Wire",
] as const;
const customers: readonly [Customer, ...Customer[]] = [
  { name: "Huber Bakery", city: "Graz" },
  { name: "North Sails", city: "Kiel" },
  { name: "Atelier Blanc", city: "Lyon" },
  { name: "Ferri & Figli", city: "Torino" },
  { name: "Casa Verde", city: "Sevilla" },
  { name: "Van Dijk Fietsen", city: "Utrecht" },
];
const firstOrder = 5001;
const firstItem = 200_100;
const ordersPerWave = 4;

export interface RecordsWish {
  readonly seed: number;
  readonly items: number;
  /** Orders are due on the days after it. */
  readonly today: Date;
}

export function makeItems({ seed, items }: RecordsWish): ErpItem[] {
  const random = seededRandom(seed, "items of the ERP");
  return Array.from({ length: items }, (_, index) => ({
    number: String(firstItem + index * 10),
    name: `${random.oneOf(kinds)} ${random.oneOf(tools)}`,
    grams: random.whole(20, 4000),
    bin: `${random.oneOf(["A", "B", "C", "D"])}-${String(random.whole(1, 40)).padStart(2, "0")}`,
    hasPicture: random.chance(0.7),
    stock: random.whole(200, 2000),
  }));
}

/** Gives one order after another, the same ones for the same seed. */
export function orderMaker(wish: RecordsWish, items: readonly ErpItem[]): () => ErpOrder {
  const random = seededRandom(wish.seed, "orders of the ERP");
  let made = 0;
  return () => {
    const index = made++;
    // Every third group of four is a wave.
    const group = Math.floor(index / ordersPerWave);
    return {
      number: String(firstOrder + index),
      customer: random.oneOf(customers),
      due: new Date(wish.today.getTime() + random.whole(1, 5) * 86_400_000).toISOString().slice(0, 10),
      warehouse: "Main",
      wave: group % 3 === 2 ? `W-${100 + group}` : null,
      lines: makeLines(random, items),
      state: "released",
      changedAt: wish.today.toISOString(),
    };
  };
}

function makeLines(random: Random, items: readonly ErpItem[]): ErpOrder["lines"] {
  const taken = new Set<string>();
  return Array.from({ length: random.whole(1, 4) }, (_, index) => {
    const [item, qty] = [items[random.whole(0, items.length - 1)], random.whole(1, 6)];
    return { line: (index + 1) * 10, item: item?.number ?? "", qty, picked: 0, isCancelled: false };
  }).filter(({ item }) => item !== "" && !taken.has(item) && taken.add(item));
}
