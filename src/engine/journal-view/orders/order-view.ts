import type { StoredOrder } from "../../../store/order-finder.ts";

export const orderStates = ["waiting", "started", "finished", "cancelled"] as const satisfies StoredOrder["state"][];
export type OrderState = StoredOrder["state"];

/** An order in a list. Times are ISO 8601 in UTC. */
export interface OrderView {
  readonly number: string;
  readonly externalIdentifier: string | null;
  /** Null if the embedded store does not hold the order: only its events are known. */
  readonly state: OrderState | null;
  readonly dueAt: string | null;
  readonly receivedAt: string | null;
  readonly lines: number;
  /** Null if nobody has said it for all lines: another system holds the order. */
  readonly requested: number | null;
  readonly picked: number;
  readonly cancelled: number;
  /** The order's worst undelivered message: one that needs an operator, or one still on its way. */
  readonly undelivered: "dead" | "waiting" | null;
  /** Set if something here is only what an external system said last, and when that was. */
  readonly lastKnown: { readonly system: string; readonly at: string } | null;
}

export interface OrderPage {
  readonly orders: readonly OrderView[];
  /** Pass this as `before` for older orders; null if there are no more. */
  readonly nextBefore: number | null;
  /** Whether a search found more orders than are shown. */
  readonly isCut: boolean;
}
