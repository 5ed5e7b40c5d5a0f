import type { EventId, InputOf } from "../../../src/contract/operations.ts";
import type { PushedCancellation } from "../../../src/contract/pushes.ts";
import type { UpdateWorkOrderRequest } from "../../../src/contract/schemas/confirm-step.ts";
import type { RequestLine, WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import type { ProjectionEntry } from "../../../src/journal/inline-projection.ts";
import type { Outcome } from "../../../src/operation/outcome.ts";
import { openChanges } from "../../../src/store/changes/open-changes.ts";
import { openWantedTable } from "../../../src/store/changes/wanted-table.ts";
import { workedBefore } from "../../../src/store/events/change-status.ts";
import { openEvents } from "../../../src/store/events/open-events.ts";
import { openLedger } from "../../../src/store/ledger/open-ledger.ts";
import type { EmbeddedOptions } from "../../../src/store/options.ts";
import { openOrderStore } from "../../../src/store/order-store.ts";
import { rememberOrders } from "../../../src/store/orders/remember-orders.ts";
import { pushWorkOrder } from "../../../src/store/pushes/push-work-order.ts";
import { openReport } from "../../../src/store/queries/get-report.ts";
import { embeddedStore } from "./embedded-store.ts";

type ContainerOptions = Pick<EmbeddedOptions, "containerPattern" | "knownContainers" | "servesOrders">;

/** The embedded system, in one thread, with all calls that the platform and the external system can make. */
export function openFloor(options: ContainerOptions = {}) {
  const { writer: database, reader } = embeddedStore();
  const orders = rememberOrders(openOrderStore(database));
  const wanted = openWantedTable(database, orders);
  const ledger = openLedger({ database, orders, servedOf: wanted.servedOf });
  const changes = openChanges({ database, orders, ledger, wanted });
  const events = openEvents({ database, orders, ledger, changes, options });
  const takeOrder = pushWorkOrder({
    orders,
    changes,
    workedBefore: workedBefore({ database, ledger }),
  });
  let seq = 0;
  const entry = (topic: string, payload: unknown) => {
    seq += 1;
    return { id: `evt_${seq}`, seq, topic, payload, receivedAt: 1000 + seq };
  };
  return {
    database,
    orders,
    changes,
    /** Settles changes that were last offered before that time, with the amounts that the floor has reached. */
    settleByTime: (beforeMs: number, entry: ProjectionEntry) =>
      changes.settleByTime({ untouchedBefore: beforeMs, silentBefore: beforeMs }, entry),
    event: <Id extends EventId>(topic: Id, payload: InputOf<Id>): Outcome =>
      events[topic](payload, entry(topic, payload)),
    push: (workOrder: WorkOrder) => takeOrder(workOrder, entry("workOrders", workOrder)),
    cancel: (cancellation: PushedCancellation) => changes.file(cancellation, entry("cancellations", cancellation)),
    report: openReport({ database: reader }).answer,
    ledgerLines: (orderNumber: string) =>
      database
        .statement(
          `SELECT item_number AS item, request_id AS request, factor, requested, picked, cancelled, over_picked AS over
           FROM quantity WHERE order_number = ? ORDER BY position`,
        )
        .all(orderNumber)
        .map((row) => ({ ...row })),
    placements: (orderNumber: string) =>
      database
        .statement(
          `SELECT item_number AS item, value ->> 0 AS location, value ->> 1 AS amount
           FROM quantity, json_each(places) WHERE order_number = ?`,
        )
        .all(orderNumber)
        .map((row) => ({ ...row })),
    receipts: (orderNumber: string) =>
      database
        .statement(
          `SELECT state, receipt, target, picked, settled_step AS step, offered FROM change
           WHERE order_number = ? ORDER BY id`,
        )
        .all(orderNumber)
        .map((row) => ({ ...row })),
  };
}
export type Floor = ReturnType<typeof openFloor>;

export const line = (itemNumber: string, requestedAmount: number, members: Partial<RequestLine> = {}): RequestLine => ({
  itemNumber,
  requestedAmount,
  unitOfMeasure: 0,
  requestType: 1,
  ...members,
});

/** A pick of one line. Give the members that the test is about. */
export function pick(
  workOrderNumber: string,
  requestId: number,
  amounts: { requested?: number; remaining?: number; picked: number },
  members: Partial<InputOf<"confirmStep">> = {},
): InputOf<"confirmStep"> {
  return {
    workOrderNumber,
    requestId,
    requestType: 1,
    itemNumber: "A",
    requestAmountInBaseUnitOfMeasure: amounts.requested ?? null,
    requestRemainingAmountInBaseUnitOfMeasure: amounts.remaining ?? null,
    amountToConfirmPickingSummary: {
      locationName: "L1",
      containersBreakdown: [{ containerCode: "T1", amountToConfirmInBaseUnitOfMeasure: amounts.picked }],
    },
    ...members,
  };
}

/** Returns the model in the outcome of a confirm step. */
export function updateOf(outcome: Outcome): UpdateWorkOrderRequest | null {
  if (!outcome.ok) throw new Error(`refused: ${outcome.result}`);
  // The data of a confirm step. Only tests of confirm steps call this function.
  return (outcome.data as unknown as { updateWorkOrderRequest: UpdateWorkOrderRequest | null }).updateWorkOrderRequest;
}
