import type { PushedCancellation } from "../../../contract/pushes.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { ProjectionEntry } from "../../../journal/inline-projection.ts";
import { Fault } from "../../../operation/fault.ts";
import { concerns, filled, isWholeOrder, type LineNames, lineKey } from "../../ledger/line-ref.ts";
import { pickedOf } from "../group/line-facts.ts";
import { mostOf, sumOfLedgerLines, total } from "../line-amounts.ts";
import { bookEarlierModel } from "../offers/offer-changes.ts";
import { type GroupLine, lineOf, type OrderGroup } from "../order-group.ts";
import {
  applyChange,
  applyLineChanges,
  applyPush,
  isAbout,
  type LineChange,
  linesOf,
  neverPushed,
  type PickedByKey,
  resolveWanted,
  type Wanted,
  type WantedLine,
  wantedByPush,
} from "../wanted.ts";
import type { ChangeNeeds } from "./change-needs.ts";
import { changesOfFollowUp, pushOfFollowUp } from "./changes-of-follow-up.ts";
import { settleGroup } from "./settle-group.ts";

/** Stores a cancellation or reduction of one line, of all lines of an item, or of the whole order. */
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
  const group = groupOf(needs, root, entry);
  const change = { ...scopeIn(group, scope), amount };
  const changes: readonly LineChange[] =
    root === workOrderNumber ? [change] : changesOfFollowUp(group, workOrderNumber, change);
  const picked = pickedByKey(group);
  const isMeant = aboutAny(changes);
  let wanted = withUnknownLines(group, isMeant);
  if (root === workOrderNumber) wanted = applyChange(wanted, change, entry.seq, picked);
  else wanted = applyLineChanges(wanted, changes, entry.seq, picked);
  saveWanted(needs, group, wanted, entry);
  const reason = filled(cancellation.reason);
  const orderNumber = root;
  for (const { amount: target, lineKey: key = null, ...names } of changes) {
    needs.table.add({ orderNumber, ...names, lineKey: key, target, reason }, entry);
  }
  // A follow-up order that never had such a line has nothing to cancel: the receipt "removed" is due at once.
  if (changes.length === 0)
    needs.table.addRemoved({ orderNumber, ...scope, lineKey: null, target: amount, reason }, entry);
  settleGroup(needs, root, entry);
}

/** Whether one of the changes is about a line. Those of a follow-up order name thousands of lines by their keys. */
function aboutAny(changes: readonly LineChange[]): (line: LineNames) => boolean {
  const keys = new Set(changes.map((change) => change.lineKey));
  const others = changes.filter((change) => change.lineKey === undefined);
  return (line) => keys.has(lineKey(line)) || others.some((change) => isAbout(change, line));
}

/** Adds lines known only from the platform to the wanted lines, when the change is about them. */
function withUnknownLines(group: OrderGroup, isMeant: (line: GroupLine) => boolean): Wanted {
  const known = new Set(group.wanted.lines.map(lineKey));
  const unknownLines = group.lines
    .filter((line) => !known.has(line.key) && isMeant(line))
    .map((line): WantedLine => {
      const { externalId, itemNumber, lot, ledgerLines } = line;
      const amount = sumOfLedgerLines(line, ledgerLines.flat(), ({ requested }) => requested);
      return { externalId, itemNumber, lot, amount, seq: line.changeSeq ?? 0 };
    });
  // An earlier change named only the external id; the ledger lines know the item by now.
  const named = group.wanted.lines.map((line) => {
    if (line.itemNumber !== null) return line;
    return { ...line, itemNumber: lineOf(group, lineKey(line))?.itemNumber ?? null };
  });
  return { ...group.wanted, lines: [...named, ...unknownLines] };
}

/**
 * If no line has the external id but the item is known, the change counts for the item: the line may have got its id
 * later.
 */
function scopeIn({ lines }: OrderGroup, scope: LineNames): LineNames {
  const isKnown = scope.externalId === null || lines.some((line) => concerns(scope, line));
  const isItemKnown = lines.some((line) => scope.itemNumber !== null && line.itemNumber === scope.itemNumber);
  return isKnown || !isItemKnown ? scope : { ...scope, externalId: null };
}

/** On the first push of an order the floor already works on: lines the push does not name are not wanted. */
function withUnnamed(group: OrderGroup, pushed: WorkOrder): Wanted {
  const named = new Set(linesOf(pushed.requests).map(lineKey));
  return withUnknownLines(group, ({ key }) => !named.has(key));
}

/**
 * Stores an order that was pushed again, with one change for each line that now wants less than the platform may have.
 */
