import type { EventId } from "../../contract/operations.ts";
import type { ProjectionEntry } from "../../journal/inline-projection.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { Outcome } from "../../operation/outcome.ts";
import type { Changes } from "../changes/open-changes.ts";
import type { Finishing } from "../finished/finishing.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { EmbeddedOptions } from "../options.ts";
import type { OrderStore } from "../order-store.ts";
import { confirmCartStep, confirmStep } from "./book-confirmation.ts";
import { cancelPutWallItem, cancelWorkOrderRequest } from "./cancel-work-order-request.ts";
import { changeStatus } from "./change-status.ts";
import { confirmPutWallPlacement } from "./confirm-put-wall-placement.ts";
import { attachWorkOrder, openContainerTable, relocateCartContainers } from "./container-table.ts";
import type { EventHandler } from "./event-handler.ts";

export type Events = Readonly<Record<EventId, (payload: unknown, entry: ProjectionEntry) => Outcome>>;

/** The handlers of the embedded system, one per event of the platform. */
export function openEvents(given: {
  readonly database: Database;
  readonly orders: OrderStore;
  readonly ledger: Ledger;
  readonly changes: Changes;
  readonly options: Pick<EmbeddedOptions, "containerPattern" | "knownContainers" | "servesOrders">;
  readonly finishing?: Finishing | undefined;
}): Events {
  const needs = { ...given, containers: openContainerTable(given.database) };
  const handlers: { readonly [Id in EventId]: EventHandler<Id> } = {
    confirmStep: confirmStep(needs),
    confirmCartStep: confirmCartStep(needs),
    confirmPutWallPlacement: confirmPutWallPlacement(needs),
    cancelPutWallItem: cancelPutWallItem(needs),
    cancelWorkOrderRequest: cancelWorkOrderRequest(needs),
    relocateCartContainers: relocateCartContainers(needs),
    attachWorkOrder: attachWorkOrder(needs),
    changeStatus: changeStatus(needs),
  };
  // Payloads were validated against the schema of their operation before they were stored.
  return handlers as Events;
}
