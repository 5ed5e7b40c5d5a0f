import { RequestType } from "../../../contract/enums.ts";
import type { PushedCancellation } from "../../../contract/pushes.ts";
import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Caller } from "../calls/open-caller.ts";
import type { FloorItem } from "../orders/generate-items.ts";
import { openAmount, type RunningLine } from "../orders/running-order.ts";
import { type Phase, type PlannedChange, phases } from "./change-plan.ts";
import {
  addLine,
  contentText,
  linesOf,
  type MemberOrder,
  noteAmounts,
  noteHistory,
  type OrderGroup,
  type OrderGroupLine,
  openIn,
  shareOut,
} from "./simulated-order-group.ts";

/** The external system as the sender of changes of one order. */
interface ChangeSender {
  readonly push: Caller["push"];
  readonly items: readonly FloorItem[];
  readonly onPushed: (kind: PlannedChange["kind"]) => void;
}

/** Sends the changes that are due, one after the other. */
export async function pushDueChanges(
  sender: ChangeSender,
  orderGroup: OrderGroup,
  at: { readonly phase: Phase; readonly steps: number },
): Promise<void> {
  const { changes } = orderGroup.plan;
  for (let [change] = changes; change !== undefined && isDue(change, at); [change] = changes) {
    changes.shift();
    await pushChange(sender, orderGroup, change);
  }
}

const isDue = (change: PlannedChange, { phase, steps }: { readonly phase: Phase; readonly steps: number }): boolean => {
  const [own, now] = [phases.indexOf(change.phase), phases.indexOf(phase)];
  return own < now || (own === now && change.step <= steps);
};

async function pushChange(
  sender: ChangeSender,
  orderGroup: OrderGroup,
  { kind, draws, isTakenBack }: PlannedChange,
): Promise<void> {
  const [which, amount, form] = draws;
  const lines = [...orderGroup.lines.values()];
  const open = lines.filter(({ wanted }) => wanted > 0);
  const one = <Line>(some: readonly Line[]): Line | undefined => some[which % Math.max(1, some.length)];
  const before = new Map(lines.map(({ key, wanted }) => [key, wanted]));
  let isSent = false;
  if (kind === "cancel-order" && open.length > 0) {
    isSent = await cancel(sender, orderGroup, {}, new Map(lines.map(({ key }) => [key, 0])));
  } else if (kind === "cancel-line") isSent = await setLine(sender, orderGroup, one(open), 0, form);
  else if (kind === "reduce-line") {
    const line = one(open.filter(({ wanted }) => wanted > 1));
    isSent = await setLine(sender, orderGroup, line, 1 + (amount % Math.max(1, (line?.wanted ?? 1) - 1)), form);
  } else if (kind === "raise-line") {
    const line = one(lines.filter(({ group }) => !isBlind(orderGroup, group)));
    const isPushed = form >= 15 || line?.wanted === 0;
    isSent = await setLine(sender, orderGroup, line, (line?.wanted ?? 0) + 1 + (amount % 5), isPushed ? 99 : 0);
  } else if (kind === "add-line") {
    const content = addedLine(sender, orderGroup, draws);
    const isHidden = orderGroup.isPutWall && isBlind(orderGroup, content.itemNumber);
    const targets = isHidden ? before : new Map([...before, [addLine(orderGroup, content).key, 1 + (amount % 6)]]);
    isSent = !isHidden && (await pushOrder(sender, orderGroup, targets));
  } else if (kind === "push-again" && open.length > 0) isSent = await pushOrder(sender, orderGroup, before);
  else if (kind === "restore" && orderGroup.takenBack !== null) {
    const seen = [...orderGroup.takenBack].filter(
      ([key]) => !isBlind(orderGroup, orderGroup.lines.get(key)?.group ?? ""),
    );
    isSent = seen.length > 0 && (await pushOrder(sender, orderGroup, new Map([...before, ...seen])));
  }
  if (!isSent) return;
  sender.onPushed(kind);
  if (isTakenBack === true) {
    const gone = lines.filter(({ key, wanted }) => wanted < (before.get(key) ?? 0));
    orderGroup.takenBack = new Map(gone.map(({ key }) => [key, before.get(key) ?? 0]));
  }
}

/**
 * Pushes a new amount of one line: by the line's id, by its item if that is unambiguous, or by pushing the order again.
 */
async function setLine(
  sender: ChangeSender,
  orderGroup: OrderGroup,
  line: OrderGroupLine | undefined,
  amount: number,
  form: number,
): Promise<boolean> {
  if (line === undefined) return false;
  const lines = [...orderGroup.lines.values()];
  const isAlone = lines.filter(({ content }) => content.itemNumber === line.content.itemNumber).length === 1;
  const targets = new Map([[line.key, amount]]);
  const reduced = amount > 0 ? { requestedAmount: amount } : {};
  if (form < 40) return cancel(sender, orderGroup, { requestExternalIdentifier: line.key, ...reduced }, targets);
  if (form < 55 && isAlone) {
    return cancel(sender, orderGroup, { itemNumber: line.content.itemNumber, ...reduced }, targets);
  }
  return pushOrder(
    sender,
    orderGroup,
    new Map([...lines.map(({ key, wanted }) => [key, wanted] as const), ...targets]),
  );
}

