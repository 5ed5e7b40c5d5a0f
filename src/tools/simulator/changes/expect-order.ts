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
} from "./simulated-order-group.ts";

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
