import { RequestType, UnitOfMeasure } from "../../../contract/enums.ts";
import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import { seededRandom } from "../../../kit/ids.ts";
import { baseUnitsPer, type RunningOrder } from "../orders/running-order.ts";
import { add } from "../records/platform-records.ts";
import { type ChangePlan, type ChangeRates, noChanges, planChanges } from "./change-plan.ts";

/** A line as the external system wants it. */
export interface OrderGroupLine {
  readonly key: string;
  /** Amounts of one group are added up, because a put wall names only items. */
  readonly group: string;
  readonly unit: UnitOfMeasure;
  readonly factor: number;
  readonly content: RequestLine;
  /** The latest wanted amount, in the line's own unit. */
  wanted: number;
}

/** The order itself, or one of its follow-ups; amounts by group, in base units. */
export interface MemberOrder {
  readonly number: string;
  state: "waiting" | "running" | "ended";
  /** Whether the adapter has seen amounts of this order. Before that, any served content is possible. */
  isShown: boolean;
  readonly shown: Map<string, number>;
  readonly picked: Map<string, number>;
  /** How many pieces its operators were told to put aside, by item. */
  readonly announcedExcess: Map<string, number>;
  /** The largest amount that the platform may have fetched before the first placement. */
  readonly mostServed: Map<string, number>;
  /** The largest amount that the platform may ever have fetched. */
  readonly everServed: Map<string, number>;
  /** The platform's state of the order, once somebody works on it. */
  floor: Pick<RunningOrder, "lines" | "late"> | null;
  /** Whether the order is sorted at a put wall, which shows no amounts. */
  isAtWall: boolean;
}

/** A change that the external system has sent and the adapter has accepted. */
export interface PushedChange {
  readonly pushId: string;
  readonly scope: "order" | "line" | "push";
  /** The wanted amounts from then on, by line, in their own unit. */
  readonly targets: ReadonlyMap<string, number>;
  /** For a push: the lines that it lowers below the amount that the platform may have. */
  readonly lowered: ReadonlySet<string>;
}

/** An order with its follow-ups: what is wanted of them together, and what the floor really did. */
export interface OrderGroup {
  readonly number: string;
  readonly order: WorkOrder;
  readonly plan: ChangePlan;
  readonly isPutWall: boolean;
  /** Whether the adapter has seen the number of base units of every unit. */
  readonly isTaught: boolean;
  readonly lines: Map<string, OrderGroupLine>;
  /** What the floor has given up since the last change of the group, by group, in base units. */
  readonly shortPicked: Map<string, number>;
  readonly members: [MemberOrder, ...MemberOrder[]];
  readonly pushedChanges: PushedChange[];
  /** By group: every amount that was ever served or wanted, in its own unit. */
  readonly amounts: Map<string, Set<number>>;
  /** Groups for which the operator was told that a change cannot be converted. */
  readonly uncertain: Set<string>;
  /**
   * Groups that were part of a follow-up order. The platform may have fetched that order, and the adapter cannot know.
   */
  readonly followedUp: Set<string>;
  /** What was wanted before a cancellation that will be taken back. */
  takenBack: ReadonlyMap<string, number> | null;
  readonly history: string[];
}

const mostHistory = 200;

const newMember = (number: string): MemberOrder => ({
  ...{ number, state: "waiting", isShown: false },
  ...{ shown: new Map(), picked: new Map(), announcedExcess: new Map(), mostServed: new Map(), everServed: new Map() },
  ...{ floor: null, isAtWall: false },
});

function openOrderGroup(
  order: WorkOrder,
  { plan, isPutWall, isTaught }: Pick<OrderGroup, "plan" | "isPutWall" | "isTaught">,
): OrderGroup {
  const orderGroup: OrderGroup = {
    ...{ number: order.number, order, plan, isPutWall, isTaught, lines: new Map(), shortPicked: new Map() },
    members: [newMember(order.number)],
    ...{ pushedChanges: [], amounts: new Map(), uncertain: new Set(), followedUp: new Set() },
    ...{ takenBack: null, history: [] },
  };
  for (const content of order.requests) addLine(orderGroup, content).wanted = content.requestedAmount;
  noteAmounts(orderGroup);
  noteHistory(orderGroup, `pushed with ${contentText(order)}`);
  return orderGroup;
}

