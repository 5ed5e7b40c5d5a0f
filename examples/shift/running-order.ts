import assert from "node:assert/strict";
import { RequestType } from "../../src/contract/enums.ts";
import type { ConfirmCartStep, ConfirmStep, UpdateWorkOrderRequest } from "../../src/contract/schemas/confirm-step.ts";
import type { WorkOrder } from "../../src/contract/schemas/work-order.ts";
import type { Booking } from "./example-erp.ts";

export interface Pick {
  readonly line: string;
  readonly amount: number;
  readonly container: string;
  readonly from: string;
}

/** An order as the platform keeps it while it is being picked: its own ids, what is left, and updates applied. */
export function runningOrder(order: WorkOrder, id: number) {
  const { number } = order;
  const lines = order.requests.map((request, index) => ({
    ...{ requestId: id * 10 + index, item: request.itemNumber, external: request.requestExternalIdentifier ?? "" },
    ...{ requested: request.requestedAmount, remaining: request.requestedAmount, isCancelled: false },
  }));
  const model = (): UpdateWorkOrderRequest => ({
    id,
    itemRequests: lines.map(({ requestId, item, external, requested, isCancelled }) => ({
      ...{ requestId, itemNumber: item, requestedAmount: requested, isCancelled, externalIdentifier: external },
      type: RequestType.PickItem,
    })),
  });

  const common = ({ line, amount, container, from }: Pick) => {
    const found = lines.find(({ external }) => external === line);
    assert.ok(found, `order ${number} has no line ${line}`);
    const { requestId, item, requested, remaining } = found;
    found.remaining -= amount;
    const summary = {
      locationName: from,
      containersBreakdown: [{ containerCode: container, amountToConfirmInBaseUnitOfMeasure: amount }],
    };
    const body = {
      ...{ storageName: "Main", userEmail: "kim@example.com", workOrderNumber: number, requestId },
      ...{ requestType: RequestType.PickItem, requestExternalIdentifier: line, itemNumber: item },
      requestAmountInBaseUnitOfMeasure: requested,
      requestRemainingAmountInBaseUnitOfMeasure: remaining,
      updateWorkOrderRequest: model(),
    };
    return { body, summary };
  };

  return {
    ...{ number, externalData: order.externalData ?? null },
    step: (pick: Pick): ConfirmStep => {
      const { body, summary } = common(pick);
      return { ...body, amountToConfirmPickingSummary: summary };
    },
    cartStep: (pick: Pick): ConfirmCartStep => {
      const { body, summary } = common(pick);
      return { ...body, amountToConfirmSummary: summary };
    },
    /** What a pick becomes in the books. */
    booking: ({ line, amount, container, from }: Pick): Booking => ({
      ...{ what: "pick", order: number, line, qty: amount, tote: container, place: from },
      item: lines.find(({ external }) => external === line)?.item ?? "",
    }),
    apply: (update: UpdateWorkOrderRequest | null | undefined) => {
      assert.equal(update?.id, id, "an update of another order");
      for (const { requestId, isCancelled, requestedAmount } of update?.itemRequests ?? []) {
        const line = lines.find((one) => one.requestId === requestId);
        if (line === undefined) continue;
        line.isCancelled = isCancelled === true;
        line.requested = requestedAmount ?? line.requested;
      }
    },
    cancelledLines: () => lines.filter(({ isCancelled }) => isCancelled).map(({ external }) => external),
    remaining: () => Object.fromEntries(lines.map(({ item, remaining }) => [item, remaining])),
    requests: () =>
      lines.map(({ item, requested, remaining }) => ({
        ...{ itemNumber: item, requestedAmount: requested, completedAmount: requested - remaining },
      })),
    lineOf: (line: string) => lines.find(({ external }) => external === line),
  };
}
export type RunningOrder = ReturnType<typeof runningOrder>;
