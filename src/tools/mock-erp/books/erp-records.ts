/** The ERP's own data model; an adapter has to translate it. */
export interface ErpItem {
  readonly number: string;
  readonly name: string;
  readonly grams: number;
  readonly bin: string;
  readonly hasPicture: boolean;
  stock: number;
}

export interface ErpLine {
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

/** One change of the ERP's data, made from an event of the floor. */
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

/** The order is no longer picked, so its totes are free. */
export const isClosed = ({ state }: Pick<ErpOrder, "state">): boolean => state === "completed" || state === "cancelled";

/** Finds the line by its number; without a number by the item, open lines first. */
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
  // The note of such a booking is a state.
  if (what === "state") return (note ?? order.state) as ErpOrder["state"];
  if (what === "move" || what === "note") return order.state;
  if (order.lines.every(({ isCancelled, picked }) => isCancelled && picked === 0)) return "cancelled";
  if (order.lines.every(isDone)) return "completed";
  return order.state === "released" && what === "release" ? "released" : what === "cancel" ? order.state : "started";
}