/** Adds a line. Its wanted amount is 0 until a change sets it. */
export function addLine(orderGroup: OrderGroup, content: RequestLine): OrderGroupLine {
  const key = content.requestExternalIdentifier ?? content.itemNumber;
  const unit = content.unitOfMeasure ?? UnitOfMeasure.Piece;
  const group = orderGroup.isPutWall ? content.itemNumber : key;
  const line = { key, group, unit, factor: baseUnitsPer(unit), content, wanted: 0 };
  orderGroup.lines.set(key, line);
  return line;
}

export const followUpNumber = /-F\d+$/;

export function memberOf(orderGroup: OrderGroup, number: string): MemberOrder {
  const known = orderGroup.members.find((member) => member.number === number);
  if (known !== undefined) return known;
  const member = newMember(number);
  orderGroup.members.push(member);
  return member;
}

export function noteHistory(orderGroup: OrderGroup, text: string): void {
  if (orderGroup.history.length < mostHistory) orderGroup.history.push(text);
}

export const groupsOf = (orderGroup: OrderGroup): string[] => [
  ...new Set([...orderGroup.lines.values()].map(({ group }) => group)),
];

export const linesOf = (orderGroup: OrderGroup, group: string): OrderGroupLine[] =>
  [...orderGroup.lines.values()].filter((line) => line.group === group);

export const isChanged = ({ pushedChanges }: OrderGroup): boolean => pushedChanges.length > 0;

/** The total wanted amount less what the floor has given up, in base units. */
export const wantedOf = (orderGroup: OrderGroup, group: string): number =>
  linesOf(orderGroup, group).reduce((sum, { wanted, factor }) => sum + wanted * factor, 0) -
  (orderGroup.shortPicked.get(group) ?? 0);

export const pickedOf = ({ members }: OrderGroup, group: string): number =>
  members.reduce((sum, { picked }) => sum + (picked.get(group) ?? 0), 0);

/**
 * Whether the number of base units per unit may be unknown. It is 1 for pieces; for other units the adapter knows it
 * only if it saw it before amounts changed.
 */
export const mayBeUncertain = (orderGroup: OrderGroup, group: string): boolean =>
  !orderGroup.isTaught &&
  linesOf(orderGroup, group).some(({ unit }) => unit !== UnitOfMeasure.Piece) &&
  (orderGroup.amounts.get(group)?.size ?? 0) > 1;

/**
 * Records every amount that an order had while it waited: the platform may have fetched any of them, because list
 * queries are not recorded.
 */
export function noteAmounts(orderGroup: OrderGroup): void {
  const [main] = orderGroup.members;
  const sums = new Map<string, number>();
  for (const { group, wanted } of orderGroup.lines.values()) add(sums, group, wanted);
  for (const [group, sum] of sums) {
    noteAmount(orderGroup, group, sum);
    if (main.state === "waiting") mayHave(main, group, sum * (linesOf(orderGroup, group)[0]?.factor ?? 1));
  }
}

/** Records that the platform may have fetched this amount. */
export function mayHave(member: MemberOrder, group: string, amount: number): void {
  member.everServed.set(group, Math.max(amount, member.everServed.get(group) ?? 0));
  if (!member.isShown) member.mostServed.set(group, Math.max(amount, member.mostServed.get(group) ?? 0));
}

function noteAmount({ amounts }: OrderGroup, group: string, amount: number): void {
  const known = amounts.get(group);
  if (known === undefined) amounts.set(group, new Set([amount]));
  else known.add(amount);
}

