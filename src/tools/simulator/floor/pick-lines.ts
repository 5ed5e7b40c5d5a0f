import { RequestType } from "../../../contract/enums.ts";
import { bookShortPick } from "../changes/book-work.ts";
import { cancel } from "../changes/push-changes.ts";
import { applyLate, openAmount, type RunningLine, type RunningOrder } from "../orders/running-order.ts";
import { add } from "../records/platform-records.ts";
import { confirmPick, nextAmount, type Pick, shelfOf, takePick } from "./confirm-pick.ts";
import { fetchAgain, fetchItem } from "./fetch-order.ts";
import { type Operator, orderGroupOf, pushChangesNow } from "./operator.ts";

export interface Stop {
  readonly running: RunningOrder;
  readonly line: RunningLine;
}

interface Tour {
  readonly isCart: boolean;
  /** The containers for goods of this order; null is the virtual container. */
  readonly containersOf: (running: RunningOrder) => readonly [string | null, ...(string | null)[]];
  /** What another operator does with the order during this tour. */
  readonly meanwhile?: (running: RunningOrder) => Promise<void>;
}

/** Goes from shelf to shelf. Lines that an answer cancels are skipped. */
export async function pickLines(operator: Operator, stops: readonly Stop[], tour: Tour): Promise<void> {
  const left = [...stops];
  for (let stop = left.shift(); stop !== undefined; stop = left.shift()) {
    const { running, line } = stop;
    // A line that was fetched again has another request id and its own stop.
    if (line.type === RequestType.Ignored || !running.lines.includes(line)) continue;
    await fetchItem(operator, running.order.number, line.itemNumber);
    const isShort = operator.random.chance(0.04) || isShortByPlan(operator, stop);
    while (openAmount(line) > 0) {
      await operator.work(
        shelfOf(operator, line),
        `${running.order.number} ${line.itemNumber}`,
        operator.random.whole(3000, 12_000),
      );
      if (isShort && operator.random.chance(0.5) && mayGiveUp(operator, running)) break;
      const next = left[0];
      const isReordered = operator.faultRandom.chance(operator.rates.reorder);
      await changeMidPick(operator, running);
      await pushChangesNow(operator, running, "during");
      await tour.meanwhile?.(running);
      if (await fetchAgain(operator, running)) {
        const others = left.filter((one) => one.running !== running);
        const renewed = running.lines.map((one) => ({ running, line: one }));
        left.splice(0, left.length, ...renewed, ...others);
        break;
      }
      applyLate(running);
      if (openAmount(line) === 0) break;
      const pick = takePick(operator, {
        ...stop,
        amount: nextAmount(operator, line),
        containers: tour.containersOf(running),
        isCart: tour.isCart,
      });
      if (isReordered && next !== undefined && isSwappable(stop, next)) {
        const ahead = takePick(operator, {
          ...next,
          amount: openAmount(next.line),
          containers: tour.containersOf(next.running),
          isCart: tour.isCart,
        });
        operator.tally.countFault("reorder");
        if (!(await confirmOrDrop(operator, ahead))) {
          line.picked -= pick.amount;
          return;
        }
      }
      if (!(await confirmOrDrop(operator, pick))) return;
      if (isShort) break;
    }
    if (isShort && openAmount(line) > 0 && running.lines.includes(line)) await cancelLine(operator, running, line);
  }
}

/**
 * Whether two steps may be swapped. Only steps of two different lines: no platform sends the second step of a line
 * before the answer to its first.
 */
const isSwappable = (stop: Stop, next: Stop): boolean =>
  next.line !== stop.line &&
  next.line.type !== RequestType.Ignored &&
  next.running.lines.includes(next.line) &&
  openAmount(next.line) > 0;

const isShortByPlan = (operator: Operator, { running, line }: Stop): boolean => {
  const orderGroup = orderGroupOf(operator, running.order.number);
  const isDrawn =
    orderGroup?.plan.isShort === true && line === running.lines[0] && running.order.number === orderGroup.number;
  if (isDrawn) operator.tally.countChange("short-pick");
  return isDrawn;
};

/**
 * Whether a line may be given up before anything of the order was picked. An order that changes must be started by a
 * step.
 */
const mayGiveUp = (operator: Operator, running: RunningOrder): boolean => running.steps > 0 || !operator.isChanging;

/** If the step is refused, the goods go back to the shelf. */
async function confirmOrDrop(operator: Operator, pick: Pick): Promise<boolean> {
  if (await confirmPick(operator, pick)) return true;
  pick.line.picked -= pick.amount;
  return false;
}

/** The shelf is empty: the operator cancels the rest of the line. */
async function cancelLine(operator: Operator, running: RunningOrder, line: RunningLine): Promise<void> {
  const { order } = running;
  const rest = openAmount(line);
  line.isCancelled = true;
  const answer = await operator.call(
    "cancelWorkOrderRequest",
    {
      workOrderNumber: order.number,
      workOrderTypeName: order.workOrderTypeName ?? null,
      workOrderExternalIdentifier: order.externalIdentifier ?? null,
      workOrderExternalData: order.externalData ?? null,
      requestExternalIdentifier: line.externalId,
      userEmail: operator.email,
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
  operator.records.event(order.number, "cancelWorkOrderRequest");
  add(operator.records.of(order.number).cancelled, line.itemNumber, rest);
  const orderGroup = orderGroupOf(operator, order.number);
  if (orderGroup !== null) bookShortPick(orderGroup, order.number, [line]);
}

/** Sometimes the external system changes the order while it is being picked. */
async function changeMidPick(operator: Operator, running: RunningOrder): Promise<void> {
  if (!operator.faultRandom.chance(operator.rates["mid-pick-cancel"])) return;
  // Drawn in every case, so that the draws do not depend on the state of the order.
  const [isWhole, isReduction, which] = [
    operator.faultRandom.chance(0.15),
    operator.faultRandom.chance(0.4),
    operator.faultRandom.whole(0, 1000),
  ];
  // For orders that we did not push, the wanted amounts are unknown.
  const orderGroup = orderGroupOf(operator, running.order.number);
  if (!operator.canPush || orderGroup === null) return;
  const open = running.lines.filter((line) => openAmount(line) > 0 && line.externalId !== null);
  const line = open[which % Math.max(1, open.length)];
  const key = line?.externalId ?? null;
  if (line === undefined || key === null) return;
  const amount = isReduction ? Math.floor(line.requested / line.factor / 2) : 0;
  operator.tally.countFault("mid-pick-cancel");
  if (isWhole)
    return void (await cancel(operator, orderGroup, {}, new Map([...orderGroup.lines.keys()].map((one) => [one, 0]))));
  const reduced = amount > 0 ? { requestedAmount: amount } : {};
  await cancel(operator, orderGroup, { requestExternalIdentifier: key, ...reduced }, new Map([[key, amount]]));
}
