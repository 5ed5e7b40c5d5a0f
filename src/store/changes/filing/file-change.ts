import type { PushedCancellation } from "../../../contract/pushes.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { ProjectionEntry } from "../../../journal/inline-projection.ts";
import { Fault } from "../../../operation/fault.ts";
import { concerns, filled, isWholeOrder, type LineNames, lineKey } from "../../ledger/line-sight.ts";
import { type Family, type FamilyLine, pickedOf } from "../family.ts";
import { mostOf, sumOfAccounts, total } from "../line-amounts.ts";
import { bookEarlierModel } from "../offers/offer-changes.ts";
import {
  isAbout,
  linesOf,
  nothingSaid,
  type PickedByKey,
  resolveWanted,
  takePush,
  takeWord,
  type Wanted,
  type WantedLine,
  type Word,
  wantedByPush,
} from "../wanted.ts";
import type { ChangeNeeds } from "./change-needs.ts";
import { settleFamily } from "./settle-family.ts";
import { pushOfFollowUp, wordsOnFollowUp } from "./word-on-follow-up.ts";

/** Files a cancellation or reduction: a word on one line, on all lines of an item, or on the whole order. */
export function fileCancellation(needs: ChangeNeeds, cancellation: PushedCancellation, entry: ProjectionEntry): void {
  const { workOrderNumber, requestedAmount } = cancellation;
  const scope: LineNames = {
    externalId: filled(cancellation.requestExternalIdentifier),
    itemNumber: filled(cancellation.itemNumber),
    lot: filled(cancellation.lotNumber),
  };
  const amount = requestedAmount ?? 0;
  if (isWholeOrder(scope) && (amount > 0 || scope.lot !== null)) {
    throw new Fault("invalid", `a change of order ${workOrderNumber} to ${amount} names no line`);
  }
  const root = needs.changed.rootOf(workOrderNumber);
  const family = familyOf(needs, root, entry);
  const word = { ...scopeIn(family, scope), amount };
  const words: readonly Word[] = root === workOrderNumber ? [word] : wordsOnFollowUp(family, workOrderNumber, word);
  let wanted = withStrangers(family, (line) => words.some((word) => isAbout(word, line)));
  for (const each of words) wanted = takeWord(wanted, each, entry.seq, pickedByKey(family));
  saveWanted(needs, family, wanted, entry);
  const reason = filled(cancellation.reason);
  const orderNumber = root;
  for (const { amount: target, lineKey: key = null, ...names } of words) {
    needs.table.add({ orderNumber, ...names, lineKey: key, target, reason }, entry);
  }
  // A follow-up order that never had such a line has nothing left of it.
  if (words.length === 0)
    needs.table.addRemoved({ orderNumber, ...scope, lineKey: null, target: amount, reason }, entry);
  settleFamily(needs, root, entry);
}

/** Lines that only the platform has told of, and that a word is about, are lines like the others from then on. */
function withStrangers(family: Family, isMeant: (line: FamilyLine) => boolean): Wanted {
  const known = new Set(family.wanted.lines.map(lineKey));
  const strangers = family.lines
    .filter((line) => !known.has(line.key) && isMeant(line))
    .map((line): WantedLine => {
      const { externalId, itemNumber, lot, accounts } = line;
      const amount = sumOfAccounts(line, accounts.flat(), ({ requested }) => requested);
      return { externalId, itemNumber, lot, amount, seq: line.wordSeq ?? 0 };
    });
  // A word that named the external id only: the floor has told the item since.
  const named = family.wanted.lines.map((line) => {
    if (line.itemNumber !== null) return line;
    const own = family.lines.find(({ key }) => key === lineKey(line));
    return { ...line, itemNumber: own?.itemNumber ?? null };
  });
  return { ...family.wanted, lines: [...named, ...strangers] };
}

/** An external id that no line has leaves the item, where that was named too: the line may have got its id later. */
function scopeIn({ lines }: Family, scope: LineNames): LineNames {
  const isKnown = scope.externalId === null || lines.some((line) => concerns(scope, line));
  const isItemKnown = lines.some((line) => scope.itemNumber !== null && line.itemNumber === scope.itemNumber);
  return isKnown || !isItemKnown ? scope : { ...scope, externalId: null };
}

/** What the floor has of an order by another way, and its first push does not name, the external system does not want. */
function withUnnamed(family: Family, pushed: WorkOrder): Wanted {
  const named = new Set(linesOf(pushed.requests).map(lineKey));
  return withStrangers(family, ({ key }) => !named.has(key));
}

