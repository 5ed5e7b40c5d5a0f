import { RequestType, UnitOfMeasure } from "../../../contract/enums.ts";
import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import { seededRandom } from "../../../kit/ids.ts";
import { add } from "../books/books.ts";
import { baseUnitsPer, type RunningOrder } from "../orders/running-order.ts";
import { type ChangePlan, type ChangeRates, noChanges, planChanges } from "./change-plan.ts";

/** A line as the external system wants it. */
export interface FamilyLine {
  readonly key: string;
  /** Amounts of one group are added up: a put wall names only items. */
  readonly group: string;
  readonly unit: UnitOfMeasure;
  readonly factor: number;
  readonly content: RequestLine;
  /** The latest wanted amount, in the line's own unit. */
  wanted: number;
}

/** The order itself, or one of its follow-ups; amounts by group, in base units. */
export interface Carrier {
  readonly number: string;
  state: "waiting" | "running" | "ended";
  /** Whether the adapter has seen amounts of it; before that any served content is possible. */
  isShown: boolean;
  readonly shown: Map<string, number>;
  readonly picked: Map<string, number>;
  /** By item: how many pieces its operators were told to put aside. */
  readonly toldAside: Map<string, number>;
  /** The largest amount that the platform may have fetched before the first placement. */
  readonly mostServed: Map<string, number>;
  /** The largest amount that it may ever have fetched. */
  readonly everServed: Map<string, number>;
  /** The platform's state of the order, once somebody works on it. */
  floor: Pick<RunningOrder, "lines" | "late"> | null;
  /** Whether it is sorted at a put wall, which shows no amounts. */
  isAtWall: boolean;
}

/** A change that the external system has sent and the adapter has accepted. */
export interface Word {
  readonly pushId: string;
  readonly scope: "order" | "line" | "push";
  /** The wanted amounts from then on, by line, in their own unit. */
  readonly targets: ReadonlyMap<string, number>;
  /** For a push: the lines that it lowers below what the platform may have. */
  readonly lowered: ReadonlySet<string>;
}

/** An order with its follow-ups: what is wanted of them together, and what was really done. */
export interface Family {
  readonly number: string;
  readonly order: WorkOrder;
  readonly plan: ChangePlan;
  readonly isPutWall: boolean;
  /** Whether the adapter has seen the number of base units of every unit. */
  readonly isTaught: boolean;
  readonly lines: Map<string, FamilyLine>;
  /** What the floor cut short since the last change of it, by group, in base units. */
  readonly cut: Map<string, number>;
  readonly carriers: [Carrier, ...Carrier[]];
  readonly words: Word[];
  /** By group: every amount that was ever served or wanted, in its own unit. */
  readonly amounts: Map<string, Set<number>>;
  /** Groups for which the operator was told that a change cannot be converted. */
  readonly uncertain: Set<string>;
  /** Groups of which a follow-up order had something: it may have been fetched, and the adapter cannot know by whom. */
  readonly followedUp: Set<string>;
  /** What was wanted before a cancellation that is to be taken back. */
  takenBack: ReadonlyMap<string, number> | null;
  readonly history: string[];
}

const mostHistory = 200;

const newCarrier = (number: string): Carrier => ({
  ...{ number, state: "waiting", isShown: false },
  ...{ shown: new Map(), picked: new Map(), toldAside: new Map(), mostServed: new Map(), everServed: new Map() },
  ...{ floor: null, isAtWall: false },
});

function openFamily(
  order: WorkOrder,
  { plan, isPutWall, isTaught }: Pick<Family, "plan" | "isPutWall" | "isTaught">,
): Family {
  const family: Family = {
    ...{ number: order.number, order, plan, isPutWall, isTaught, lines: new Map(), cut: new Map() },
    carriers: [newCarrier(order.number)],
    ...{ words: [], amounts: new Map(), uncertain: new Set(), followedUp: new Set() },
    ...{ takenBack: null, history: [] },
  };
  for (const content of order.requests) addLine(family, content).wanted = content.requestedAmount;
  noteAmounts(family);
  event(family, `pushed with ${contentText(order)}`);
  return family;
}

/** Wanted amount 0 until a change sets it. */
export function addLine(family: Family, content: RequestLine): FamilyLine {
  const key = content.requestExternalIdentifier ?? content.itemNumber;
  const unit = content.unitOfMeasure ?? UnitOfMeasure.Piece;
  const group = family.isPutWall ? content.itemNumber : key;
  const line = { key, group, unit, factor: baseUnitsPer(unit), content, wanted: 0 };
  family.lines.set(key, line);
  return line;
}

export const followUpNumber = /-F\d+$/;

export function carrierOf(family: Family, number: string): Carrier {
  const known = family.carriers.find((carrier) => carrier.number === number);
  if (known !== undefined) return known;
  const carrier = newCarrier(number);
  family.carriers.push(carrier);
  return carrier;
}

export function event(family: Family, text: string): void {
  if (family.history.length < mostHistory) family.history.push(text);
}

export const groupsOf = (family: Family): string[] => [
  ...new Set([...family.lines.values()].map(({ group }) => group)),
];

