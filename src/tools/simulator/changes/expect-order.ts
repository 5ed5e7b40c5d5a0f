import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Tally } from "../calls/call-tally.ts";
import type { RunningOrder } from "../orders/running-order.ts";
import {
  amountsIn,
  groupsOf,
  isChanged,
  linesOf,
  type MemberOrder,
  mayBeUncertain,
  memberOf,
  noteHistory,
  type OrderGroup,
  openIn,
  pickedOf,
  shareOut,
  wantedOf,
} from "./order-group.ts";

/** The amount of a group that a fetch of the order must show, in base units; null if several amounts are allowed. */
function expectedContent(orderGroup: OrderGroup, member: MemberOrder, group: string): number | null {
  const { targets, waiting } = shareOut(orderGroup, group);
  if (member.state === "waiting") return waiting;
  if (member !== orderGroup.members[0]) return null;
  const others = orderGroup.members.slice(1).reduce((sum, one) => sum + (targets.get(one) ?? 0), 0);
  return Math.max(0, wantedOf(orderGroup, group) - others - waiting);
}

/** Compares a fetched content with what is wanted. */
export function expectContent(orderGroup: OrderGroup, content: WorkOrder, tally: Tally): void {
  if (!isChanged(orderGroup)) return;
  const member = memberOf(orderGroup, content.number);
  const found = amountsIn(orderGroup, content);
  const expected = groupsOf(orderGroup).map((group) => [group, expectedContent(orderGroup, member, group)] as const);
  // If nothing is left, the order is shown unchanged, with a text that says so.
  if (expected.every(([, amount]) => amount === null || amount === 0)) return;
  for (const [group, amount] of expected) {
    const factor = linesOf(orderGroup, group)[0]?.factor ?? 1;
    // If an item has several lines, the adapter decides which line a placement counts for.
    if (amount === null || mayBeUncertain(orderGroup, group) || linesOf(orderGroup, group).length > 1) continue;
    const whole = Math.ceil(amount / factor);
    const fetched = (found.get(group) ?? 0) / factor;
    if (whole === fetched) continue;
    tally.note({
      kind: "change",
      order: content.number,
      item: linesOf(orderGroup, group)[0]?.content.itemNumber ?? null,
      text: `a fetch of the order shows another amount than is wanted of it (line ${group})`,
      expected: String(whole),
      found: String(fetched),
      calls: [...orderGroup.history],
    });
  }
}

/** Whether anything of this order is still wanted. */
export const isWanted = (orderGroup: OrderGroup, number: string): boolean =>
  groupsOf(orderGroup).some((group) => (expectedContent(orderGroup, memberOf(orderGroup, number), group) ?? 1) > 0);

/** Whether a scan must find the order. A finished one need not be found. */
export function isFindable(orderGroup: OrderGroup, number: string): boolean {
  const member = memberOf(orderGroup, number);
  if (member.state === "waiting") return isWanted(orderGroup, number);
  const held = (group: string) =>
    (shareOut(orderGroup, group).targets.get(member) ?? 0) - (member.picked.get(group) ?? 0);
  return groupsOf(orderGroup).some((group) => held(group) > 0);
}

/** Whether there must be a follow-up that was not started. */
export const hasWaiting = (orderGroup: OrderGroup): boolean =>
  orderGroup.members[0].state !== "waiting" &&
  groupsOf(orderGroup).some((group) => shareOut(orderGroup, group).waiting > 0);

/** Compares what the external system finally wants with what the floor has picked. Returns the number of orders. */
export function compareOrderGroups(orderGroups: Iterable<OrderGroup>, tally: Tally): number {
  let compared = 0;
  for (const orderGroup of orderGroups) {
    if (!isChanged(orderGroup)) continue;
    compared++;
    for (const group of groupsOf(orderGroup)) compareGroup(orderGroup, group, tally);
  }
  return compared;
}

