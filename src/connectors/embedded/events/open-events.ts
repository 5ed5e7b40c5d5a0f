import type { TellId } from "../../../contract/operations.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import type { Database } from "../../../kit/sqlite.ts";
import type { Outcome } from "../../../sdk/outcome.ts";
import type { Changes } from "../changes/open-changes.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { EmbeddedOptions } from "../options.ts";
import type { OrderStore } from "../order-store.ts";
import { attachWorkOrder } from "./attach-work-order.ts";
import { cancelPutWallItem } from "./cancel-put-wall-item.ts";
import { cancelWorkOrderRequest } from "./cancel-work-order-request.ts";
import { changeStatus } from "./change-status.ts";
import { confirmCartStep } from "./confirm-cart-step.ts";
import { confirmPutWallPlacement } from "./confirm-put-wall-placement.ts";
import { confirmStep } from "./confirm-step.ts";
import { openContainerTable } from "./container-table.ts";
import type { EventHandler } from "./event-handler.ts";
import { relocateCartContainers } from "./relocate-cart-containers.ts";

export type Events = Readonly<Record<TellId, (payload: unknown, entry: ResidentEntry) => Outcome>>;

/** What the embedded system does with each of the platform's events. */
export function openEvents(given: {
  readonly database: Database;
  readonly orders: OrderStore;
  readonly ledger: Ledger;
  readonly changes: Changes;
  readonly options: Pick<EmbeddedOptions, "containerPattern" | "knownContainers" | "servesOrders">;
}): Events {
  const needs = { ...given, containers: openContainerTable(given.database) };
  const handlers: { readonly [Id in TellId]: EventHandler<Id> } = {
    confirmStep: confirmStep(needs),
    confirmCartStep: confirmCartStep(needs),
    confirmPutWallPlacement: confirmPutWallPlacement(needs),
    cancelPutWallItem: cancelPutWallItem(needs),
    cancelWorkOrderRequest: cancelWorkOrderRequest(needs),
    relocateCartContainers: relocateCartContainers(needs),
    attachWorkOrder: attachWorkOrder(needs),
    changeStatus: changeStatus(needs),
  };
  // Payloads were validated against the schema of their operation before they were written down.
  return handlers as Events;
}
