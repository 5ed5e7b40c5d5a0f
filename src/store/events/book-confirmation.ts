import { createHash } from "node:crypto";
import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";
import type { ConfirmCartStep, ConfirmStep, PickingSummary, UpdatedLine } from "../../contract/schemas/confirm-step.ts";
import type { ProjectionEntry } from "../../journal/inline-projection.ts";
import { type Message, say } from "../../messages/message.ts";
import { type Outcome, ok } from "../../operation/outcome.ts";
import type { Offer } from "../changes/offers/apply-model.ts";
import { type Goods, goodsText } from "../changes/offers/goods.ts";
import { refOf } from "../changes/offers/offer-changes.ts";
import { doubtText, itemText, lineText } from "../changes/offers/operator-text.ts";
import { bookStep, guessedRequest } from "../ledger/book-step.ts";
import { atPlace, type LedgerLine, remainingOf } from "../ledger/ledger-line.ts";
import { filled, indistinguishableFrom, type LineRef, lineKey, listedIds, lotsShown } from "../ledger/line-ref.ts";
import { ofWholeLine, withCountOf } from "../ledger/refetch.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";

/** Books a confirmed step, single or cart, and answers with what the external system has changed meanwhile. */
function bookConfirmation(
  needs: EventNeeds,
  step: SharedStep,
  confirmed: Confirmation,
  entry: ProjectionEntry,
): Outcome<"confirmStep"> {
  const { orders, changes } = needs;
  const { workOrderNumber: orderNumber } = step;
  orders.recordWork(orderNumber);
  const { was, line, booked } = bookAmount(needs, step, { ...confirmed, mark: fullMark(step, confirmed.mark) });

  const ledgerLine = booked ?? line;
  if (booked !== null && confirmed.summary !== null)
    needs.finishing?.share(orderNumber, booked.position, confirmed.summary);
  const offer = changes.offer(orderNumber, step.updateWorkOrderRequest, entry, { was, ledgerLine });
  const message =
    offer.group === undefined
      ? unchangedText(needs, step, { before: line, after: ledgerLine })
      : changeText(needs, step, ledgerLine, offer);
  // A step without a requested amount may have brought it in its model, which was booked after the step.
  const isAmountUnknown = (step.requestAmountInBaseUnitOfMeasure ?? null) === null;
  // A line that was given up and is shown again must be in scans again, even if the order has no change.
  const isBack = ledgerLine.shortPicked !== line.shortPicked;
  if (offer.group !== undefined || isAmountUnknown || isBack || remainingOf(ledgerLine) === 0)
    changes.settle(orderNumber, entry);
  return ok({ updateWorkOrderRequest: offer.update }, message === undefined ? {} : { message });
}

/**
 * Without a remaining amount, the amounts do not tell two steps apart: only a step equal in everything it shows is a
 * retry.
 */
function fullMark(step: SharedStep, mark: string): string {
  const remaining = step.requestRemainingAmountInBaseUnitOfMeasure ?? 0;
  if (remaining > 0) return mark;
  const shown = [step.requestAmountInBaseUnitOfMeasure ?? null, step.updateWorkOrderRequest ?? null];
  return `${mark}|${createHash("sha256").update(JSON.stringify(shown)).digest("base64url")}`;
}

function bookAmount({ ledger }: EventNeeds, step: SharedStep, confirmed: Confirmation) {
  const requested = step.requestAmountInBaseUnitOfMeasure ?? null;
  const remaining = step.requestRemainingAmountInBaseUnitOfMeasure ?? null;
  const shownIds = step.updateWorkOrderRequest?.itemRequests?.map(({ requestId }) => requestId ?? null);
  return ledger.bookOn(
    step.workOrderNumber,
    stepRef(step),
    (seen) => {
      const ledgerLine = withCountOf(seen, { requested, remaining });
      const after = bookStep(ledgerLine, {
        requested:
          requested === null
            ? guessedRequest(ledgerLine, remaining, confirmed.amount)
            : ofWholeLine(ledgerLine, requested),
        remaining,
        confirmed: confirmed.amount,
        mark: confirmed.mark,
      });
      if (after === null || confirmed.amount <= 0) return after;
      const location = confirmed.locationName ?? ledgerLine.designatedLocation ?? step.storageName ?? "";
      return atPlace(after, location, confirmed.amount);
    },
    shownIds,
  );
}

function overPicked(before: LedgerLine, after: LedgerLine): Message | undefined {
  if (after.overPicked <= before.overPicked) return undefined;
  return say("events.over-picked", { item: after.itemNumber, over: after.overPicked });
}

/**
 * The text for an order without a change. If it was fetched again, more may be picked than wanted, and no line shows
 * that.
 */
function unchangedText(
  { changes, ledger }: EventNeeds,
  { workOrderNumber: order }: SharedStep,
  { before, after }: { readonly before: LedgerLine; readonly after: LedgerLine },
): Message | undefined {
  // Any line of the item counts: the excess is counted over all of them.
  const isAgain = ledger.itemLinesOf(order, after.itemNumber).some(({ refetch }) => refetch !== null);
  const group = isAgain ? changes.explain(order) : undefined;
  const inHand = group && itemText(group, order, after.itemNumber, changes.announcedExcess);
  return inHand ?? overPicked(before, after);
}