/** A surplus is not checked here but with every step: it was picked before the change could reach the floor. */
function compareGroup(orderGroup: OrderGroup, group: string, tally: Tally): void {
  const [line] = linesOf(orderGroup, group);
  const wanted = wantedOf(orderGroup, group);
  const picked = pickedOf(orderGroup, group);
  if (line === undefined || picked >= wanted || orderGroup.uncertain.has(group)) return;
  const held = orderGroup.members.reduce((sum, member) => sum + openIn(member, group), 0);
  // The last model that was sent still contained these pieces, and the contract has no other way to report the change.
  const isDoubt = held >= wanted - picked;
  tally.note({
    kind: isDoubt ? "doubt" : "amount",
    order: orderGroup.number,
    item: line.content.itemNumber,
    text: isDoubt
      ? `no step has told the adapter that less is picked of line ${group}`
      : `less is picked of line ${group} than is wanted`,
    expected: String(wanted),
    found: String(picked),
    calls: [...orderGroup.history],
  });
}

interface AnsweredStep {
  readonly running: RunningOrder;
  readonly member: MemberOrder;
  /** The model as it was sent, and as it came back; null if nothing was to be changed. */
  readonly model: UpdateWorkOrderRequest;
  readonly update: UpdateWorkOrderRequest | null;
  readonly message: string | null;
}

/** Compares the offer in a step's answer with what is wanted: every line that shows too much, and no other line. */
export function expectOffer(orderGroup: OrderGroup, step: AnsweredStep, tally: Tally): void {
  const { running, member, model, update, message } = step;
  for (const shown of model.itemRequests ?? []) {
    const line = running.lines.find(({ requestId }) => requestId === shown.requestId);
    const key = line?.externalId ?? line?.itemNumber ?? "";
    const group = orderGroup.lines.get(key)?.group;
    if (line === undefined || group === undefined || linesOf(orderGroup, group).length > 1) continue;
    const stepAmount = (member.picked.get(group) ?? 0) - line.before;
    const amount = shown.isCancelled === true ? stepAmount : (shown.requestedAmount ?? 0);
    const target = Math.max(stepAmount, (shareOut(orderGroup, group).targets.get(member) ?? 0) - line.before);
    const expected = Math.min(amount, target);
    if (mayBeUncertain(orderGroup, group) && message !== null) orderGroup.uncertain.add(group);
    const found = offeredFor(update, shown.requestId ?? null, amount, stepAmount);
    if (found === expected) continue;
    // The line was fetched again and had no step since, so it is unknown whether it includes earlier picks.
    if (line.isRenewed && !line.isStepped) continue;
    if (mayBeUncertain(orderGroup, group) && found === amount && message !== null) continue;
    tally.note({
      kind: "change",
      order: running.order.number,
      item: line.itemNumber,
      text:
        expected < amount && found === amount
          ? `a change pushed before the step did not come with its answer (line ${key})`
          : `the answer to a step offers another amount than is wanted (line ${key})`,
      expected: `${expected} of ${amount}`,
      found: `${found}`,
      calls: [...orderGroup.history],
    });
  }
}

/** The amount of a line that the platform would have after applying the answer. */
function offeredFor(
  update: UpdateWorkOrderRequest | null,
  requestId: number | null,
  amount: number,
  picked: number,
): number {
  const offered = update?.itemRequests?.find((one) => one.requestId === requestId);
  if (offered === undefined) return amount;
  return offered.isCancelled === true ? picked : (offered.requestedAmount ?? amount);
}

/**
 * Reads from a text how many pieces to put aside now, by item, in any language: `item: … amount …`, or a list at its
 * very end.
 */
function asideIn(message: string | null): ReadonlyMap<string, number> {
  const single = /^(?<item>\S+) ?: \D*(?<amount>[\d.]*\d)/.exec(message ?? "")?.groups;
  if (single !== undefined) return new Map([[single["item"] ?? "", Number(single["amount"])]]);
  const list = (/: ([^:]+)\.$/.exec(message ?? "")?.[1]?.split(", ") ?? []).filter((one) => one !== "…");
  const parts = list.map((one) => /^(\S+) × ([\d.]+)(?: \S+)?$/.exec(one));
  // A list with another sentence after it is about what is still to be picked.
  if (parts.includes(null)) return new Map();
  return new Map(parts.flatMap((found) => (found === null ? [] : [[found[1] ?? "", Number(found[2])] as const])));
}

