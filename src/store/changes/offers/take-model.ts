import type { UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import type { ProjectionEntry } from "../../../journal/inline-projection.ts";
import { cancelOpen, type LedgerLine, remainingOf, takenOf } from "../../ledger/ledger-line.ts";
import type { LineNames } from "../../ledger/line-sight.ts";
import { carrierIndex, type Family, type FamilyLine } from "../family.ts";
import type { ChangeNeeds } from "../filing/change-needs.ts";
import { linesOfChange } from "../filing/judge-change.ts";
import type { Offered } from "../wanted-table.ts";
import { type BookedStep, countTogether } from "./count-together.ts";
import { inModelOrder } from "./in-model-order.ts";
import { bookModel, nothingOffered, offerOf, type SentOffer } from "./offer-changes.ts";
import { amountsAtStep } from "./step-amounts.ts";

export interface Offer {
  /** The received model with the affected lines changed; null where nothing is to be changed. */
  readonly update: UpdateWorkOrderRequest | null;
  /** The order with every amount decided; undefined for one that never changed. */
  readonly family: Family | undefined;
}

/**
 * Compares the model a confirm step brought with what was decided for its lines. What it still shows as before is offered,
 * again and again until it is seen.
 */
export function takeModel(
  needs: ChangeNeeds,
  orderNumber: string,
  model: UpdateWorkOrderRequest | null | undefined,
  entry: ProjectionEntry,
  step: BookedStep,
): Offer {
  const { ledger, changed } = needs;
  const known = changed.read(orderNumber);
  const received = model?.itemRequests ?? [];
  if (known === undefined) {
    if (received.length > 0) needs.models.keep(orderNumber, received);
    else needs.models.dropOld(orderNumber, step.account);
    return { update: null, family: known };
  }
  if (!model || received.length === 0) {
    needs.wanted.stillOffered(orderNumber, entry.receivedAt, isShownAsBefore(step.account));
    const family = countTogether(ledger, { before: known, after: known, orderNumber }, step)
      ? (changed.read(orderNumber) ?? known)
      : known;
    note(needs, family, orderNumber, nothingOffered, entry);
    return { update: null, family };
  }
  const accounts = bookModel(ledger, orderNumber, received);
  const shown = changed.read(orderNumber);
  if (shown === undefined) return { update: null, family: undefined };
  const isAbsent = bookAbsent(needs, shown, orderNumber, accounts);
  const after = isAbsent ? (changed.read(orderNumber) ?? shown) : shown;
  const isCounted = countTogether(ledger, { before: known, after, orderNumber }, step);
  const counted = isCounted ? (changed.read(orderNumber) ?? after) : after;
  const family = inModelOrder(counted, orderNumber, accounts);
  const offer = offerOf(family, orderNumber, model, accounts);
  countOffers(needs, family, orderNumber, offer);
  const listed = new Set(accounts.map(({ position }) => position));
  needs.wanted.markOffered(orderNumber, [...offer.lowered], listed, entry.receivedAt);
  note(needs, family, orderNumber, offer, entry);
  return { update: offer.update, family };
}

/** Whether the step itself shows more of its line than was offered: then the platform has not taken that over. */
const isShownAsBefore =
  (account: LedgerLine) =>
  ([position, amount]: Offered[number]): boolean =>
    account.position === position && account.requested > amount;

/** For the history of the order. */
function note(
  { steps }: ChangeNeeds,
  family: Family,
  orderNumber: string,
  { lowered }: SentOffer,
  entry: ProjectionEntry,
): void {
  steps.add(orderNumber, entry.id, amountsAtStep(family, orderNumber, lowered));
}

/**
 * Lines that the model leaves out. One that not every content served had: the platform fetched the order without it. One
 * that an answer had cancelled: the platform has dropped it. Any other may just not be listed.
 */
function bookAbsent(
  { ledger, wanted }: ChangeNeeds,
  family: Family,
  orderNumber: string,
  listed: readonly LedgerLine[],
): boolean {
  const index = carrierIndex(family, orderNumber);
  const carrier = family.carriers[index];
  if (carrier === undefined) return false;
  const positions = new Set(listed.map(({ position }) => position));
  const offered = new Map(wanted.offeredBefore(orderNumber));
  // One that was only lowered may just not be listed, also where nothing is left to do of it.
  const isDropped = (account: LedgerLine) => offered.get(account.position) === 0 && takenOf(account) === 0;
  // Begun before it was pushed: the platform has it by another way, and not as it was served.
  const isByAnotherWay = carrier.accounts[0]?.intake === null;
  const isLacking = (line: FamilyLine) =>
    isByAnotherWay || carrier.served.some((content) => !content.some((served) => isSame(line, served)));
  let isAny = false;
  for (const line of family.lines) {
    const own = line.accounts[index] ?? [];
    if (own.some(({ position }) => positions.has(position))) {
      // A twin that the model does not list beside the other: the order was fetched with fewer lines. Taken for unseen, it
      // would keep what is wanted, and the one that is there would be cancelled.
      const dropped = own.filter((twin) => !positions.has(twin.position) && remainingOf(twin) > 0);
      for (const twin of dropped) ledger.book(cancelOpen(twin));
      isAny = isAny || dropped.length > 0;
      continue;
    }
    const gone = own.filter(
      (account) => remainingOf(account) > 0 && (isLacking(line) || (account.factor !== null && isDropped(account))),
    );
    for (const account of gone) ledger.book(cancelOpen(account));
    const held = carrier.served.flatMap((content) => content.filter((served) => isSame(line, served))).at(-1);
    const isNew = own.length === 0 && held !== undefined && isLacking(line);
    if (isNew) ledger.addAbsent(orderNumber, held);
    isAny = isAny || gone.length > 0 || isNew;
  }
  return isAny;
}

const isSame = (line: FamilyLine, served: LineNames) =>
  line.externalId === served.externalId && line.itemNumber === served.itemNumber && line.lot === served.lot;

/** The changes that this answer brings: those with a line that it lowers. */
function countOffers(
  { table, ledger }: ChangeNeeds,
  family: Family,
  orderNumber: string,
  { lowered }: SentOffer,
): void {
  if (lowered.size === 0) return;
  const index = carrierIndex(family, orderNumber);
  const isLowered = ({ accounts }: FamilyLine) => accounts[index]?.some(({ position }) => lowered.has(position));
  const step = ledger.stepCount(family.root);
  for (const change of table.open(family.root)) {
    if (linesOfChange(family, change).some(isLowered)) table.countOffer(change, step);
  }
}
