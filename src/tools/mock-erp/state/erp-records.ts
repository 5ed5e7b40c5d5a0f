import { type Static, Type } from "typebox";
import { validator } from "../../../contract/validate/validator.ts";
import { type Random, seededRandom } from "../../../kit/ids.ts";

/** The ERP's own data model; an adapter has to translate it. */
export interface ErpItem {
  readonly number: string;
  readonly name: string;
  readonly grams: number;
  readonly bin: string;
  readonly hasPicture: boolean;
  stock: number;
}

interface ErpLine {
  readonly line: number;
  readonly item: string;
  readonly qty: number;
  picked: number;
  isCancelled: boolean;
}

export const orderStates = ["released", "started", "completed", "cancelled"] as const;
export type OrderState = (typeof orderStates)[number];

export interface ErpOrder {
  readonly number: string;
  readonly customer: { readonly name: string; readonly city: string };
  readonly due: string;
  readonly warehouse: string;
  /** Orders of one wave are sorted at the put wall. */
  readonly wave: string | null;
  readonly lines: readonly ErpLine[];
  state: OrderState;
  changedAt: string;
}

export interface ErpCancellation {
  readonly order: string;
  /** Null for the whole order. */
  readonly line: number | null;
  readonly reason: string;
  readonly changedAt: string;
}

/** One change of the ERP's data that an event of the floor causes. */
export interface Booking {
  readonly what: "pick" | "put away" | "cancel" | "attach" | "release" | "move" | "state" | "note";
  readonly order: string;
  readonly line: string | null;
  readonly item: string | null;
  readonly qty: number | null;
  readonly tote: string | null;
  readonly place: string | null;
  readonly note: string | null;
}

/** Whether the order is no longer picked, so that its totes are free. */
export const isClosed = ({ state }: Pick<ErpOrder, "state">): boolean => state === "completed" || state === "cancelled";

/** Finds the line by its number, or without a number by the item, open lines first. */
export function lineOf(order: ErpOrder, { line, item }: Booking): ErpLine | undefined {
  const byNumber = line === null ? undefined : order.lines.find((one) => String(one.line) === line);
  if (byNumber !== undefined) return byNumber;
  const ofItem = order.lines.filter((one) => one.item === item);
  return ofItem.find((one) => !one.isCancelled && one.picked < one.qty) ?? ofItem[0];
}

const isDone = ({ isCancelled, picked, qty }: ErpLine) => isCancelled || picked >= qty;

export function stateAfter(
  order: ErpOrder,
  { what, note }: Pick<Booking, "what"> & { note?: string | null },
): ErpOrder["state"] {
  // The note of a "state" booking is the new state.
  if (what === "state") return (note ?? order.state) as ErpOrder["state"];
  if (what === "move" || what === "note") return order.state;
  if (order.lines.every(({ isCancelled, picked }) => isCancelled && picked === 0)) return "cancelled";
  if (order.lines.every(isDone)) return "completed";
  return order.state === "released" && what === "release" ? "released" : what === "cancel" ? order.state : "started";
}

const name = Type.String({ minLength: 1, maxLength: 200 });
const text = Type.String({ maxLength: 200 });
const whole = Type.Integer({ minimum: 0, maximum: 1e9 });
// Allows fractions, which an adapter has to refuse.
const amount = Type.Number({ minimum: 0, maximum: 1e9 });
const closed = { additionalProperties: false };

const lineSchema = Type.Object({ line: Type.Integer({ minimum: 1 }), item: name, qty: amount }, closed);
const orderSchema = Type.Object(
  {
    ...{ number: name, due: name, lines: Type.Array(lineSchema) },
    customer: Type.Optional(Type.Object({ name: text, city: text }, closed)),
    warehouse: Type.Optional(text),
    wave: Type.Optional(Type.Union([text, Type.Null()])),
  },
  closed,
);
const itemSchema = Type.Object(
  {
    ...{ number: name, name: text, grams: Type.Optional(whole), bin: Type.Optional(text) },
    hasPicture: Type.Optional(Type.Boolean()),
    stock: Type.Optional(whole),
  },
  closed,
);
const givenSchema = Type.Object({ items: Type.Array(itemSchema), orders: Type.Array(orderSchema) }, closed);
const [isGiven, isOrder] = [validator(givenSchema), validator(orderSchema)];

/** Records written by the user instead of random ones. They may be as unusual as those of a real ERP. */
export interface GivenRecords {
  readonly items: readonly ErpItem[];
  readonly orders: readonly Omit<ErpOrder, "changedAt">[];
}
type Problem = { readonly problem: string };

export function readGivenRecords(content: string): GivenRecords | Problem {
  const value = parsed(content);
  if (value === undefined) return { problem: "it is no JSON" };
  if (!isGiven.isValid(value)) return { problem: whatIsWrong(isGiven, value) };
  // Just checked against the schema.
  const { items, orders } = value as Static<typeof givenSchema>;
  return { items: items.map(itemOf), orders: orders.map(orderOf) };
}

export function readGivenOrder(value: unknown): Omit<ErpOrder, "changedAt"> | Problem {
  if (!isOrder.isValid(value)) return { problem: whatIsWrong(isOrder, value) };
  // Just checked against the schema.
  return orderOf(value as Static<typeof orderSchema>);
}

const itemOf = ({ grams = 0, bin = "A-01", hasPicture = false, stock = 1000, ...own }: Static<typeof itemSchema>) => ({
  ...{ ...own, grams, bin, hasPicture, stock },
});

const nobody = { name: "", city: "" };
const orderOf = ({
  customer = nobody,
  warehouse = "Main",
  wave = null,
  lines,
  ...own
}: Static<typeof orderSchema>) => ({
  ...{ ...own, customer, warehouse, wave, state: "released" as const },
  lines: lines.map((line) => ({ ...line, picked: 0, isCancelled: false })),
});

function whatIsWrong({ problems }: Pick<typeof isOrder, "problems">, value: unknown): string {
  const [first, ...others] = problems(value);
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  const wanted = `${first?.expected ?? "valid"} ${first?.detail ?? ""}`.trim();
  return `${first?.field || "the whole"}: wanted is ${wanted}${more}`;
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

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

export interface RecordsRequest {
  readonly seed: number;
  readonly items: number;
  /** Orders are due on the days after this one. */
  readonly today: Date;
}

export function makeItems({ seed, items }: RecordsRequest): ErpItem[] {
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

/** Generates one order after another, the same ones for the same seed. */
export function orderMaker(request: RecordsRequest, items: readonly ErpItem[]): () => ErpOrder {
  const random = seededRandom(request.seed, "orders of the ERP");
  let made = 0;
  return () => {
    const index = made++;
    // Every third group of four is a wave.
    const group = Math.floor(index / ordersPerWave);
    return {
      number: String(firstOrder + index),
      customer: random.oneOf(customers),
      due: new Date(request.today.getTime() + random.whole(1, 5) * 86_400_000).toISOString().slice(0, 10),
      warehouse: "Main",
      wave: group % 3 === 2 ? `W-${100 + group}` : null,
      lines: makeLines(random, items),
      state: "released",
      changedAt: request.today.toISOString(),
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

/** A GIF file with one coloured pixel, small enough to be written by hand. */
export function picture(itemNumber: string): Buffer {
  const colour = Number.parseInt(itemNumber.replace(/\D/g, "").slice(-6) || "0", 10) * 2654435761;
  const head = [...Buffer.from("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0];
  const palette = [colour & 255, (colour >>> 8) & 255, (colour >>> 16) & 255, 0, 0, 0];
  return Buffer.from([...head, ...palette, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]);
}