function countAnnounced({ announcedExcess }: MemberOrder, message: string | null): void {
  for (const [item, amount] of asideIn(message)) announcedExcess.set(item, (announcedExcess.get(item) ?? 0) + amount);
}

/**
 * Counts what the operator was told to put aside of an order that has not changed. An order that was fetched again may
 * be picked twice, and the adapter does not repeat after a change what it has already told. A text that names no order
 * is about a single line and does not count.
 */
export function noteAnnounced(orderGroup: OrderGroup, order: string, message: string | null): void {
  const member = orderGroup.members.find(({ number }) => number === order);
  if (member !== undefined && message?.includes(order) === true) countAnnounced(member, message);
}

/**
 * An operator who holds more of an item than is wanted must be told how many pieces to put aside. All texts together
 * must name exactly the surplus, because pieces that already lie aside are not named again.
 */
export function expectWarning(
  orderGroup: OrderGroup,
  { item, order, message }: { readonly item: string; readonly order: string; readonly message: string | null },
  tally: Tally,
): void {
  const lines = [...orderGroup.lines.values()].filter(({ content }) => content.itemNumber === item);
  const [first] = lines;
  if (first === undefined) return;
  const groups = new Set(lines.map(({ group }) => group));
  const picked = [...groups].reduce((sum, group) => sum + pickedOf(orderGroup, group), 0);
  const wanted = lines.reduce((sum, line) => sum + line.wanted, 0);
  // Numbers of orders and items contain digits too.
  const text = message?.replaceAll(order, "").replaceAll(item, "") ?? null;
  const note = (what: string, expected: string) =>
    tally.note({
      kind: "change",
      order,
      item,
      text: what,
      expected,
      found: message ?? "no text",
      calls: [...orderGroup.history],
    });
  const member = orderGroup.members.find(({ number }) => number === order);
  if (member === undefined) return;
  const { announcedExcess } = member;
  countAnnounced(member, message);
  const tooMuch = picked / first.factor - wanted;
  // The surplus that an adapter would compute if it read both amounts in the same unit.
  const misread = picked - wanted;
  if (tooMuch <= 0 && misread > 0 && isNamed(misread, text)) {
    note("the operator is told to put goods aside that are wanted", "no such text");
  }
  const here = [...groups].reduce((sum, group) => sum + (member.picked.get(group) ?? 0), 0) / first.factor;
  // Only pieces picked in this order are put aside here. Pieces of other orders may be named in the texts of those.
  const most = Math.min(here, tooMuch);
  const least = tooMuch - (picked / first.factor - here);
  const announced = announcedExcess.get(item) ?? 0;
  // Pieces that are wanted again are no surplus any more. They have to be named again if they become one later.
  announcedExcess.set(item, Math.min(announced, Math.max(0, most)));
  if (first.unit !== UnitOfMeasure.Piece) return;
  const found =
    announced < least ? "not told to put aside all pieces that are too much" : "told to put aside too many pieces";
  if (announced >= least && (announced <= Math.max(0, most) || asideIn(message).size === 0)) return;
  note(`the operator is ${found}`, `${least === most ? most : `${least} to ${most}`} in all, ${announced} were told`);
}

const isNamed = (amount: number, message: string | null): boolean =>
  new RegExp(`(?<!\\d)${amount}(?!\\d)`).test((message ?? "").replace(/(?<=\d)[\s.,](?=\d{3}(?!\d))/g, ""));

/** One line of the history for a step and its result. */
export function noteStep(
  orderGroup: OrderGroup,
  what: string,
  { running, model, update, message }: AnsweredStep,
): void {
  const lines = (model.itemRequests ?? []).map((one) => {
    const offered = update?.itemRequests?.find(({ requestId }) => requestId === one.requestId);
    const now = offered?.isCancelled === true ? "cancelled" : (offered?.requestedAmount ?? one.requestedAmount);
    const before = one.isCancelled === true ? "cancelled" : one.requestedAmount;
    return `${one.requestId}=${one.externalIdentifier} ${before}${now === before || before === "cancelled" ? "" : ` offered ${now}`}`;
  });
  noteHistory(
    orderGroup,
    `${running.order.number} step ${what}; shown ${lines.join(", ")}${message === null ? "" : `; "${message}"`}`,
  );
}