export function filePush(
  needs: ChangeNeeds,
  workOrder: WorkOrder,
  entry: ProjectionEntry,
  { isFirst = false }: { readonly isFirst?: boolean } = {},
): void {
  const root = needs.changed.rootOf(workOrder.number);
  if (isFirst) {
    nameLines(needs, workOrder);
    // The floor began before the push: it counts as a change to an order being picked, not as the order's first
    // content.
    if (needs.wanted.find(root) === undefined) needs.wanted.save(root, neverPushed);
  }
  const group = groupOf(needs, root, entry);
  const pushed = root === workOrder.number ? workOrder : pushOfFollowUp(group, workOrder);
  const before = isFirst ? withUnnamed(group, pushed) : group.wanted;
  const wanted = applyPush(before, pushed, entry.seq, pickedByKey(group));
  const changed = saveWanted(needs, group, wanted, entry);
  for (const line of changed) {
    // The first push of a line changes nothing, whatever the platform got by another way.
    if (isFirst || line.amount >= mostOf(group, { key: lineKey(line), amount: line.amount })) continue;
    const { externalId, itemNumber, lot, amount: target } = line;
    const names = { externalId, itemNumber, lot, lineKey: lineKey(line) };
    needs.table.add({ orderNumber: root, ...names, target, reason: null }, entry);
  }
  settleGroup(needs, root, entry);
}

/** Gives the ledger lines that the floor opened before the push the names of the order's lines. */
function nameLines(needs: ChangeNeeds, { number, requests }: WorkOrder): void {
  bookLastModel(needs, number);
  needs.ledger.nameLines(number, requests);
}

/** Books the last model that the platform showed before the order had any change. */
export function bookLastModel({ models, ledger }: Pick<ChangeNeeds, "models" | "ledger">, orderNumber: string): void {
  const shown = models.drain(orderNumber);
  if (shown.length > 0) bookEarlierModel(ledger, orderNumber, shown);
}

/** Stores what is wanted of an order from its first change on; does nothing when it is stored already. */
export function keepFirstPush({ orders, wanted }: Pick<ChangeNeeds, "orders" | "wanted">, root: string): void {
  if (wanted.has(root) && wanted.find(root) !== undefined) return;
  const order = orders.find(root);
  wanted.save(root, order === undefined ? neverPushed : wantedByPush(order.workOrder));
}

/**
 * Returns the order's group before the change. From the first change on, what was wanted and served so far is stored.
 */
function groupOf(needs: ChangeNeeds, root: string, entry: ProjectionEntry): OrderGroup {
  const { changed } = needs;
  keepFirstPush(needs, root);
  bookLastModel(needs, root);
  const group = changed.readKept(root);
  if (group === undefined)
    throw new Error(`what is wanted of order ${root} was stored with ${entry.id} and is not there`);
  return group;
}

/** Stores what is wanted now. A new amount for a line asks again for what was short-picked of it before. */
function saveWanted({ wanted, ledger }: ChangeNeeds, group: OrderGroup, next: Wanted, entry: ProjectionEntry) {
  const changed = resolveWanted(next, pickedByKey(group)).filter((line) => line.seq === entry.seq);
  // The same amount again does not ask for the short-picked goods. An amount for several lines counts as a whole.
  const isSame = (lines: readonly WantedLine[]) =>
    total(lines.map((line) => line.amount)) === total(lines.map((line) => lineOf(group, lineKey(line))?.wanted ?? 0));
  const isShared = (line: WantedLine) => line.shared?.seq === entry.seq;
  const groups = [changed.filter(isShared), ...changed.filter((line) => !isShared(line)).map((line) => [line])];
  const keys = new Set(groups.filter((lines) => !isSame(lines)).flatMap((lines) => lines.map(lineKey)));
  const lines = next.lines.map((line) => (keys.has(lineKey(line)) ? withoutShortPicked(line) : line));
  wanted.save(group.root, { ...next, lines });
  clearShortPicked(
    { ledger },
    group.lines.filter(({ key }) => keys.has(key)),
  );
  return changed;
}

const withoutShortPicked = ({ shortPicked: _, ...line }: WantedLine): WantedLine => line;

/** Clears the short-picked amounts of these lines: a changed push asks for the whole line again. */
function clearShortPicked({ ledger }: Pick<ChangeNeeds, "ledger">, lines: readonly GroupLine[]): void {
  for (const ledgerLine of lines.flatMap(({ ledgerLines }) => ledgerLines.flat())) {
    if (ledgerLine.shortPicked > 0) ledger.book({ ...ledgerLine, shortPicked: 0 });
  }
}

/** Only amounts that several lines share depend on it: it is counted for the lines that are asked for. */
const pickedByKey = (group: OrderGroup): PickedByKey => ({
  get: (key) => {
    const line = lineOf(group, key);
    return line === undefined ? undefined : pickedOf(line.ledgerLines.flat());
  },
});