/** Files an order pushed again: a word on each line whose amount it changes. */
export function filePush(
  needs: ChangeNeeds,
  workOrder: WorkOrder,
  entry: ProjectionEntry,
  { isFirst = false }: { readonly isFirst?: boolean } = {},
): void {
  const root = needs.changed.rootOf(workOrder.number);
  if (isFirst) {
    nameLines(needs, workOrder);
    // The floor was there before it: the push is a word on what is being picked, and not the order's first state.
    if (needs.wanted.find(root) === undefined) needs.wanted.save(root, { wanted: nothingSaid, served: [] });
  }
  const family = familyOf(needs, root, entry);
  const pushed = root === workOrder.number ? workOrder : pushOfFollowUp(family, workOrder);
  const before = isFirst ? withUnnamed(family, pushed) : family.wanted;
  const wanted = takePush(before, pushed, entry.seq, pickedByKey(family));
  const changed = saveWanted(needs, family, wanted, entry);
  for (const line of changed) {
    // What is said for the first time changes nothing, whatever the platform has got by another way.
    if (isFirst || line.amount >= mostOf(family, { key: lineKey(line), amount: line.amount })) continue;
    const { externalId, itemNumber, lot, amount: target } = line;
    const names = { externalId, itemNumber, lot, lineKey: lineKey(line) };
    needs.table.add({ orderNumber: root, ...names, target, reason: null }, entry);
  }
  settleFamily(needs, root, entry);
}

/** What the floor has told of an order before it came gets the names of the order's lines. */
function nameLines(needs: ChangeNeeds, { number, requests }: WorkOrder): void {
  takeLastModel(needs, number);
  needs.ledger.nameLines(number, requests);
}

/** Books what the platform showed last while the order was not under change. */
export function takeLastModel({ models, ledger }: Pick<ChangeNeeds, "models" | "ledger">, orderNumber: string): void {
  const shown = models.take(orderNumber);
  if (shown.length > 0) bookEarlierModel(ledger, orderNumber, shown);
}

/** From now on what was wanted and served of the order is kept. */
export function keepFirstPush({ orders, wanted }: Pick<ChangeNeeds, "orders" | "wanted">, root: string): void {
  if (wanted.has(root) && wanted.find(root) !== undefined) return;
  const order = orders.find(root);
  wanted.save(root, { wanted: order === undefined ? nothingSaid : wantedByPush(order.workOrder), served: [] });
}

/** The order as it stands before the word; from its first change on, what was wanted and served so far is kept. */
function familyOf(needs: ChangeNeeds, root: string, entry: ProjectionEntry): Family {
  const { changed } = needs;
  keepFirstPush(needs, root);
  takeLastModel(needs, root);
  const family = changed.readKept(root);
  if (family === undefined)
    throw new Error(`what is wanted of order ${root} was stored with ${entry.id} and is not there`);
  return family;
}

/** Stores what is wanted now. What the floor cut short of a line before a new word on it is asked for again. */
function saveWanted({ wanted, ledger }: ChangeNeeds, family: Family, next: Wanted, entry: ProjectionEntry) {
  const before = new Map(family.lines.map(({ key, wanted: amount }) => [key, amount]));
  const said = resolveWanted(next, pickedByKey(family)).filter((line) => line.seq === entry.seq);
  // The same amount again is no new word on what was cut short; one for several lines counts as a whole.
  const isSame = (lines: readonly WantedLine[]) =>
    total(lines.map((line) => line.amount)) === total(lines.map((line) => before.get(lineKey(line)) ?? 0));
  const shared = said.filter((line) => line.shared?.seq === entry.seq);
  const groups = [shared, ...said.filter((line) => !shared.includes(line)).map((line) => [line])];
  const keys = new Set(groups.filter((lines) => !isSame(lines)).flatMap((lines) => lines.map(lineKey)));
  const lines = next.lines.map((line) => (keys.has(lineKey(line)) ? uncut(line) : line));
  const served = wanted.find(family.root)?.served ?? [];
  wanted.save(family.root, { wanted: { ...next, lines }, served });
  forgetCuts(
    { ledger },
    family.lines.filter(({ key }) => keys.has(key)),
  );
  return said;
}

const uncut = ({ cut: _, ...line }: WantedLine): WantedLine => line;

/** What the floor cut short before a word is asked for again by it. */
function forgetCuts({ ledger }: Pick<ChangeNeeds, "ledger">, lines: readonly FamilyLine[]): void {
  for (const account of lines.flatMap(({ accounts }) => accounts.flat())) {
    if (account.cut > 0) ledger.book({ ...account, cut: 0 });
  }
}

const pickedByKey = (family: Family): PickedByKey =>
  new Map(family.lines.map((line) => [line.key, pickedOf(line.accounts.flat())]));