export const linesOf = (family: Family, group: string): FamilyLine[] =>
  [...family.lines.values()].filter((line) => line.group === group);

export const isChanged = ({ words }: Family): boolean => words.length > 0;

/** The total wanted, without what the floor has cut short; in base units. */
export const wantedOf = (family: Family, group: string): number =>
  linesOf(family, group).reduce((sum, { wanted, factor }) => sum + wanted * factor, 0) - (family.cut.get(group) ?? 0);

export const pickedOf = ({ carriers }: Family, group: string): number =>
  carriers.reduce((sum, { picked }) => sum + (picked.get(group) ?? 0), 0);

/** The number of base units per unit is known for pieces; for others only if it was seen before amounts changed. */
export const mayBeUncertain = (family: Family, group: string): boolean =>
  !family.isTaught &&
  linesOf(family, group).some(({ unit }) => unit !== UnitOfMeasure.Piece) &&
  (family.amounts.get(group)?.size ?? 0) > 1;

/** Any amount that an order had while it waited may have been fetched: list queries are not recorded. */
export function noteAmounts(family: Family): void {
  const [main] = family.carriers;
  const sums = new Map<string, number>();
  for (const { group, wanted } of family.lines.values()) add(sums, group, wanted);
  for (const [group, sum] of sums) {
    noteAmount(family, group, sum);
    if (main.state === "waiting") mayHave(main, group, sum * (linesOf(family, group)[0]?.factor ?? 1));
  }
}

/** The platform may have fetched this amount. */
export function mayHave(carrier: Carrier, group: string, amount: number): void {
  carrier.everServed.set(group, Math.max(amount, carrier.everServed.get(group) ?? 0));
  if (!carrier.isShown) carrier.mostServed.set(group, Math.max(amount, carrier.mostServed.get(group) ?? 0));
}

function noteAmount({ amounts }: Family, group: string, amount: number): void {
  const known = amounts.get(group);
  if (known === undefined) amounts.set(group, new Set([amount]));
  else known.add(amount);
}

/** The amount of each group in a content, in base units. */
export function amountsIn(family: Family, content: WorkOrder): Map<string, number> {
  const sums = new Map<string, number>();
  for (const request of content.requests) {
    const line = family.lines.get(request.requestExternalIdentifier ?? request.itemNumber);
    if (line !== undefined) add(sums, line.group, request.requestedAmount * line.factor);
  }
  return sums;
}

/** The platform was given this content, whether it uses it or not. */
export function noteServed(family: Family, content: WorkOrder): void {
  const carrier = carrierOf(family, content.number);
  for (const [group, amount] of amountsIn(family, content)) {
    noteAmount(family, group, amount / (linesOf(family, group)[0]?.factor ?? 1));
    mayHave(carrier, group, amount);
  }
  event(family, `${content.number} fetched: ${contentText(content)}`);
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
  readonly targets: ReadonlyMap<Carrier, number>;
  /** The amount for an order that was not started: the order itself, or one follow-up. */
  readonly waiting: number;
}

/**
 * What the adapter must derive from wanted, shown and picked amounts. A started order keeps what it shows, the first
 * order first, as far as that is wanted; the rest waits. An order that has shown nothing yet may hold everything.
 */
export function shareOut(family: Family, group: string): Shares {
  const targets = new Map<Carrier, number>();
  const [main] = family.carriers;
  if (main.state === "waiting") return { targets, waiting: Math.max(0, wantedOf(family, group)) };
  let spare = wantedOf(family, group) - pickedOf(family, group);
  for (const carrier of family.carriers) {
    if (carrier.state === "waiting") continue;
    const picked = carrier.picked.get(group) ?? 0;
    const hold = Math.max(0, Math.min(openIn(carrier, group), spare));
    targets.set(carrier, picked + hold);
    spare -= hold;
  }
  return { targets, waiting: Math.max(0, spare) };
}

/** How much more the platform would pick of it, as far as the adapter can know. */
export function openIn(carrier: Carrier, group: string): number {
  if (carrier.state !== "running") return 0;
  if (!carrier.isShown) return Number.POSITIVE_INFINITY;
  const picked = carrier.picked.get(group) ?? 0;
  return Math.max(0, (carrier.shown.get(group) ?? picked) - picked);
}

/** What the external system wants of each pushed order, and what will happen to it on this day. */
export function openFamilies(
  pushed: readonly WorkOrder[],
  {
    seed,
    rates = noChanges,
    isTaught,
  }: { readonly seed: number; readonly rates: ChangeRates | undefined; readonly isTaught: boolean },
): ReadonlyMap<string, Family> {
  const batches = new Map<string, number>();
  for (const { deliveryNumber } of pushed) {
    if (deliveryNumber) batches.set(deliveryNumber, (batches.get(deliveryNumber) ?? 0) + 1);
  }
  return new Map(
    pushed.map((order) => {
      const plan = planChanges(rates, (purpose) => seededRandom(seed, `${purpose} of ${order.number}`));
      const isPutWall = (batches.get(order.deliveryNumber ?? "") ?? 0) > 1;
      return [order.number, openFamily(order, { plan, isPutWall, isTaught })];
    }),
  );
}
