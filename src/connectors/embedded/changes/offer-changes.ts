import type { UpdatedLine, UpdateWorkOrderRequest } from "../../../contract/schemas/update-work-order.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import { cancelRest, type LedgerLine, roundAmount } from "../ledger/ledger-line.ts";
import { filled, type LineSight } from "../ledger/line-sight.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import { type Change, concerns, isWholeOrder } from "./change.ts";
import type { ChangeTable } from "./change-table.ts";
import { keepAmounts } from "./keep-amounts.ts";
import { pickedInLineUnit, receiptState, wantedAmount } from "./receipt-state.ts";

export interface Offer {
  /** The received model with the affected lines changed; null where nothing is to be changed. */
  readonly update: UpdateWorkOrderRequest | null;
  readonly offered: readonly Change[];
  /** Changes that could not be offered because an amount cannot be converted with certainty. */
  readonly uncertain: readonly Change[];
}

const nothing: Offer = { update: null, offered: [], uncertain: [] };

interface SeenLine {
  readonly received: UpdatedLine;
  readonly account: LedgerLine;
  /** What the platform would still do of this line, after the changes offered so far. */
  live: number;
}

export const sightOf = (line: UpdatedLine): LineSight => ({
  requestId: line.requestId ?? null,
  externalId: filled(line.externalIdentifier),
  itemNumber: filled(line.itemNumber),
  lot: filled(line.lotNumber),
  unit: line.itemUnitOfMeasure ?? null,
  requested: line.requestedAmount ?? null,
});

/**
 * Compares the model a confirm step brought with the watched changes: what the model shows as applied gets its
 * receipt, what it still shows as before is offered, again and again until it is seen.
 */
export function offerChanges(
  { ledger, table }: { ledger: Ledger; table: ChangeTable },
  orderNumber: string,
  model: UpdateWorkOrderRequest | null | undefined,
  entry: ResidentEntry,
): Offer {
  const watched = table.watched(orderNumber);
  const received = model?.itemRequests;
  if (watched.length === 0 || !model || !received || received.length === 0) return nothing;

  const step = ledger.stepCount(orderNumber);
  const seen = seeLines(ledger, orderNumber, received);
  const offered: Change[] = [];
  const uncertain: Change[] = [];

  for (const change of watched) {
    const lines = seen.filter(({ account }) => concerns(change, account));
    const accounts = lines.map(({ account }) => account);
    if (lines.length === 0) {
      // A line that vanished after it was offered was taken out. One never shown may be in a later model.
      if (change.offered > 0) settleVanished(change);
      continue;
    }
    const wanted = wantedAmount(change, accounts);
    if (wanted === null) {
      uncertain.push(change);
      continue;
    }
    const running = lines.map(({ live, account }) => ({ live, picked: Math.min(live, account.picked) }));
    const keep = keepAmounts(running, wanted);
    if (running.every(({ live }, index) => live <= (keep[index] ?? live))) {
      settleSeen(change, lines, wanted);
      continue;
    }
    lines.forEach((line, index) => {
      line.live = keep[index] ?? line.live;
    });
    table.countOffer(change, step, entry);
    offered.push(change);
  }
  return {
    update: offered.length === 0 ? null : { ...model, itemRequests: seen.map(changedLine) },
    offered,
    uncertain,
  };

  function settleSeen(change: Change, lines: readonly SeenLine[], wanted: number) {
    const shown = lines.map((line) => bookShown(ledger, line));
    // The whole order stays watched: a later model may show lines that this one left out.
    const whole = isWholeOrder(change);
    const accounts = whole ? ledger.linesOf(orderNumber) : shown;
    const state = receiptState(change, accounts, wanted);
    const final = !whole || (ledger.isSettled(orderNumber) && !table.hasUnseen(orderNumber));
    table.settle(change, { state, step, picked: pickedInLineUnit(accounts), watched: whole, final }, entry);
  }

  function settleVanished(change: Change) {
    const accounts = ledger.linesOf(orderNumber).filter((account) => concerns(change, account));
    const wanted = wantedAmount(change, accounts) ?? 0;
    for (const account of accounts) ledger.book(cancelRest(account));
    const state = receiptState(change, accounts, wanted);
    table.settle(change, { state, step, picked: pickedInLineUnit(accounts), watched: false, final: true }, entry);
  }
}

function seeLines(ledger: Ledger, orderNumber: string, received: readonly UpdatedLine[]): SeenLine[] {
  const accounts = ledger.lines(orderNumber, received.map(sightOf));
  return received.flatMap((line, index) => {
    const account = accounts[index];
    if (account === undefined) return [];
    const shown = line.requestedAmount ?? account.requested - account.cancelled;
    return [{ received: line, account, live: line.isCancelled === true ? account.picked : shown }];
  });
}

/** Takes what the model shows of a line into its account: what is no longer asked for was cancelled. */
function bookShown(ledger: Ledger, { received, account }: SeenLine): LedgerLine {
  const shown = received.isCancelled === true ? account.picked : (received.requestedAmount ?? account.requested);
  const cancelled = roundAmount(Math.max(0, account.requested - Math.max(shown, account.picked)));
  if (cancelled <= account.cancelled) return account;
  const booked = { ...account, cancelled };
  ledger.book(booked);
  return booked;
}

/** Only what must change does: the platform may take the model as a patch or as the whole order. */
function changedLine({ received, account, live }: SeenLine): UpdatedLine {
  if (received.isCancelled === true) return received;
  if (live >= (received.requestedAmount ?? account.requested - account.cancelled)) return received;
  return live <= 0 ? { ...received, isCancelled: true } : { ...received, requestedAmount: live };
}
