import { add } from "../books/books.ts";
import { bookCut } from "../changes/book-work.ts";
import { openAmount, type RunningLine, type RunningOrder } from "../orders/running-order.ts";
import type { Desk } from "./desk.ts";
import { familyOf } from "./family-of.ts";

/** The shelf is empty: the operator gives up what is left of the line. */
export async function cancelLine(desk: Desk, running: RunningOrder, line: RunningLine): Promise<void> {
  const { order } = running;
  const rest = openAmount(line);
  line.isCancelled = true;
  const answer = await desk.call(
    "cancelWorkOrderRequest",
    {
      workOrderNumber: order.number,
      workOrderTypeName: order.workOrderTypeName ?? null,
      workOrderExternalIdentifier: order.externalIdentifier ?? null,
      workOrderExternalData: order.externalData ?? null,
      requestExternalIdentifier: line.externalId,
      userEmail: desk.email,
      request: {
        requestId: line.requestId,
        itemNumber: line.itemNumber,
        requestedAmountInBaseUnitOfMeasure: line.requested,
        completedAmountInBaseUnitOfMeasure: line.picked,
        isCancelled: true,
        type: line.type,
      },
    },
    { orders: [order.number], what: `line ${line.requestId}, ${rest} of ${line.itemNumber}` },
  );
  if (!answer.ok) return;
  desk.books.tell(order.number, "cancelWorkOrderRequest");
  add(desk.books.of(order.number).cancelled, line.itemNumber, rest);
  const family = familyOf(desk, order.number);
  if (family !== null) bookCut(family, order.number, [line]);
}