function changeText(
  { changes }: EventNeeds,
  step: SharedStep,
  ledgerLine: LedgerLine,
  { group, update }: Offer,
): Message | undefined {
  if (group === undefined) return undefined;
  const order = step.workOrderNumber;
  const inHand = itemText(group, order, ledgerLine.itemNumber, changes.announcedExcess);
  if (inHand !== undefined) return inHand;
  if (update !== null) {
    const received = step.updateWorkOrderRequest?.itemRequests ?? [];
    const lowered = (update.itemRequests ?? []).filter((shown, index) => shown !== received[index]);
    return say("events.order-changed", { order, goods: goodsText(lowered.map(asShown)) });
  }
  // Without a model no change can be offered; the operator can only be told.
  const hasNoModel = !step.updateWorkOrderRequest;
  return (hasNoModel ? lineText(group, order, ledgerLine.position) : undefined) ?? doubtText(group, order);
}

/** In the platform's unit, because its device shows that one. */
const asShown = ({ itemNumber, requestId, requestedAmount, isCancelled }: UpdatedLine): Goods => ({
  item: filled(itemNumber) ?? String(requestId ?? ""),
  amount: isCancelled === true ? 0 : (requestedAmount ?? 0),
  unit: UnitOfMeasure.Piece,
});

/** What single steps and cart steps have in common. */
type SharedStep = Omit<ConfirmCartStep, "amountToConfirmSummary">;

interface Confirmation {
  readonly amount: number;
  /** Where it was picked from; null for a placing step, whose location the order line knows. */
  readonly locationName: string | null;
  /** Everything that tells this step from another step of the same line. */
  readonly mark: string;
  /** For a pick: what went into which container. */
  readonly summary: PickingSummary | null;
}

function pickConfirmation(step: SharedStep, summary: PickingSummary): Confirmation {
  const shares = summary.containersBreakdown ?? [];
  let amount = 0;
  let containers = "";
  for (const share of shares) {
    amount += share.amountToConfirmInBaseUnitOfMeasure ?? 0;
    // Lengths keep codes apart that contain the separators. Null is the virtual container, not an empty code.
    const code = share.containerCode ?? null;
    containers += `|${code === null ? "-" : `${code.length}:${code}`}=${share.amountToConfirmInBaseUnitOfMeasure ?? ""}`;
  }
  const locationName = summary.locationName ?? "";
  const remaining = step.requestRemainingAmountInBaseUnitOfMeasure ?? "";
  return { amount, locationName, mark: `${remaining}|${locationName.length}:${locationName}${containers}`, summary };
}

function singleConfirmation(step: ConfirmStep): Confirmation {
  const summary = step.amountToConfirmPickingSummary ?? null;
  const placed = step.amountToConfirmPlacingInBaseUnitOfMeasure ?? null;
  if (summary !== null && (placed === null || step.requestType !== RequestType.PlaceItem)) {
    return pickConfirmation(step, summary);
  }
  const remaining = step.requestRemainingAmountInBaseUnitOfMeasure ?? "";
  return { amount: placed ?? 0, locationName: null, mark: `${remaining}|placed=${placed}`, summary: null };
}

/** What a step tells about its line, combined with the same line in its model. */
function stepRef(step: SharedStep): LineRef {
  const lines = step.updateWorkOrderRequest?.itemRequests ?? [];
  const line = lines.find((own) => own.requestId === step.requestId);
  const shown = line === undefined ? undefined : refOf(line);
  return {
    requestId: step.requestId,
    externalId: filled(step.requestExternalIdentifier) ?? shown?.externalId ?? null,
    itemNumber: filled(step.itemNumber) ?? shown?.itemNumber ?? null,
    lot: shown?.lot ?? null,
    unit: step.itemUnitOfMeasure ?? shown?.unit ?? null,
    requested:
      step.requestAmountInBaseUnitOfMeasure ??
      shown?.requested ??
      step.requestRemainingAmountInBaseUnitOfMeasure ??
      null,
    ...(shown === undefined
      ? {}
      : {
          isListed: listedIds(() => lines.map(refOf)),
          areLotsShown: lotsShown(() => lines.map(refOf)),
          indistinguishable: () =>
            indistinguishableFrom(
              lines.map(refOf).filter((own) => lineKey(own) === lineKey(shown)),
              shown.requestId,
            ),
        }),
  };
}

export const confirmStep =
  (needs: EventNeeds): EventHandler<"confirmStep"> =>
  (step, entry) =>
    bookConfirmation(needs, step, singleConfirmation(step), entry);

export const confirmCartStep =
  (needs: EventNeeds): EventHandler<"confirmCartStep"> =>
  (step, entry) => {
    const confirmed = pickConfirmation(step, step.amountToConfirmSummary);
    // A single step with the same amounts is a different step, not a retry of this one.
    return bookConfirmation(needs, step, { ...confirmed, mark: `cart|${confirmed.mark}` }, entry);
  };
