import { type Static, Type } from "typebox";
import { validator } from "../../contract/validator.ts";
import type { ErpItem, ErpOrder } from "./erp-records.ts";

const name = Type.String({ minLength: 1, maxLength: 200 });
const text = Type.String({ maxLength: 200 });
const whole = Type.Integer({ minimum: 0, maximum: 1e9 });
// Half a piece is what an adapter has to refuse.
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

/** Records that somebody wrote instead of drawn ones; they may be as odd as those of a real ERP. */
export interface GivenRecords {
  readonly items: readonly ErpItem[];
  readonly orders: readonly Omit<ErpOrder, "changedAt">[];
}
type Problem = { readonly problem: string };

export function readGivenRecords(content: string): GivenRecords | Problem {
  const value = parsed(content);
  if (value === undefined) return { problem: "it is no JSON" };
  if (!isGiven.isValid(value)) return { problem: whatIsWrong(isGiven, value) };
  // The schema has just said so.
  const { items, orders } = value as Static<typeof givenSchema>;
  return { items: items.map(itemOf), orders: orders.map(orderOf) };
}

export function readGivenOrder(value: unknown): Omit<ErpOrder, "changedAt"> | Problem {
  if (!isOrder.isValid(value)) return { problem: whatIsWrong(isOrder, value) };
  // The schema has just said so.
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