/** Pushes a cancellation or reduction and records it. */
export async function cancel(
  { push }: Pick<ChangeSender, "push">,
  orderGroup: OrderGroup,
  scope: Omit<PushedCancellation, "workOrderNumber">,
  targets: ReadonlyMap<string, number>,
): Promise<boolean> {
  const change = { workOrderNumber: orderGroup.number, ...scope, reason: "simulated" };
  const line = scope.requestExternalIdentifier ?? scope.itemNumber;
  const what = line === undefined ? "the whole order" : `line ${line} to ${scope.requestedAmount ?? 0}`;
  const ids = await push("cancellations", [change], { orders: [orderGroup.number], what });
  if (ids === null) return false;
  noteHistory(orderGroup, `cancellation: ${what}`);
  accept(orderGroup, targets);
  orderGroup.pushedChanges.push({
    pushId: ids[0] ?? "",
    scope: line === undefined ? "order" : "line",
    targets,
    lowered: new Set(),
  });
  return true;
}

async function pushOrder(
  { push }: ChangeSender,
  orderGroup: OrderGroup,
  amounts: ReadonlyMap<string, number>,
): Promise<boolean> {
  const requests = [...orderGroup.lines.values()].flatMap(({ key, content }) => {
    const requestedAmount = amounts.get(key) ?? 0;
    return requestedAmount > 0 ? [{ ...content, requestedAmount }] : [];
  });
  // An order without lines is invalid; the external system would cancel it.
  if (requests.length === 0) return false;
  const order: WorkOrder = { ...orderGroup.order, requests };
  const ids = await push("workOrders", [order], { orders: [orderGroup.number], what: contentText(order) });
  if (ids === null) return false;
  noteHistory(orderGroup, `pushed again: ${contentText(order)}`);
  const changed = [...orderGroup.lines.values()].filter(({ key, wanted }) => (amounts.get(key) ?? 0) !== wanted);
  const lowered = new Set(
    changed
      .filter((line) => (amounts.get(line.key) ?? 0) < Math.min(line.wanted, mostHad(orderGroup, line)))
      .map(({ key }) => key),
  );
  const targets = new Map(changed.map(({ key }) => [key, amounts.get(key) ?? 0]));
  accept(orderGroup, targets);
  orderGroup.pushedChanges.push({ pushId: ids[0] ?? "", scope: "push", targets, lowered });
  return true;
}

/** The largest amount of a line that the platform may have, in its own unit. */
const mostHad = ({ members }: OrderGroup, { group, factor }: OrderGroupLine): number =>
  members.reduce((sum, { everServed }) => sum + (everServed.get(group) ?? 0), 0) / factor;

/** The latest change counts. Amounts that the floor gave up before it are wanted again. */
function accept(orderGroup: OrderGroup, targets: ReadonlyMap<string, number>): void {
  for (const [key, amount] of targets) {
    const line = orderGroup.lines.get(key);
    if (line === undefined) continue;
    const isBegun = orderGroup.members[0].state !== "waiting";
    if (isBegun && shareOut(orderGroup, line.group).waiting > 0) orderGroup.followedUp.add(line.group);
    if (
      line.wanted !== amount &&
      orderGroup.shortPicked.delete(line.group) &&
      linesOf(orderGroup, line.group).length > 1
    ) {
      // At a put wall it is unknown which lines of the item the floor has given up.
      orderGroup.uncertain.add(line.group);
    }
    line.wanted = amount;
  }
  noteAmounts(orderGroup);
}

function addedLine(
  { items }: ChangeSender,
  orderGroup: OrderGroup,
  [which, , form]: PlannedChange["draws"],
): RequestLine {
  const lines = [...orderGroup.lines.values()];
  const template = lines[0]?.content;
  const same = lines[which % lines.length]?.content.itemNumber;
  const item = (form < 30 ? items.find(({ number }) => number === same) : undefined) ?? items[which % items.length];
  if (template === undefined || item === undefined) throw new Error("an order without lines");
  return {
    ...template,
    itemNumber: item.number,
    itemName: item.name,
    unitOfMeasure: item.unit,
    lotNumber: null,
    requestExternalIdentifier: `${orderGroup.number}-${lines.length + 1}`,
    order: lines.length + 1,
    designatedLocationName: template.requestType === RequestType.PlaceItem ? item.location : null,
  };
}

/**
 * Whether the adapter assumes that the platform has more of a group than it really has, and no step will correct that.
 * The put wall shows no amounts, an update with an order's last step is never shown, and for a line that was fetched
 * again only a step shows whether it includes earlier picks. Any adapter would lose an amount that is added then, so
 * none is added.
 */
const isBlind = (orderGroup: OrderGroup, group: string): boolean =>
  orderGroup.members.some((member) => isBlindIn(orderGroup, member, group));

function isBlindIn(orderGroup: OrderGroup, member: MemberOrder, group: string): boolean {
  const { floor, state, isAtWall } = member;
  if (floor === null || state === "ended") return false;
  const own = floor.lines.filter((line) => groupOf(orderGroup, line) === group);
  const open = own.reduce((sum, line) => sum + openAmount(line), 0);
  if (isAtWall) return state === "waiting" || openIn(member, group) > open;
  if (own.some((line) => line.isRenewed && !line.isStepped)) return true;
  // An update that is not applied yet may end the order before its next step.
  if (floor.late !== null && own.length > 0) return true;
  const isOver = floor.lines.every((line) => openAmount(line) === 0);
  return isOver && state === "running" && openIn(member, group) > open;
}

const groupOf = (orderGroup: OrderGroup, { externalId, itemNumber }: RunningLine): string | undefined =>
  orderGroup.lines.get(externalId ?? itemNumber)?.group;
