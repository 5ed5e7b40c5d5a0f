import type { UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import type { RunningLine, RunningOrder } from "../orders/running-order.ts";
import { add } from "../records/platform-records.ts";
import {
  groupsOf,
  type MemberOrder,
  mayHave,
  memberOf,
  noteHistory,
  type OrderGroup,
  openIn,
  shareOut,
} from "./simulated-order-group.ts";

/** Called when work has started: from now on the order is not rewritten. */
export function begin(orderGroup: OrderGroup, number: string): MemberOrder {
  const member = memberOf(orderGroup, number);
  if (member.state !== "waiting") return member;
  if (number !== orderGroup.number) {
    for (const group of groupsOf(orderGroup)) mayHave(member, group, shareOut(orderGroup, group).waiting);
  }
  member.state = "running";
  return member;
}

interface Step {
  readonly running: RunningOrder;
  readonly line: RunningLine;
  readonly amount: number;
  /** The model that the step contained. */
  readonly model: UpdateWorkOrderRequest;
}

/** Records a confirmed step: the picked amount, and the amounts in its model. */
export function bookStep(orderGroup: OrderGroup, { running, line, amount, model }: Step): MemberOrder {
  const member = begin(orderGroup, running.order.number);
  member.floor = running;
  const group = groupOf(orderGroup, line);
  if (group !== undefined) add(member.picked, group, amount);
  line.isStepped = true;
  const shown = new Map<string, number>();
  for (const one of model.itemRequests ?? []) {
    const own = running.lines.find(({ requestId }) => requestId === one.requestId);
    const ownGroup = own === undefined ? undefined : groupOf(orderGroup, own);
    if (own === undefined || ownGroup === undefined) continue;
    const open = one.isCancelled === true ? own.picked : (one.requestedAmount ?? 0);
    add(shown, ownGroup, open + own.before);
  }
  member.shown.clear();
  for (const [key, amountShown] of shown) member.shown.set(key, amountShown);
  member.isShown = true;
  return member;
}

/** Records a placement at the put wall. It shows no amounts, so the largest content served counts as the platform's. */
export function bookPlacement(orderGroup: OrderGroup, number: string, line: RunningLine, amount: number): MemberOrder {
  const member = begin(orderGroup, number);
  if (!member.isShown) {
    for (const [group, most] of member.mostServed) member.shown.set(group, most);
    member.isShown = true;
  }
  const group = groupOf(orderGroup, line);
  if (group !== undefined) add(member.picked, group, amount);
  noteHistory(orderGroup, `${number} placed ${amount} of ${line.itemNumber}`);
  return member;
}

/** Records that the floor has given up these lines. */
export function bookShortPick(orderGroup: OrderGroup, number: string, lines: readonly RunningLine[]): void {
  const member = begin(orderGroup, number);
  for (const group of new Set(lines.map((line) => groupOf(orderGroup, line))))
    if (group !== undefined) shortPick(orderGroup, member, group);
  noteHistory(orderGroup, `${number} gave up ${lines.map(({ externalId }) => externalId).join(", ")}`);
}

/** Records that the platform has reported the order as finished. */
export function bookEnd(orderGroup: OrderGroup, number: string): void {
  const member = begin(orderGroup, number);
  for (const group of groupsOf(orderGroup)) shortPick(orderGroup, member, group);
  member.state = "ended";
  noteHistory(orderGroup, `${number} ended`);
}

function shortPick(orderGroup: OrderGroup, member: MemberOrder, group: string): void {
  const picked = member.picked.get(group) ?? 0;
  const given = (shareOut(orderGroup, group).targets.get(member) ?? picked) - picked;
  // If the order has shown no amounts, the amount that was given up is unknown too.
  if (given > 0 && Number.isFinite(openIn(member, group))) add(orderGroup.shortPicked, group, given);
  member.shown.set(group, picked);
}

const groupOf = (orderGroup: OrderGroup, { externalId, itemNumber }: RunningLine): string | undefined =>
  orderGroup.lines.get(externalId ?? itemNumber)?.group;
