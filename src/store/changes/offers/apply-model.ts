import type { UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import type { ProjectionEntry } from "../../../journal/inline-projection.ts";
import { oncePer } from "../../../kit/recent-values.ts";
import { cancelOpen, type LedgerLine, remainingOf, takenOf } from "../../ledger/ledger-line.ts";
import type { ServedLine } from "../../ledger/line-ref.ts";
import type { ChangeNeeds } from "../filing/change-needs.ts";
import { linesOfChange } from "../filing/judge-change.ts";
import type { MemberOrder } from "../group/member-order.ts";
import { type GroupLine, memberIndex, type OrderGroup } from "../order-group.ts";
import { reconcile } from "../reconcile.ts";
import { fullName, linesLatestFirst, namesInAll } from "../served/served-content.ts";
import type { Offered } from "../wanted-table.ts";
import { type BookedStep, countIndistinguishable } from "./count-indistinguishable.ts";
import { bookModel, nothingOffered, offerOf, type SentOffer } from "./offer-changes.ts";

export interface Offer {
  /** The received model with the affected lines changed; null when nothing is to be changed. */
  readonly update: UpdateWorkOrderRequest | null;
  /** The order with every amount decided; undefined when the order has no change. */
  readonly group: OrderGroup | undefined;
}

/**
 * Compares the model of a confirm step with what was decided for its lines. Lines that still show the old amount are
 * offered again, until a model shows the new one.
 */
export function applyModel(
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
    else needs.models.dropOld(orderNumber, step.ledgerLine);
    return { update: null, group: known };
  }
  if (!model || received.length === 0) {
    needs.wanted.stillOffered(orderNumber, entry.receivedAt, isShownAsBefore(step.ledgerLine));
    const group = countIndistinguishable(ledger, { before: known, after: known, orderNumber }, step)
      ? (changed.read(orderNumber) ?? known)
      : known;
    note(needs, group, orderNumber, nothingOffered, entry);
    return { update: null, group };
  }
  const ledgerLines = bookModel(ledger, orderNumber, received);
  const shown = changed.read(orderNumber);
  if (shown === undefined) return { update: null, group: undefined };
  const isAbsent = bookAbsent(needs, shown, orderNumber, ledgerLines);
  const after = isAbsent ? (changed.read(orderNumber) ?? shown) : shown;
  const isCounted = countIndistinguishable(ledger, { before: known, after, orderNumber }, step);
  const counted = isCounted ? (changed.read(orderNumber) ?? after) : after;
  const group = inModelOrder(counted, orderNumber, ledgerLines);
  const offer = offerOf(group, orderNumber, model, ledgerLines);
  countOffers(needs, group, orderNumber, offer);
  const listed = new Set(ledgerLines.map(({ position }) => position));
  needs.wanted.markOffered(orderNumber, [...offer.lowered], listed, entry.receivedAt);
  note(needs, group, orderNumber, offer, entry);
  return { update: offer.update, group };
}

/** Whether the step itself shows more of its line than was offered: then the platform has not taken over the offer. */
const isShownAsBefore =
  (ledgerLine: LedgerLine) =>
  ([position, amount]: Offered[number]): boolean =>
    ledgerLine.position === position && ledgerLine.requested > amount;

/** Stores the amounts for the order's history. */
function note(
  { steps }: ChangeNeeds,
  group: OrderGroup,
  orderNumber: string,
  { lowered }: SentOffer,
  entry: ProjectionEntry,
): void {
  steps.add(group, orderNumber, entry.id, lowered);
}

/**
 * Books lines that the model leaves out. If some served content lacked the line, the platform fetched the order without
 * it. If an answer had cancelled the line, the platform has dropped it. Any other line may just not be listed.
 */
