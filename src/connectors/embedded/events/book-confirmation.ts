import type { ResidentEntry } from "../../../journal/resident.ts";
import { type Message, say } from "../../../messages/message.ts";
import { type Outcome, ok } from "../../../sdk/outcome.ts";
import { doubtText, itemText, lineText } from "../changes/operator-text.ts";
import type { Offer } from "../changes/take-model.ts";
import { bookStep } from "../ledger/book-step.ts";
import { type LedgerLine, remainingOf } from "../ledger/ledger-line.ts";
import { atPlace } from "../ledger/places.ts";
import { pickedBefore, withCountOf } from "../ledger/refetch.ts";
import { type Confirmation, type SharedStep, stepSight } from "./confirmation.ts";
import type { EventNeeds } from "./event-handler.ts";

/** Books a confirmed step, single or cart, and answers with what the external system wants changed meanwhile. */
export function bookConfirmation(
  needs: EventNeeds,
  step: SharedStep,
  confirmed: Confirmation,
  entry: ResidentEntry,
): Outcome<"confirmStep"> {
  const { orders, changes } = needs;
  const { workOrderNumber: orderNumber } = step;
  orders.sign(orderNumber);
  const { line, booked } = bookAmount(needs, step, confirmed);

  const offer = changes.offer(orderNumber, step.updateWorkOrderRequest, entry);
  const account = booked ?? line;
  const message = offer.family === undefined ? overPicked(line, account) : changeText(step, account, offer);
  // A step that tells no amount may have brought it in its model, which was booked after the step.
  const isUntold = (step.requestAmountInBaseUnitOfMeasure ?? null) === null;
  if (offer.family !== undefined || isUntold || remainingOf(account) === 0) changes.settle(orderNumber, entry);
  return ok({ updateWorkOrderRequest: offer.update }, message === undefined ? {} : { message });
}

function bookAmount({ ledger }: EventNeeds, step: SharedStep, confirmed: Confirmation) {
  const requested = step.requestAmountInBaseUnitOfMeasure ?? null;
  const remaining = step.requestRemainingAmountInBaseUnitOfMeasure ?? null;
  const beside = step.updateWorkOrderRequest?.itemRequests?.map(({ requestId }) => requestId ?? null);
  return ledger.bookOn(
    step.workOrderNumber,
    stepSight(step),
    (seen) => {
      const account = withCountOf(seen, { requested, remaining });
      const after = bookStep(account, {
        requested:
          requested === null ? guessedRequest(account, step, confirmed.amount) : requested + pickedBefore(account),
        remaining,
        confirmed: confirmed.amount,
        mark: confirmed.mark,
      });
      if (after === null || confirmed.amount <= 0) return after;
      const location = confirmed.locationName ?? account.designatedLocation ?? step.storageName ?? "";
      return atPlace(after, location, confirmed.amount);
    },
    beside,
  );
}

/** Nobody has ever said how much is requested: then it is what has been confirmed, and nothing is too much. */
function guessedRequest(line: LedgerLine, step: SharedStep, amount: number): number | null {
  const isTold = line.intake !== null || (step.requestRemainingAmountInBaseUnitOfMeasure ?? null) !== null;
  return isTold ? null : Math.max(line.requested, line.picked + line.overPicked + amount);
}

function overPicked(before: LedgerLine, after: LedgerLine): Message | undefined {
  if (after.overPicked <= before.overPicked) return undefined;
  return say("events.over-picked", { item: after.itemNumber, over: after.overPicked });
}

function changeText(step: SharedStep, account: LedgerLine, { family, update }: Offer): Message | undefined {
  if (family === undefined) return undefined;
  const order = step.workOrderNumber;
  const inHand = itemText(family, order, account.itemNumber);
  if (inHand !== undefined && (update === null || inHand.key === "events.put-aside")) return inHand;
  if (update !== null) {
    const received = step.updateWorkOrderRequest?.itemRequests ?? [];
    const lines = (update.itemRequests ?? []).filter((shown, index) => shown !== received[index]).length;
    return say("events.order-changed", { order, lines });
  }
  // Without a model nothing can be changed for the operator; saying so is all that is left.
  const isUntold = !step.updateWorkOrderRequest;
  return (isUntold ? lineText(family, order, account.position) : undefined) ?? doubtText(family, order);
}
