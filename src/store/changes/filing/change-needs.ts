import type { Ledger } from "../../ledger/open-ledger.ts";
import type { OrderStore } from "../../order-store.ts";
import type { LastModels, StepAmountsTable } from "../offers/step-amounts.ts";
import type { ChangedOrders, FollowUps } from "../read-changed-order.ts";
import type { WantedTable } from "../wanted-table.ts";
import type { ChangeTable } from "./change-table.ts";
import type { JudgedGroups } from "./judged-groups.ts";

/** The tables and stores that the code for changes works with. */
export interface ChangeNeeds {
  readonly orders: OrderStore;
  readonly ledger: Ledger;
  readonly wanted: WantedTable;
  readonly table: ChangeTable;
  readonly followUps: FollowUps;
  readonly changed: ChangedOrders;
  readonly steps: StepAmountsTable;
  readonly models: LastModels;
  readonly judged: JudgedGroups;
}
