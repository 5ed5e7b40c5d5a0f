import type { PushedCancellation } from "../../../contract/pushes.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import { Fault } from "../../../sdk/fault.ts";
import type { LedgerLine } from "../ledger/ledger-line.ts";
import { concerns, filled, isWholeOrder, type LineNames, lineKey } from "../ledger/line-sight.ts";
import type { ChangeNeeds } from "./change-needs.ts";
import { type Family, pickedOf } from "./family.ts";
import { settleFamily } from "./settle-family.ts";
import { linesOf, type PickedByKey, takePush, takeWord, type Wanted, type Word, wantedByPush } from "./wanted.ts";

const nothingSaid: Wanted = { pushed: null, gone: [], lines: [], cancelledSeq: null };

/** Files a cancellation or reduction: a word on one line, on all lines of an item, or on the whole order. */
export function fileCancellation(needs: ChangeNeeds, cancellation: PushedCancellation, entry: ResidentEntry): void {
  const { workOrderNumber, requestedAmount } = cancellation;
  const scope: LineNames = {
    externalId: filled(cancellation.requestExternalIdentifier),
    itemNumber: filled(cancellation.itemNumber),
    lot: null,
  };
  const amount = requestedAmount ?? 0;
  if (isWholeOrder(scope) && amount > 0) {
    throw new Fault("invalid", `a reduction of order ${workOrderNumber} to ${amount} names no line`);
  }
  const root = needs.changed.rootOf(workOrderNumber);
  const family = familyOf(needs, root, entry);
  const word = { ...scope, amount };
  const words = root === workOrderNumber ? [word] : wordsOnFollowUp(family, workOrderNumber, word);
  let wanted = family.wanted;
  for (const each of words) wanted = takeWord(wanted, each, entry.seq, pickedByKey(family));
  saveWanted(needs, family, wanted, entry);
  const reason = filled(cancellation.reason);
  for (const each of words) {
    const { externalId, itemNumber, lot, amount: target } = each;
    needs.table.add({ orderNumber: root, externalId, itemNumber, lot, target, reason }, entry);
  }
  settleFamily(needs, root, entry);
}

/** A follow-up order named by its own number: what it is to have less, the external system wants less in all. */
function wordsOnFollowUp(family: Family, number: string, word: Word): Word[] {
  const index = family.carriers.findIndex((carrier) => carrier.number === number);
  return family.lines.flatMap((line): Word[] => {
    const held = (line.decision?.held[index] ?? 0) / (line.factor ?? 1);
    if (!concerns(word, line) || line.wanted === null || held <= 0) return [];
    const { externalId, itemNumber, lot, wanted } = line;
    return [{ externalId, itemNumber, lot, amount: Math.max(0, wanted - Math.max(0, held - word.amount)) }];
  });
}

/** Files an order pushed again: a word on each line whose amount it changes. */
export function filePush(needs: ChangeNeeds, workOrder: WorkOrder, entry: ResidentEntry): void {
  const root = needs.changed.rootOf(workOrder.number);
  const family = familyOf(needs, root, entry);
  const pushed = root === workOrder.number ? workOrder : onTopOf(family, workOrder);
  const wanted = takePush(family.wanted, pushed, entry.seq, pickedByKey(family));
  const changed = saveWanted(needs, family, wanted, entry);
  for (const line of changed) {
    if (line.amount >= mostOf(family, line)) continue;
    const { externalId, itemNumber, lot, amount: target } = line;
    needs.table.add({ orderNumber: root, externalId, itemNumber, lot, target, reason: null }, entry);
  }
  settleFamily(needs, root, entry);
}

/** A follow-up order pushed under its own number: the order it follows gets as much more or less. */
function onTopOf(family: Family, workOrder: WorkOrder): WorkOrder {
  const index = family.carriers.findIndex((carrier) => carrier.number === workOrder.number);
  const amounts = new Map(linesOf(workOrder.requests).map((line) => [lineKey(line), line.amount]));
  const base = family.wanted.pushed ?? workOrder;
  const requests = base.requests.map((request) => {
    const line = family.lines.find((own) => own.itemNumber === request.itemNumber && own.wanted !== null);
    if (line === undefined) return request;
    const held = (line.decision?.held[index] ?? 0) / (line.factor ?? 1);
    const amount = (line.wanted ?? 0) - held + (amounts.get(line.key) ?? 0);
    return { ...request, requestedAmount: Math.max(1, amount) };
  });
  return { ...base, requests };
}

/** The order as it stands before the word; from its first change on, what was wanted and served so far is kept. */
function familyOf({ orders, wanted, changed }: ChangeNeeds, root: string, entry: ResidentEntry): Family {
  if (!wanted.has(root) || wanted.find(root) === undefined) {
    const order = orders.find(root);
    const first = order === undefined ? nothingSaid : wantedByPush(order.workOrder, 0);
    wanted.save(root, { wanted: first, served: [] });
  }
  const family = changed.read(root);
  if (family === undefined)
    throw new Error(`what is wanted of order ${root} was stored with ${entry.id} and is not there`);
  return family;
}

/** Stores what is wanted now. What the floor cut short of a line before a new word on it is asked for again. */
function saveWanted({ wanted, ledger }: ChangeNeeds, family: Family, next: Wanted, entry: ResidentEntry) {
  const served = wanted.find(family.root)?.served ?? [];
  wanted.save(family.root, { wanted: next, served });
  const changed = next.lines.filter((line) => line.seq === entry.seq);
  const keys = new Set(changed.map(lineKey));
  for (const line of family.lines.filter(({ key }) => keys.has(key))) {
    for (const account of line.accounts.flat()) if (account.cut > 0) ledger.book({ ...account, cut: 0 });
  }
  return changed;
}

const pickedByKey = (family: Family): PickedByKey =>
  new Map(family.lines.map((line) => [line.key, pickedOf(line.accounts.flat())]));

/** The most that the platform may have of a line, in the line's own unit: as it was served, or as it has shown it. */
function mostOf(family: Family, names: LineNames): number {
  const key = lineKey(names);
  const line = family.lines.find((own) => own.key === key);
  return family.carriers.reduce((total, { served }, index) => {
    const amounts = served.map((content) => sum(content.map((own) => (lineKey(own) === key ? own.amount : 0))));
    const shown = sum((line?.accounts[index] ?? []).map((account) => inUnit(account, line?.factor ?? 1)));
    return total + Math.max(shown, ...amounts);
  }, 0);
}

const inUnit = ({ requested, factor }: LedgerLine, common: number): number =>
  factor === null ? requested : requested / common;

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
