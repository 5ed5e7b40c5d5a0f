import type { ResidentEntry } from "../../../journal/resident.ts";
import { type Message, say } from "../../../messages/message.ts";
import { type Outcome, ok } from "../../../sdk/outcome.ts";
import type { Offer } from "../changes/offer-changes.ts";
import { bookStep } from "../ledger/book-step.ts";
import { type LedgerLine, remainingOf } from "../ledger/ledger-line.ts";
import { atPlace } from "../ledger/places.ts";
import { type Confirmation, type SharedStep, stepSight } from "./confirmation.ts";
import type { EventNeeds } from "./event-handler.ts";
import { finishIfDone } from "./finish-order.ts";
import { warnOfChanges } from "./warn-of-changes.ts";

/** Books a confirmed step, single or cart, and answers with what the external system wants changed meanwhile. */
export function bookConfirmation(
  needs: EventNeeds,
  step: SharedStep,
  confirmed: Confirmation,
  entry: ResidentEntry,
): Outcome<"confirmStep"> {
  const { orders, ledger, changes } = needs;
  const { workOrderNumber: orderNumber } = step;
  orders.sign(orderNumber);

  const { line, booked } = ledger.bookOn(orderNumber, stepSight(step), (account) => {
    const after = bookStep(account, {
      requested: step.requestAmountInBaseUnitOfMeasure ?? guessedRequest(account, step, confirmed.amount),
      remaining: step.requestRemainingAmountInBaseUnitOfMeasure ?? null,
      confirmed: confirmed.amount,
      mark: confirmed.mark,
    });
    if (after === null || confirmed.amount <= 0) return after;
    const location = confirmed.locationName ?? account.designatedLocation ?? step.storageName ?? "";
    return atPlace(after, location, confirmed.amount);
  });

  const offer = changes.offer(orderNumber, step.updateWorkOrderRequest, entry);
  const account = booked ?? line;
  const message = overPicked(line, account) ?? changeText(needs, step, account, offer);
  // A step that tells no amount may have brought it in its model, which was booked after the step.
  const isUntold = (step.requestAmountInBaseUnitOfMeasure ?? null) === null;
  if (isUntold || remainingOf(account) === 0) finishIfDone(needs, orderNumber, entry);
  return ok({ updateWorkOrderRequest: offer.update }, message === undefined ? {} : { message });
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

function changeText(needs: EventNeeds, step: SharedStep, line: LedgerLine, offer: Offer): Message | undefined {
  const order = step.workOrderNumber;
  const [uncertain] = offer.uncertain;
  if (offer.update !== null) {
    const received = step.updateWorkOrderRequest?.itemRequests ?? [];
    const lines = (offer.update.itemRequests ?? []).filter((shown, index) => shown !== received[index]).length;
    return say("events.order-changed", { order, lines });
  }
  if (uncertain !== undefined) {
    const item = uncertain.itemNumber ?? line.itemNumber;
    return say("events.change-uncertain", { order, item, amount: uncertain.target });
  }
  // Without a model nothing can be changed for the operator; saying so is all that is left.
  if (step.updateWorkOrderRequest) return undefined;
  return warnOfChanges(needs.changes.pendingFor(order), line);
}