/** The amount of each group in a content, in base units. */
export function amountsIn(orderGroup: OrderGroup, content: WorkOrder): Map<string, number> {
  const sums = new Map<string, number>();
  for (const request of content.requests) {
    const line = orderGroup.lines.get(request.requestExternalIdentifier ?? request.itemNumber);
    if (line !== undefined) add(sums, line.group, request.requestedAmount * line.factor);
  }
  return sums;
}

/** Records that the platform was given this content, whether it uses it or not. */
export function noteServed(orderGroup: OrderGroup, content: WorkOrder): void {
  const member = memberOf(orderGroup, content.number);
  for (const [group, amount] of amountsIn(orderGroup, content)) {
    noteAmount(orderGroup, group, amount / (linesOf(orderGroup, group)[0]?.factor ?? 1));
    mayHave(member, group, amount);
  }
  noteHistory(orderGroup, `${content.number} fetched: ${contentText(content)}`);
}

export const contentText = ({ requests }: WorkOrder): string =>
  requests
    .map(({ requestExternalIdentifier, itemNumber, requestedAmount, unitOfMeasure, requestType }) => {
      const unit = unitOfMeasure === UnitOfMeasure.Piece ? "" : ` in unit ${unitOfMeasure}`;
      const away = requestType === RequestType.PlaceItem ? " to put away" : "";
      return `${requestExternalIdentifier ?? "no id"} ${itemNumber} ${requestedAmount}${unit}${away}`;
    })
    .join(", ");

/** How a group is distributed, in base units. */
interface Shares {
  readonly targets: ReadonlyMap<MemberOrder, number>;
  /** The amount for an order that was not started: the first order, or one follow-up. */
  readonly waiting: number;
}

/**
 * Computes what the adapter must derive from wanted, shown and picked amounts. A started order keeps what it shows, the
 * first order first, as far as that is wanted; the rest waits. An order that has shown nothing yet may hold everything.
 */
export function shareOut(orderGroup: OrderGroup, group: string): Shares {
  const targets = new Map<MemberOrder, number>();
  const [main] = orderGroup.members;
  if (main.state === "waiting") return { targets, waiting: Math.max(0, wantedOf(orderGroup, group)) };
  let spare = wantedOf(orderGroup, group) - pickedOf(orderGroup, group);
  for (const member of orderGroup.members) {
    if (member.state === "waiting") continue;
    const picked = member.picked.get(group) ?? 0;
    const hold = Math.max(0, Math.min(openIn(member, group), spare));
    targets.set(member, picked + hold);
    spare -= hold;
  }
  return { targets, waiting: Math.max(0, spare) };
}

/** How much more of the group the platform would pick, as far as the adapter can know. */
export function openIn(member: MemberOrder, group: string): number {
  if (member.state !== "running") return 0;
  if (!member.isShown) return Number.POSITIVE_INFINITY;
  const picked = member.picked.get(group) ?? 0;
  return Math.max(0, (member.shown.get(group) ?? picked) - picked);
}

/** What the external system wants of each pushed order, and the plan of the changes on this day. */
export function openOrderGroups(
  pushed: readonly WorkOrder[],
  {
    seed,
    rates = noChanges,
    isTaught,
  }: { readonly seed: number; readonly rates: ChangeRates | undefined; readonly isTaught: boolean },
): ReadonlyMap<string, OrderGroup> {
  const batches = new Map<string, number>();
  for (const { deliveryNumber } of pushed) {
    if (deliveryNumber) batches.set(deliveryNumber, (batches.get(deliveryNumber) ?? 0) + 1);
  }
  return new Map(
    pushed.map((order) => {
      const plan = planChanges(rates, (purpose) => seededRandom(seed, `${purpose} of ${order.number}`));
      const isPutWall = (batches.get(order.deliveryNumber ?? "") ?? 0) > 1;
      return [order.number, openOrderGroup(order, { plan, isPutWall, isTaught })];
    }),
  );
}
