import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { oncePer } from "../../kit/recent-values.ts";
import { lineKey, namesOf } from "../ledger/line-ref.ts";
import type { OrderStore } from "../order-store.ts";
import { isOrderEnded, isWaiting, type MemberOrder } from "./group/member-order.ts";
import { total } from "./line-amounts.ts";
import type { GroupLine, OrderGroup } from "./order-group.ts";
import { type FollowUps, followUpContent } from "./read-changed-order.ts";
import { inTurn, wholeUnits } from "./reconcile.ts";
import { type ServedContent, servedContent } from "./served/served-content.ts";
import { isPicked, isUnchanged, neverPushed, type Wanted } from "./wanted.ts";
import type { WantedTable } from "./wanted-table.ts";

interface Needs {
  readonly orders: OrderStore;
  readonly wanted: WantedTable;
  readonly followUps: FollowUps;
}

/** Gives every order of the group the content that was decided for it: what lists and scans return from now on. */
export function writeContents(needs: Needs, group: OrderGroup, receivedAt: number): void {
  const [main] = group.members;
  // An order that was never pushed has no content here, and nothing can be added to it.
  if (main?.order === undefined || group.wanted.pushed === null) return;
  writeMain(needs, group, main);
  // An order without a change keeps whatever the platform shows of it.
  if (isUnchanged(group.wanted)) return;
  writeRunning(needs, group);
  writeFollowUp(needs, group, receivedAt);
}

/**
 * The content the order itself is to have; null when nothing of it is wanted or its follow-up orders hold everything.
 */
const mainContent = (group: OrderGroup): WorkOrder | null => contentWith(group.wanted, amountsBy(group, mainAmount));

/** Whether nothing of the order is wanted, or its follow-up orders hold everything. */
export function isMainEmpty({ wanted, lines }: OrderGroup): boolean {
  const keys = pickedKeys(wanted);
  return !lines.some((line) => mainAmount(line) > 0 && keys.has(lineKey(line)));
}

const pickedKeys = oncePer(
  ({ pushed, gone }: Wanted): ReadonlySet<string> =>
    new Set([...(pushed?.requests ?? []), ...gone].filter(isPicked).map((line) => lineKey(namesOf(line)))),
);

/** Contents that were found to be the decided ones, and the amounts they were decided from. */
const decided = new WeakMap<WorkOrder, { readonly wanted: Wanted; readonly amounts: readonly number[] }>();

const keepDecided = (group: OrderGroup, content: WorkOrder, amountOf: (line: GroupLine) => number) =>
  decided.set(content, { wanted: group.wanted, amounts: group.lines.map(amountOf) });

/** Whether the order has the decided content already. Making ten thousand lines to compare them would take too long. */
function isDecided(group: OrderGroup, { order }: MemberOrder, amountOf: (line: GroupLine) => number): boolean {
  const known = order === undefined ? undefined : decided.get(order.workOrder);
  if (known?.wanted !== group.wanted || known.amounts.length !== group.lines.length) return false;
  return group.lines.every((line, index) => amountOf(line) === known.amounts[index]);
}

function writeMain(needs: Needs, group: OrderGroup, main: MemberOrder): void {
  const { orders } = needs;
  const { pushed } = group.wanted;
  if (isOrderEnded(main)) {
    // Nobody can fetch an order that has ended. New lines would count as served although they never were.
    const requests = main.order?.workOrder.requests ?? [];
    if (pushed !== null) replaceContent(needs, main, { ...pushed, number: main.number, requests });
    return;
  }
  if (isDecided(group, main, mainAmount)) {
    if (isWaiting(main)) orders.setState(main.number, "waiting");
    return;
  }
  const content = mainContent(group);
  if (content === null) {
    // Nothing is wanted any more. An order that is being picked can still be scanned: the answer says that nothing is
    // left.
    if (isWaiting(main)) orders.setState(main.number, "cancelled");
    return;
  }
  const stored = replaceContent(needs, main, { ...content, number: main.number });
  keepDecided(group, stored, mainAmount);
  if (isWaiting(main)) orders.setState(main.number, "waiting");
}

/** What the order itself has of a line. While the unit is in doubt: all that is wanted, in whole units. */
const mainAmount = ({ wanted, factor, decision }: GroupLine): number =>
  decision === null || factor === null ? wholeUnits(wanted ?? 0, 1) : decision.content.own;

const followUpAmount = ({ factor, decision }: GroupLine): number =>
  decision === null || factor === null ? 0 : decision.content.followUp;

/** Updates follow-up orders that are being picked, so that a scan returns what is wanted now. */
function writeRunning(needs: Needs, group: OrderGroup): void {
  for (const [index, member] of group.members.entries()) {
    if (index === 0 || member.order === undefined || isWaiting(member) || isOrderEnded(member)) continue;
    const amountOf = runningAmount(group, index);
    if (isDecided(group, member, amountOf)) continue;
    const content = runningContent(group, index);
    // If nothing is left, the order keeps its lines, and the text of a scan says that nothing is left.
    if (content === null) continue;
    const stored = replaceContent(needs, member, followUpContent(member.number, group.root, content));
    keepDecided(group, stored, amountOf);
  }
}

/** The content a running follow-up order is to have; null when nothing is left for it. */
export const runningContent = (group: OrderGroup, index: number): WorkOrder | null =>
  contentWith(group.wanted, amountsBy(group, runningAmount(group, index)));

