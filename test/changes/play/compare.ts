import { isDeepStrictEqual } from "node:util";
import type { ChangeReceipt } from "../../../src/contract/change-receipt.ts";
import type { UpdateWorkOrderRequest } from "../../../src/contract/schemas/confirm-step.ts";
import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import type { BookedChange, DueReceipt } from "../model/change-book.ts";
import { isReplaced } from "../model/change-book.ts";
import type { Expected, Model } from "../model/model.ts";
import { type Content, isOpen, lastContent, type MemberOrder, type OrderGroup } from "../model/order-group.ts";
import { asideIn, isCalledOff } from "../model/reconcile.ts";
import { lineKey } from "./apply-changes.ts";
import type { Answered, Scanned } from "./world.ts";

/** What was expected and what came, where they differ. */
export interface Difference {
  readonly what: string;
  readonly expected: unknown;
  readonly got: unknown;
}

type FactorOf = (item: string) => number;
type Amounts = Record<string, number>;

const differ = (what: string, expected: unknown, got: unknown): Difference[] =>
  isDeepStrictEqual(expected, got) ? [] : [{ what, expected, got }];

function sorted(amounts: Iterable<readonly [string, number]>): Amounts {
  const sums = new Map<string, number>();
  for (const [key, amount] of amounts) sums.set(key, (sums.get(key) ?? 0) + amount);
  return Object.fromEntries([...sums].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The amounts of an order by line, or by item where its lines cannot be told apart. */
const amountsOf = (order: WorkOrder, group: OrderGroup, factorOf: FactorOf): Amounts =>
  sorted(
    order.requests.map(({ itemNumber: item, requestedAmount, requestExternalIdentifier, lotNumber }) => [
      group.isByItem ? item : lineKey({ externalId: requestExternalIdentifier ?? null, item, lot: lotNumber ?? null }),
      requestedAmount * factorOf(item),
    ]),
  );

const expectedAmounts = (content: Content, group: OrderGroup): Amounts =>
  sorted([...content].map(([key, amount]) => [group.isByItem ? (group.lines.get(key)?.item ?? key) : key, amount]));

export function compareList(orders: readonly WorkOrder[], model: Model, factorOf: FactorOf): Difference[] {
  const listed = new Map(orders.map((order) => [order.number, order]));
  return [...model.groups.values()].flatMap((group) => {
    if (isOpen(group)) return [];
    const waiting = group.members.filter(({ state, content }) => state === "waiting" && content.size > 0);
    const expected = waiting.map(({ number, content }) => [number, expectedAmounts(content, group)]);
    const got = [...listed.values()]
      .filter(({ number }) => number === group.number || number.startsWith(`${group.number}-F`))
      .map((order) => [order.number, amountsOf(order, group, factorOf)]);
    return differ("listed orders", Object.fromEntries(expected), Object.fromEntries(got));
  });
}

export function compareScan(
  member: MemberOrder,
  group: OrderGroup,
  scanned: Scanned,
  factorOf: FactorOf,
): Difference[] {
  const what = `scan of ${member.number}`;
  const isFound = group.isPushed && member.state !== "ended" && (member.state === "running" || member.content.size > 0);
  const found = differ(`${what}: found`, isFound, scanned.order !== undefined);
  if (found.length > 0 || scanned.order === undefined) return found;
  const isCalledOff = member.content.size === 0;
  const content = isCalledOff ? lastContent(group, member) : member.content;
  const amounts = content === undefined ? {} : expectedAmounts(content, group);
  return [
    ...differ(`${what}: amounts`, amounts, amountsOf(scanned.order, group, factorOf)),
    ...(isCalledOff ? differ(`${what}: has a text`, true, scanned.text !== undefined) : []),
    ...compareCancelled(member, group, scanned.text),
    ...(group.isChanged ? [] : differ(`${what}: has a text`, false, scanned.text !== undefined)),
  ];
}

/** The received model with only the affected lines changed; null where there is nothing to say. */
export function expectedUpdate(
  { offers }: Expected,
  received: UpdateWorkOrderRequest | null | undefined,
): UpdateWorkOrderRequest | null {
  if (!offers || !received) return null;
  const itemRequests = received.itemRequests?.map((line) => {
    const offer = offers.get(line.requestId ?? 0);
    if (offer === undefined) return line;
    return offer === 0 ? { ...line, isCancelled: true } : { ...line, requestedAmount: offer };
  });
  return { ...received, ...(itemRequests === undefined ? {} : { itemRequests }) };
}

export const updateOf = ({ outcome }: Answered): UpdateWorkOrderRequest | null =>
  // The data of a confirmed step has this one member.
  outcome.ok
    ? ((outcome.data as { updateWorkOrderRequest?: UpdateWorkOrderRequest | null } | null)?.updateWorkOrderRequest ??
      null)
    : null;

export function compareUpdate(
  { offers }: Expected,
  updated: UpdateWorkOrderRequest | null,
  answered: Answered,
): Difference[] {
  if (offers === undefined) return [];
  if (!answered.outcome.ok) return [{ what: "answer of the step", expected: "success", got: answered.outcome }];
  return differ("update returned by the step", updated, updateOf(answered));
}

export function compareAttach({ attach }: Expected, { outcome }: Answered): Difference[] {
  return attach === undefined
    ? []
    : differ("answer of the attachment", attach, outcome.ok ? "Success" : outcome.result);
}

/** The texts that say that nothing more of an order is to be picked. */
const stopKeys: ReadonlySet<string> = new Set(["events.order-cancelled", "events.nothing-left"]);

/** `A × 2, M × 3 m` by item. */
function goodsOf(text: Scanned["text"]): ReadonlyMap<string, number> {
  const goods = typeof text === "object" ? String(text.values["goods"] ?? "") : "";
  const entries = goods === "" ? [] : goods.split(", ").map((one) => one.split(" × "));
  return new Map(entries.map(([item = "", amount = ""]) => [item, Number.parseFloat(amount)]));
}

/** Whoever scans an order that has nothing left is told what is to lie aside of each item. */
function compareCancelled(member: MemberOrder, group: OrderGroup, text: Scanned["text"]): Difference[] {
  if (typeof text !== "object" || !stopKeys.has(text.key)) return [];
  const what = `scan of ${member.number}: text`;
  const isOff = differ(what, isCalledOff(group), text.key === "events.order-cancelled");
  const lines = [...group.lines.values()];
  // What is told while a unit is in doubt is in whatever unit was shown.
  if (isOff.length > 0 || lines.some(({ factor }) => factor !== 1)) return isOff;
  const items = [...new Set(lines.map(({ item }) => item))];
  const right = items.map((item) => [item, asideIn(group, member, item)] as const).filter(([, amount]) => amount > 0);
  return differ(`scan of ${member.number}: pieces to put aside`, sorted(right), sorted(goodsOf(text)));
}

export function comparePutAside({ putAside, group }: Expected, { outcome }: Answered): Difference[] {
  if (putAside === undefined || group === undefined) return [];
  const { message } = outcome;
  const text = typeof message === "object" ? message : undefined;
  const isStop = text !== undefined && stopKeys.has(text.key);
  const stop = differ("whether to stop", putAside.isStop, isStop);
  if (stop.length > 0 || !putAside.isSure) return stop;
  const asided = text?.key === "events.put-aside" ? Number.parseFloat(String(text.values["amount"])) : 0;
  const told = isStop ? (goodsOf(text).get(putAside.item) ?? 0) : asided;
  // In the line's own unit; a part of one may be told in the base unit.
  const right = [putAside.amount / putAside.factor, putAside.amount];
  return right.includes(told) ? [] : [{ what: "pieces to put aside now", expected: right[0], got: told }];
}

export function compareReceipts(expected: Expected, answered: Answered, model: Model, prefix: string): Difference[] {
  const receipts = answered.emits
    // Everything this topic carries has this form.
    .flatMap(({ topic, payload }) => (topic === "changeReceipt" ? [payload as ChangeReceipt] : []))
    .filter(({ workOrderNumber }) => workOrderNumber.startsWith(prefix));
  const isCompared = ({ orderNumber, isOpen }: BookedChange) =>
    !isOpen && !isOpenIn(model, orderNumber) && !isVague(model, orderNumber);
  const due = new Map(expected.due.map((one) => [one.change, one]));
  const differences: Difference[] = [];
  for (const receipt of receipts) {
    const change = model.changes.find((one) => !one.isTold && isOf(receipt, one));
    if (change === undefined && (isOpenIn(model, receipt.workOrderNumber) || isMixed(model, receipt))) continue;
    if (change === undefined || (isReplaced(change) && isCompared(change))) {
      differences.push({ what: "receipt", expected: "none (told before, replaced or no change)", got: receipt });
      continue;
    }
    change.isTold = true;
    // Removed is true as soon as nobody can have had more; that it is told early is no mistake.
    const isSurely = receipt.receipt === "removed" && change.mostPossible <= change.target && !due.has(change);
    if (isCompared(change) && !isSurely) differences.push(...compareReceipt(due.get(change), receipt));
    else if (receipt.receipt === "applied" && change.keys.length > 0 && change.mostPossible <= change.target) {
      differences.push({ what: "receipt", expected: "not applied: the platform never had more", got: receipt });
    }
    due.delete(change);
  }
  for (const { change, states, mayWait } of due.values()) {
    if (!isCompared(change) || mayWait) continue;
    change.isTold = true;
    const { pushId, item, externalId, amount } = change;
    differences.push({ what: "receipt", expected: { pushId, item, externalId, amount, states }, got: "none" });
  }
  return differences;
}

function isOpenIn(model: Model, orderNumber: string): boolean {
  const group = model.groups.get(orderNumber);
  return group !== undefined && isOpen(group);
}

/** Where the factor is in doubt, or lines of an item cannot be told apart, amounts of receipts cannot be judged. */
function isVague(model: Model, orderNumber: string): boolean {
  const group = model.groups.get(orderNumber);
  if (group === undefined || group.isByItem) return true;
  return group.members.some((member) =>
    [...group.lines.keys()].some((key) => !model.isFactorKnown(group, member, key)),
  );
}

/** A receipt without an external id, of an item that other lines have one for: it does not say which line it means. */
function isMixed(model: Model, { workOrderNumber, requestExternalIdentifier, itemNumber }: ChangeReceipt): boolean {
  const lines = [...(model.groups.get(workOrderNumber)?.lines.values() ?? [])].filter(
    ({ item }) => item === itemNumber,
  );
  return requestExternalIdentifier === undefined && lines.length > 1;
}

const isWithoutId = ({ requestExternalIdentifier }: ChangeReceipt): boolean => requestExternalIdentifier === undefined;

const isOf = (receipt: ChangeReceipt, { pushId, externalId, item, lot, amount, scope }: BookedChange): boolean =>
  receipt.pushId === pushId &&
  receipt.requestedAmount === amount &&
  (scope === "order" ||
    (externalId === null
      ? receipt.itemNumber === item && isWithoutId(receipt) && (receipt.lotNumber ?? null) === lot
      : receipt.requestExternalIdentifier === externalId));

function compareReceipt(due: DueReceipt | undefined, receipt: ChangeReceipt): Difference[] {
  if (due === undefined) return [{ what: "receipt", expected: "none yet", got: receipt }];
  const { states, picked, change } = due;
  if (!states.includes(receipt.receipt)) return [{ what: "receipt", expected: states, got: receipt }];
  if (receipt.receipt !== "partly" && receipt.receipt !== "too-late") return [];
  const right = [picked / change.factor, picked];
  const isRight = receipt.pickedAmount !== undefined && right.includes(receipt.pickedAmount);
  return isRight || change.scope === "order"
    ? []
    : [{ what: "receipt", expected: { pickedAmount: right[0] }, got: receipt }];
}