function bookAbsent(
  { ledger, wanted }: ChangeNeeds,
  group: OrderGroup,
  orderNumber: string,
  listed: readonly LedgerLine[],
): boolean {
  const index = memberIndex(group, orderNumber);
  const member = group.members[index];
  if (member === undefined) return false;
  const positions = new Set(listed.map(({ position }) => position));
  const offered = new Map(wanted.offeredBefore(orderNumber));
  // A line that was only lowered may just not be listed, even when nothing is left to do for it.
  const isDropped = (ledgerLine: LedgerLine) => offered.get(ledgerLine.position) === 0 && takenOf(ledgerLine) === 0;
  // Begun before it was pushed: the platform got the order by another way, not with the content served here.
  const isByAnotherWay = member.ledgerLines[0]?.intake === null;
  const isLacking = (line: GroupLine) => isByAnotherWay || isLackedByAny(member.served, line);
  let isAny = false;
  for (const line of group.lines) {
    const own = line.ledgerLines[index] ?? [];
    if (own.some(({ position }) => positions.has(position))) {
      // Two lines cannot be told apart and the model lists only one: the order was fetched with fewer lines. Without
      // this, the missing line would keep what is wanted, and the one that is there would be cancelled.
      const dropped = own.filter((other) => !positions.has(other.position) && remainingOf(other) > 0);
      for (const other of dropped) ledger.book(cancelOpen(other));
      isAny = isAny || dropped.length > 0;
      continue;
    }
    const gone = own.filter(
      (ledgerLine) =>
        remainingOf(ledgerLine) > 0 && (isLacking(line) || (ledgerLine.factor !== null && isDropped(ledgerLine))),
    );
    for (const ledgerLine of gone) ledger.book(cancelOpen(ledgerLine));
    if (own.length > 0) {
      isAny = isAny || gone.length > 0;
      continue;
    }
    const held = latestByName(member.served).get(fullName(line));
    const isNew = held !== undefined && isLacking(line);
    if (isNew) ledger.addAbsent(orderNumber, held);
    isAny = isAny || isNew;
  }
  return isAny;
}

/** Whether some content lacks the line. */
const isLackedByAny = (served: MemberOrder["served"], line: GroupLine): boolean =>
  served.length > 0 && !namesOfAll(served).has(fullName(line));

// Found out once for all lines: a model may leave out thousands of them.
const namesOfAll = oncePer(namesInAll);
const latestByName = oncePer((served: MemberOrder["served"]): ReadonlyMap<string, ServedLine> => {
  const lines = new Map<string, ServedLine>();
  for (const line of linesLatestFirst(served)) if (!lines.has(fullName(line))) lines.set(fullName(line), line);
  return lines;
});

/** Counts the offer for each open change that has a line lowered by this answer. */
function countOffers(
  { table, ledger }: ChangeNeeds,
  group: OrderGroup,
  orderNumber: string,
  { lowered }: SentOffer,
): void {
  if (lowered.size === 0) return;
  const index = memberIndex(group, orderNumber);
  const isLowered = ({ ledgerLines }: GroupLine) => ledgerLines[index]?.some(({ position }) => lowered.has(position));
  const step = ledger.stepCount(group.root);
  for (const change of table.open(group.root)) {
    if (linesOfChange(group, change).some(isLowered)) table.countOffer(change, step);
  }
}

/**
 * Lines that cannot be told apart share what is wanted, and the earlier ones get theirs first. "Earlier" means the
 * order of the model, which is how the platform has them. Ledger lines stand in the order they were opened, and a step
 * on the later line opens that ledger line first.
 */
function inModelOrder(group: OrderGroup, orderNumber: string, listed: readonly LedgerLine[]): OrderGroup {
  const index = memberIndex(group, orderNumber);
  const places = new Map(listed.map(({ position }, place) => [position, place]));
  const lines = group.lines.map((line) => sortedLine(line, index, places));
  return lines.every((line, place) => line === group.lines[place]) ? group : { ...group, lines };
}

/**
 * Sorts the ledger lines of a line by the model. Returns the same object when they are in that order already, as nearly
 * all are.
 */
function sortedLine(line: GroupLine, index: number, places: ReadonlyMap<number, number>): GroupLine {
  const own = line.ledgerLines[index] ?? [];
  if (own.length < 2) return line;
  // Ledger lines that the model does not list come last: their lines are given up and keep only what was picked.
  const placeOf = (row: number) => places.get(own[row]?.position ?? Number.NaN) ?? places.size;
  const rows = [...own.keys()].toSorted((one, other) => placeOf(one) - placeOf(other));
  if (rows.every((row, place) => row === place)) return line;
  const sorted = <Row>(each: readonly Row[]): Row[] => rows.flatMap((row) => each.slice(row, row + 1));
  const facts = {
    ...line.facts,
    members: line.facts.members.map((one, at) => (at === index ? { ...one, rows: sorted(one.rows) } : one)),
  };
  return {
    ...line,
    ledgerLines: line.ledgerLines.map((each, at) => (at === index ? sorted(each) : each)),
    facts,
    decision: line.decision === null ? null : reconcile(facts),
  };
}