/** What a running follow-up order is to have of a line. */
function runningAmount(group: OrderGroup, index: number): (line: GroupLine) => number {
  let present: ReadonlyMap<string, ServedContent> | undefined;
  return ({ key, factor, decision }) => {
    if (decision !== null && factor !== null) return wholeUnits(decision.heldAmounts[index] ?? 0, factor);
    // While the unit is in doubt, nobody knows what is left of it here: it stays as it is.
    present ??= Map.groupBy(servedContent(group.members[index]?.order?.workOrder.requests ?? []), lineKey);
    return total((present.get(key) ?? []).map(({ amount }) => amount));
  };
}

function writeFollowUp(needs: Needs, group: OrderGroup, receivedAt: number): void {
  const { orders, wanted, followUps } = needs;
  const [main, ...others] = group.members;
  if (main === undefined) return;
  const [waiting, ...spare] = others.filter(isWaiting);
  if (waiting !== undefined && !isWaiting(main) && isDecided(group, waiting, followUpAmount)) {
    for (const member of spare) withdraw(orders, member);
    orders.setState(waiting.number, "waiting");
    return;
  }
  const isAny = !isWaiting(main) && group.lines.some((line) => followUpAmount(line) > 0);
  const content = isAny ? contentWith(group.wanted, amountsBy(group, followUpAmount)) : null;
  // One waiting follow-up order is enough: the oldest takes everything, and the others are withdrawn.
  for (const member of content === null && waiting !== undefined ? [waiting, ...spare] : spare)
    withdraw(orders, member);
  if (content === null) return;
  if (waiting !== undefined) {
    const stored = replaceContent(needs, waiting, followUpContent(waiting.number, group.root, content));
    keepDecided(group, stored, followUpAmount);
    orders.setState(waiting.number, "waiting");
    return;
  }
  const number = followUps.add(group.root);
  orders.insert(followUpContent(number, group.root, content), receivedAt);
  wanted.save(number, neverPushed);
}

const amountsBy = ({ lines }: OrderGroup, of: (line: GroupLine) => number): Map<string, number> =>
  new Map(lines.map((line) => [lineKey(line), of(line)]));

function withdraw(orders: OrderStore, { number, order }: MemberOrder): void {
  if (order?.state === "waiting") orders.setState(number, "cancelled");
}

/**
 * Stores the new content and keeps the previous one, because the platform may have fetched it. Returns the content that
 * is stored then.
 */
function replaceContent({ orders, wanted }: Needs, { number, order }: MemberOrder, content: WorkOrder): WorkOrder {
  if (order === undefined) return content;
  if (isSameContent(order.workOrder, content)) return order.workOrder;
  wanted.addServed(number, order.workOrder);
  orders.replace(number, content);
  return content;
}

/** Compared line by line: writing two contents of ten thousand lines as text would take longer than storing one. */
function isSameContent({ requests, ...head }: WorkOrder, { requests: others, ...otherHead }: WorkOrder): boolean {
  if (requests.length !== others.length || !hasSameMembers(head, otherHead)) return false;
  return requests.every((line, place) => line === others[place] || hasSameMembers(line, others[place] ?? {}));
}

function hasSameMembers(one: object, other: object): boolean {
  const [members, others] = [Object.entries(one), Object.entries(other)];
  if (members.length !== others.length) return false;
  return members.every(([name, value], place) => {
    const [otherName, otherValue] = others[place] ?? [];
    if (name !== otherName) return false;
    return value === otherValue || (typeof value === "object" && JSON.stringify(value) === JSON.stringify(otherValue));
  });
}

/** Returns what each line gets. Only lines that cannot be told apart are grouped: nearly all lines have their own key. */
function sharesOf(known: readonly RequestLine[], amounts: ReadonlyMap<string, number>): (line: RequestLine) => number {
  const firsts = new Map<string, RequestLine>();
  const several = new Map<string, RequestLine[]>();
  for (const line of known) {
    if (!isPicked(line)) continue;
    const key = lineKey(namesOf(line));
    const first = firsts.get(key);
    const others = several.get(key);
    if (first === undefined) firsts.set(key, line);
    else if (others === undefined) several.set(key, [first, line]);
    else others.push(line);
  }
  const shares = new Map<RequestLine, number>();
  for (const [key, indistinguishable] of several) {
    const had = indistinguishable.map(({ requestedAmount }) => requestedAmount);
    for (const [place, share] of inTurn(amounts.get(key) ?? 0, had).entries()) {
      const line = indistinguishable[place];
      if (line !== undefined) shares.set(line, share);
    }
  }
  return (line) => shares.get(line) ?? amounts.get(lineKey(namesOf(line))) ?? 0;
}

/** Returns the lines with these amounts, by line key. Lines that cannot be told apart share their amount in turn. */
export function withAmounts(known: readonly RequestLine[], amounts: ReadonlyMap<string, number>): RequestLine[] {
  const shareOf = sharesOf(known, amounts);
  const lines: RequestLine[] = [];
  for (const line of known) {
    const amount = isPicked(line) ? shareOf(line) : undefined;
    // A line that is not picked is information for the floor and stays as it is.
    if (amount === undefined || (amount > 0 && amount === line.requestedAmount)) lines.push(line);
    else if (amount > 0) lines.push({ ...line, requestedAmount: amount });
  }
  return lines;
}

/** An order's content with these amounts, by line key; null when no line is left to pick. */
function contentWith(wanted: Wanted, amounts: ReadonlyMap<string, number>): WorkOrder | null {
  const { pushed, gone } = wanted;
  if (pushed === null || ![...amounts.values()].some((amount) => amount > 0)) return null;
  const requests = withAmounts([...pushed.requests, ...gone], amounts);
  return requests.some(isPicked) ? { ...pushed, requests } : null;
}
