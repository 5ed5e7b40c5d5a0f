import type { UpdatedLine, UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import { type LedgerLine, presentOf, withShown } from "../../ledger/ledger-line.ts";
import { filled, type LineRef, refsOfModel } from "../../ledger/line-ref.ts";
import type { Ledger } from "../../ledger/open-ledger.ts";
import { isCountUnknown, ofPresentId, ofWholeLine, refetchOf } from "../../ledger/refetch.ts";
import { lineByPosition, targetsOf } from "../open-amounts.ts";
import type { OrderGroup } from "../order-group.ts";
import { wholeUnits } from "../reconcile.ts";

export const refOf = (line: UpdatedLine): LineRef => ({
  requestId: line.requestId ?? null,
  externalId: filled(line.externalIdentifier),
  itemNumber: filled(line.itemNumber),
  lot: filled(line.lotNumber),
  unit: line.itemUnitOfMeasure ?? null,
  requested: line.requestedAmount ?? null,
});

/** Books what a model shows into the ledger lines of its lines. Returns the ledger lines in the order of the model. */
export function bookModel(
  ledger: Ledger,
  orderNumber: string,
  received: readonly UpdatedLine[],
  isNewer: (ledgerLine: LedgerLine) => boolean = () => true,
): LedgerLine[] {
  const ledgerLines = ledger.lines(orderNumber, refsOfModel(received.map(refOf)));
  return ledgerLines.map((ledgerLine, index) => {
    const shown = shownBy(received[index], ledgerLine);
    if (shown === null || !isNewer(ledgerLine)) return ledgerLine;
    const booked = withShown(ledgerLine, shown);
    if (booked !== ledgerLine) ledger.book(booked);
    return booked;
  });
}

/**
 * Books a model from before the order was changed. Ledger lines of lines that were worked on since are newer and stay,
 * unless the model shows the line under another id: then the order was fetched again.
 */
export function bookEarlierModel(ledger: Ledger, orderNumber: string, received: readonly UpdatedLine[]): void {
  const known = new Map(
    ledger
      .ledgerLinesOf(orderNumber)
      .filter(({ factor, cancelled }) => factor !== null || cancelled > 0)
      .map(({ position, requestId }) => [position, requestId]),
  );
  const isNewer = ({ position, requestId }: LedgerLine) => {
    const before = known.get(position);
    return before === undefined || (before !== null && before !== requestId);
  };
  // An id that a later step has replaced is outdated: the line under it says nothing any more.
  const replaced = new Set(ledger.ledgerLinesOf(orderNumber).flatMap((ledgerLine) => refetchOf(ledgerLine)?.ids ?? []));
  const lines = received.filter(({ requestId }) => requestId === null || !replaced.has(requestId ?? Number.NaN));
  bookModel(ledger, orderNumber, lines, isNewer);
}

/** The amount shown for the whole line: what was picked under earlier ids of the platform is added. */
function shownBy(line: UpdatedLine | undefined, ledgerLine: LedgerLine): number | null {
  if (line?.isCancelled === true) return ledgerLine.picked;
  const amount = line?.requestedAmount ?? null;
  // Unknown whether the amount includes what was picked under another id. Until its first step tells, the earlier one
  // counts.
  if (isCountUnknown(ledgerLine)) return null;
  return amount === null ? null : ofWholeLine(ledgerLine, amount);
}

/** The offer in the answer to a step. */
export interface SentOffer {
  /** The received model with the affected lines changed; null when nothing is to be changed. */
  readonly update: UpdateWorkOrderRequest | null;
  /** The amounts it asks for, for the whole line, by the position of the ledger line and in its unit. */
  readonly lowered: ReadonlyMap<number, number>;
}

export const nothingOffered: SentOffer = { update: null, lowered: new Map() };

/**
 * Returns the received model with the lines that have more than was decided lowered or cancelled. Everything else stays
 * as received, so the answer is right whether the platform patches or replaces its order. What was offered is returned
 * too: computed again from the amounts, it would include lines the model does not list or whose unit is in doubt.
 */
export function offerOf(
  group: OrderGroup,
  orderNumber: string,
  model: UpdateWorkOrderRequest,
  ledgerLines: readonly LedgerLine[],
): SentOffer {
  const targets = targetsOf(group, orderNumber);
  const received = model.itemRequests ?? [];
  const lowered = new Map<number, number>();
  const lines = received.map((line, index) => {
    const ledgerLine = ledgerLines[index];
    const target = ledgerLine === undefined ? undefined : targets.get(ledgerLine.position);
    if (ledgerLine === undefined || target === undefined || line.isCancelled === true) return line;
    // The contract has whole amounts, even when part of a unit was picked under another id.
    const amount = wholeUnits(ofPresentId(ledgerLine, target), 1);
    // Lower it only if nothing more is wanted: that is right whether or not the platform counts what was picked before.
    if (isCountUnknown(ledgerLine) && !isEnough(group, ledgerLine)) return line;
    if (amount >= (line.requestedAmount ?? presentOf(ledgerLine))) return line;
    // Store what was sent, not what was decided: for a line fetched again, rounding may make it part of a unit more.
    const isOff = amount <= 0;
    lowered.set(ledgerLine.position, ofWholeLine(ledgerLine, isOff ? 0 : amount));
    return isOff ? { ...line, isCancelled: true } : { ...line, requestedAmount: amount };
  });
  return lowered.size === 0 ? nothingOffered : { update: { ...model, itemRequests: lines }, lowered };
}

/** Whether nothing more is wanted of the line that a ledger line belongs to. */
function isEnough(group: OrderGroup, ledgerLine: LedgerLine): boolean {
  const line = lineByPosition(group, ledgerLine.orderNumber).get(ledgerLine.position);
  return line !== undefined && line.facts.wanted !== null && (line.decision?.missingAmount ?? 0) <= 0;
}
