import type { InputOf, TellId } from "../../../contract/operations.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import type { Outcome } from "../../../sdk/outcome.ts";
import type { Changes } from "../changes/open-changes.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { OrderStore } from "../order-store.ts";

/** Takes in one event, inside the transaction that stores it. */
export type EventHandler<Id extends TellId> = (input: InputOf<Id>, entry: ResidentEntry) => Outcome<Id>;

export interface EventNeeds {
  readonly orders: OrderStore;
  readonly ledger: Ledger;
  readonly changes: Changes;
}
