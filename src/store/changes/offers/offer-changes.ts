import type { UpdatedLine, UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import { type LedgerLine, presentOf, withShown } from "../../ledger/ledger-line.ts";
import { filled, type LineSight, sightsTogether } from "../../ledger/line-sight.ts";
import type { Ledger } from "../../ledger/open-ledger.ts";
import { isCountUnknown, ofPresentId, ofWholeLine, refetchOf } from "../../ledger/refetch.ts";
import type { Family } from "../family.ts";
import { targetsOf } from "../open-amounts.ts";
import { wholeUnits } from "../reconcile.ts";

export const sightOf = (line: UpdatedLine): LineSight => ({
  requestId: line.requestId ?? null,
  externalId: filled(line.externalIdentifier),
  itemNumber: filled(line.itemNumber),
  lot: filled(line.lotNumber),
  unit: line.itemUnitOfMeasure ?? null,
  requested: line.requestedAmount ?? null,
});

/** Takes what a model shows into the accounts of its lines; returns them in the order of the model. */
export function bookModel(
  ledger: Ledger,
  orderNumber: string,
  received: readonly UpdatedLine[],
  isNewer: (account: LedgerLine) => boolean = () => true,
): LedgerLine[] {
  const accounts = ledger.lines(orderNumber, sightsTogether(received.map(sightOf)));
  return accounts.map((account, index) => {
    const shown = shownBy(received[index], account);
    if (shown === null || !isNewer(account)) return account;
    const booked = withShown(account, shown);
    if (booked !== account) ledger.book(booked);
    return booked;
  });
}

/**
 * Takes in a model from before the order was changed. Of lines that were worked on since, the accounts know more, unless the
 * model shows them under another id: then they were fetched again.
 */
export function bookEarlierModel(ledger: Ledger, orderNumber: string, received: readonly UpdatedLine[]): void {
  const known = new Map(
    ledger
      .accountsOf(orderNumber)
      .filter(({ factor, cancelled }) => factor !== null || cancelled > 0)
      .map(({ position, requestId }) => [position, requestId]),
  );
  const isNewer = ({ position, requestId }: LedgerLine) => {
    const before = known.get(position);
    return before === undefined || (before !== null && before !== requestId);
  };
  // Shown under an id that a later step has replaced, a line says nothing any more.
  const replaced = new Set(ledger.accountsOf(orderNumber).flatMap((account) => refetchOf(account)?.ids ?? []));
  const lines = received.filter(({ requestId }) => requestId === null || !replaced.has(requestId ?? Number.NaN));
  bookModel(ledger, orderNumber, lines, isNewer);
}

/** In terms of the whole line: what was picked under other ids of the platform stands beside what it shows. */
function shownBy(line: UpdatedLine | undefined, account: LedgerLine): number | null {
  if (line?.isCancelled === true) return account.picked;
  const amount = line?.requestedAmount ?? null;
  // It may be with or without what was picked under another id: until its first step tells, what was shown before counts.
  if (isCountUnknown(account)) return null;
  return amount === null ? null : ofWholeLine(account, amount);
}

/** What a step is answered with. */
export interface SentOffer {
  /** The received model with the affected lines changed; null where nothing is to be changed. */
  readonly update: UpdateWorkOrderRequest | null;
  /** The amounts that it asks for, in terms of the whole line, by the position of the account and in its unit. */
  readonly lowered: ReadonlyMap<number, number>;
}

export const nothingOffered: SentOffer = { update: null, lowered: new Map() };

/**
 * The received model with the lines that have more than was decided for them lowered or cancelled, and everything else as
 * it came: it is right whether the platform takes it as a patch or as the whole order. What was offered is told with it:
 * decided anew from the amounts, a line that the model does not list, or that nothing could be said about, would count too.
 */
export function offerOf(
  family: Family,
  orderNumber: string,
  model: UpdateWorkOrderRequest,
  accounts: readonly LedgerLine[],
): SentOffer {
  const targets = targetsOf(family, orderNumber);
  const received = model.itemRequests ?? [];
  const lowered = new Map<number, number>();
  const lines = received.map((line, index) => {
    const account = accounts[index];
    const target = account === undefined ? undefined : targets.get(account.position);
    if (account === undefined || target === undefined || line.isCancelled === true) return line;
    // The contract has whole amounts, also where a part of a unit was picked under another id.
    const amount = wholeUnits(ofPresentId(account, target), 1);
    // Nothing more is wanted: that is right whether the platform counts what was picked before or not.
    if (isCountUnknown(account) && !isEnough(family, account)) return line;
    if (amount >= (line.requestedAmount ?? presentOf(account))) return line;
    // What was sent, and not what was decided: of a line that was fetched again the one may be a part of a unit more.
    const isOff = amount <= 0;
    lowered.set(account.position, ofWholeLine(account, isOff ? 0 : amount));
    return isOff ? { ...line, isCancelled: true } : { ...line, requestedAmount: amount };
  });
  return lowered.size === 0 ? nothingOffered : { update: { ...model, itemRequests: lines }, lowered };
}

/** Whether nothing more is wanted of the line that an account belongs to. */
function isEnough(family: Family, account: LedgerLine): boolean {
  const isOwn = ({ orderNumber, position }: LedgerLine) =>
    orderNumber === account.orderNumber && position === account.position;
  const line = family.lines.find(({ accounts }) => accounts.flat().some(isOwn));
  return line !== undefined && line.facts.wanted !== null && (line.decision?.short ?? 0) <= 0;
}
