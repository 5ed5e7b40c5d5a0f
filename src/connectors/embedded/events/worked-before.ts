import type { Database } from "../../../kit/sqlite.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { OrderState } from "../order-store.ts";
import { openReportedStates } from "./change-status.ts";
import { openContainerTable } from "./container-table.ts";

/** What the floor has made of an order that was not in the store: it may have reached the platform by another way. */
export function workedBefore(needs: { readonly database: Database; readonly ledger: Ledger }) {
  const reported = openReportedStates(needs.database);
  const containers = openContainerTable(needs.database);
  return (number: string): OrderState | undefined => {
    const state = reported.stateOf(number);
    if (state !== undefined) return state;
    const isWorked = needs.ledger.accountsOf(number).length > 0 || containers.containerOf(number) !== null;
    return isWorked ? "started" : undefined;
  };
}
