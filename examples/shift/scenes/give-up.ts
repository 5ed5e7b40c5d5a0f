import { RequestType } from "../../../src/contract/enums.ts";
import { type Floor, granted } from "../floor.ts";

/** The shelf is empty: the operator cancels the line, and the order leaves its tote. */
export async function giveUp({ client, say, happened }: Floor): Promise<void> {
  granted(await client.attachWorkOrder({ workOrderNumber: "4716", containerCode: "TOTE-6" }));
  happened({ what: "attach", order: "4716", tote: "TOTE-6" });
  granted(
    await client.cancelWorkOrderRequest({
      ...{ workOrderNumber: "4716", requestExternalIdentifier: "10", userEmail: "kim@example.com" },
      request: {
        ...{ requestId: 60, itemNumber: "100200", isCancelled: true, type: RequestType.PickItem },
        ...{ requestedAmountInBaseUnitOfMeasure: 2, completedAmountInBaseUnitOfMeasure: 0 },
      },
    }),
  );
  happened({ what: "cancel", order: "4716", line: "10", item: "100200" });
  const release = { workOrderNumber: "4716", containerCode: "TOTE-6", isAbandonedOrCancelled: true };
  granted(await client.attachWorkOrder(release));
  happened({ what: "release", order: "4716", tote: "TOTE-6" });
  say("4716: line 10 cancelled by the operator, tote released");
}
