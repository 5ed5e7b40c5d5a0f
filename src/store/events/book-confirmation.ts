import { createHash } from "node:crypto";
import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";
import type { ConfirmCartStep, ConfirmStep, PickingSummary, UpdatedLine } from "../../contract/schemas/confirm-step.ts";
import type { ProjectionEntry } from "../../journal/inline-projection.ts";
import { type Message, say } from "../../messages/message.ts";
import { type Outcome, ok } from "../../operation/outcome.ts";
import { type Goods, goodsText } from "../changes/offers/goods.ts";
import { sightOf } from "../changes/offers/offer-changes.ts";
import { doubtText, itemText, lineText } from "../changes/offers/operator-text.ts";
import type { Offer } from "../changes/offers/take-model.ts";
import { bookStep, guessedRequest } from "../ledger/book-step.ts";
import { atPlace, type LedgerLine, remainingOf } from "../ledger/ledger-line.ts";
import { filled, type LineSight, lineKey, togetherOf, toldIds } from "../ledger/line-sight.ts";
import { ofWholeLine, withCountOf } from "../ledger/refetch.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";

/** Books a confirmed step, single or cart, and answers with what the external system wants changed meanwhile. */
function bookConfirmation(
  needs: EventNeeds,
  step: SharedStep,
  confirmed: Confirmation,
  entry: ProjectionEntry,
): Outcome<"confirmStep"> {
  const { orders, changes } = needs;
  const { workOrderNumber: orderNumber } = step;
  orders.sign(orderNumber);
  const { was, line, booked } = bookAmount(needs, step, { ...confirmed, mark: fullMark(step, confirmed.mark) });

  const account = booked ?? line;
  if (booked !== null && confirmed.summary !== null)
    needs.finishing?.share(orderNumber, booked.position, confirmed.summary);
  const offer = changes.offer(orderNumber, step.updateWorkOrderRequest, entry, { was, account });
  const message =
    offer.family === undefined
      ? unchangedText(needs, step, { before: line, after: account })
      : changeText(needs, step, account, offer);
  // A step that tells no amount may have brought it in its model, which was booked after the step.
  const isUntold = (step.requestAmountInBaseUnitOfMeasure ?? null) === null;
  // What was given up and is shown again is in scans again, also of an order that never changed.
  const isBack = account.cut !== line.cut;
  if (offer.family !== undefined || isUntold || isBack || remainingOf(account) === 0)
    changes.settle(orderNumber, entry);
  return ok({ updateWorkOrderRequest: offer.update }, message === undefined ? {} : { message });
}

/** Without a remaining amount the amounts tell no two steps apart: only one that is equal in all it shows is a retry. */
function fullMark(step: SharedStep, mark: string): string {
  const remaining = step.requestRemainingAmountInBaseUnitOfMeasure ?? 0;
  if (remaining > 0) return mark;
  const shown = [step.requestAmountInBaseUnitOfMeasure ?? null, step.updateWorkOrderRequest ?? null];
  return `${mark}|${createHash("sha256").update(JSON.stringify(shown)).digest("base64url")}`;
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
          requested === null ? guessedRequest(account, remaining, confirmed.amount) : ofWholeLine(account, requested),
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

function overPicked(before: LedgerLine, after: LedgerLine): Message | undefined {
  if (after.overPicked <= before.overPicked) return undefined;
  return say("events.over-picked", { item: after.itemNumber, over: after.overPicked });
}

/** Of an order that never changed. Fetched again, more may be picked of it than is wanted, and no line shows that. */
function unchangedText(
  { changes, ledger }: EventNeeds,
  { workOrderNumber: order }: SharedStep,
  { before, after }: { readonly before: LedgerLine; readonly after: LedgerLine },
): Message | undefined {
  // Of any line of the item: what is too much counts over all of them.
  const isAgain = ledger.itemLinesOf(order, after.itemNumber).some(({ refetch }) => refetch !== null);
  const family = isAgain ? changes.explain(order) : undefined;
  const inHand = family && itemText(family, order, after.itemNumber, changes.toldAside);
  return inHand ?? overPicked(before, after);
}

function changeText(
  { changes }: EventNeeds,
  step: SharedStep,
  account: LedgerLine,
  { family, update }: Offer,
): Message | undefined {
  if (family === undefined) return undefined;
  const order = step.workOrderNumber;
  const inHand = itemText(family, order, account.itemNumber, changes.toldAside);
  if (inHand !== undefined) return inHand;
  if (update !== null) {
    const received = step.updateWorkOrderRequest?.itemRequests ?? [];
    const lowered = (update.itemRequests ?? []).filter((shown, index) => shown !== received[index]);
    return say("events.order-changed", { order, goods: goodsText(lowered.map(asShown)) });
  }
  // Without a model nothing can be changed for the operator; saying so is all that is left.
  const isUntold = !step.updateWorkOrderRequest;
  return (isUntold ? lineText(family, order, account.position) : undefined) ?? doubtText(family, order);
}

/** In the unit of the platform: that is what its device shows. */
const asShown = ({ itemNumber, requestId, requestedAmount, isCancelled }: UpdatedLine): Goods => ({
  item: filled(itemNumber) ?? String(requestId ?? ""),
  amount: isCancelled === true ? 0 : (requestedAmount ?? 0),
  unit: UnitOfMeasure.Piece,
});

/** What a single step and a cart step have in common, and what was confirmed. */
type SharedStep = Omit<ConfirmCartStep, "amountToConfirmSummary">;

interface Confirmation {
  readonly amount: number;
  /** Where it was picked from; null for a placing step, whose place the order line knows. */
  readonly locationName: string | null;
  /** All that tells this step from another one of the same line. */
  readonly mark: string;
  /** Of a pick: what went into which container. */
  readonly summary: PickingSummary | null;
}

function pickConfirmation(step: SharedStep, summary: PickingSummary): Confirmation {
  const shares = summary.containersBreakdown ?? [];
  let amount = 0;
  let containers = "";
  for (const share of shares) {
    amount += share.amountToConfirmInBaseUnitOfMeasure ?? 0;
    // Lengths keep codes apart that contain the separators; null is the virtual container and no empty code.
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

/** What a step tells about its line, together with the same line of the model it brought. */
function stepSight(step: SharedStep): LineSight {
  const lines = step.updateWorkOrderRequest?.itemRequests ?? [];
  const line = lines.find((own) => own.requestId === step.requestId);
  const shown = line === undefined ? undefined : sightOf(line);
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
          isToldBeside: toldIds(() => lines.map(sightOf)),
          areLotsTold: () => lines.some(({ lotNumber }) => filled(lotNumber) !== null),
          together: () =>
            togetherOf(
              lines.map(sightOf).filter((own) => lineKey(own) === lineKey(shown)),
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
    // A single step with the same amounts is another step, and not this one sent again.
    return bookConfirmation(needs, step, { ...confirmed, mark: `cart|${confirmed.mark}` }, entry);
  };
