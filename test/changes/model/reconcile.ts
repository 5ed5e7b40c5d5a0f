import {
  type Content,
  isInEveryContent,
  type MemberOrder,
  mayHold,
  newMember,
  type OrderGroup,
  pickedInGroup,
  pickedOf,
  shownOf,
  sum,
  type WantedLine,
} from "./order-group.ts";

/** What one line comes to: per member the amount it is to be picked to in all, and what is left for a follow-up. */
export interface LineTargets {
  readonly targets: ReadonlyMap<MemberOrder, number>;
  readonly left: number;
}

export type IsFactorKnown = (group: OrderGroup, member: MemberOrder, key: string) => boolean;

export const stillWanted = ({ wanted, shortPicked }: WantedLine): number => Math.max(0, wanted - shortPicked);

/** Members whose amount is known take first; one that has shown nothing yet is taken to hold all the rest. */
export function targetsOf(group: OrderGroup, line: WantedLine): LineTargets {
  const { key } = line;
  const targets = new Map<MemberOrder, number>();
  let spare = stillWanted(line) - pickedInGroup(group, key);
  const begun = group.members.filter(({ state }) => state === "running" || state === "ended");
  const isKnown = (member: MemberOrder) => shownOf(member, key) !== undefined;
  for (const member of [...begun.filter(isKnown), ...begun.filter((one) => !isKnown(one))]) {
    const picked = pickedOf(member, key);
    const open = (shownOf(member, key) ?? Number.POSITIVE_INFINITY) - picked;
    const more = Math.max(0, Math.min(open, spare));
    targets.set(member, picked + more);
    spare -= more;
  }
  // Of a line that nobody changed whatever is shown is right: nothing of it is left for others.
  return { targets, left: line.wanted === Number.POSITIVE_INFINITY ? 0 : Math.max(0, spare) };
}

/** Too much = picked − wanted over all lines of the item, without what was cut short. */
function tooMuchOf(group: OrderGroup, item: string): number {
  const lines = [...group.lines.values()].filter((line) => line.item === item);
  const picked = sum(lines.map(({ key }) => pickedInGroup(group, key)));
  return Math.max(0, picked - sum(lines.map(({ wanted }) => wanted)));
}

/**
 * What is too much is put aside once: in each order no more than is picked there. The latest order gives first; one that has
 * ended gives what the others have not, since its goods are gone, unless it is the one in hand.
 */
export function asideIn(group: OrderGroup, member: MemberOrder, item: string): number {
  const keys = [...group.lines.values()].filter((line) => line.item === item).map(({ key }) => key);
  const pickedHere = (one: MemberOrder) => sum(keys.map((key) => pickedOf(one, key)));
  const isThere = (one: MemberOrder) => one === member || one.state !== "ended";
  const isBefore = (one: MemberOrder) => isThere(one) && group.members.indexOf(one) > group.members.indexOf(member);
  const given = sum(group.members.filter(isBefore).map(pickedHere));
  return Math.max(0, Math.min(pickedHere(member), tooMuchOf(group, item) - given));
}

const wholeUnits = (amount: number, factor: number): number => Math.ceil(amount / factor) * factor;

/** Rewrites what waits, makes a follow-up where one is needed, and sets what scans of running orders give. */
export function reconcile(group: OrderGroup, isFactorKnown: IsFactorKnown): void {
  const [main] = group.members;
  if (main === undefined || !group.isPushed) return;
  const waits = new Map<string, number>();
  for (const line of group.lines.values()) {
    const { left } = targetsOf(group, line);
    const begun = group.members.filter((member) => member.state !== "waiting" && mayHold(member, line.key));
    if (left > 0 && begun.every((member) => isFactorKnown(group, member, line.key))) {
      waits.set(line.key, wholeUnits(left, line.factor));
    }
  }
  const isMainWaiting = main.state === "waiting";
  let waiting = isMainWaiting ? main : group.members.slice(1).find(({ state }) => state === "waiting");
  if (waiting === undefined && waits.size > 0) {
    waiting = newMember(`${group.number}-F${group.members.length}`, "waiting");
    group.members.push(waiting);
  }
  for (const member of group.members) {
    if (member.state === "waiting") member.content = member === waiting ? waits : new Map();
  }
  for (const member of group.members) if (member.state === "running") member.content = scanned(group, member);
  for (const { served, content } of group.members) {
    if (content.size > 0 && !isSame(served.at(-1), content)) served.push(content);
  }
}

function scanned(group: OrderGroup, member: MemberOrder): Content {
  const isMain = member === group.members[0];
  const content = new Map<string, number>();
  for (const line of group.lines.values()) {
    const { targets } = targetsOf(group, line);
    const elsewhere = group.members
      .slice(1)
      .map((one) => (one.state === "waiting" ? (one.content.get(line.key) ?? 0) : (targets.get(one) ?? 0)));
    // What the floor cut short is not asked for again, whether the order ever changed or not (33f).
    const amount = isMain ? stillWanted(line) - sum(elsewhere) : (targets.get(member) ?? 0);
    if (amount > 0) content.set(line.key, wholeUnits(amount, line.factor));
  }
  return content;
}

/** Nothing is wanted of any line. One that nobody changed goes on. */
export const isCalledOff = (group: OrderGroup): boolean =>
  [...group.lines.values()].every(({ wanted }) => wanted === 0);

/** The same, or other orders have all that is wanted, or will: a follow-up that is to be made counts. */
export function isNothingLeft(group: OrderGroup, member: MemberOrder, isFactorKnown: IsFactorKnown): boolean {
  if (isCalledOff(group)) return true;
  if (!group.isPushed || member.state === "ended") return false;
  if (member !== group.members[0]) return scanned(group, member).size === 0;
  return [...group.lines.values()].every((line) => {
    const { targets, left } = targetsOf(group, line);
    const others = sum(group.members.slice(1).map((one) => targets.get(one) ?? 0));
    const begun = group.members.filter((one) => one.state !== "waiting" && mayHold(one, line.key));
    const isKnown = begun.every((one) => isFactorKnown(group, one, line.key));
    return stillWanted(line) - others - (group.isChanged && isKnown ? wholeUnits(left, line.factor) : 0) <= 0;
  });
}

const isSame = (one: Content | undefined, other: Content): boolean =>
  one !== undefined && one.size === other.size && [...one].every(([key, amount]) => other.get(key) === amount);

/** A line is done when the request ids shown last have nothing remaining. */
export function isDone(group: OrderGroup, member: MemberOrder): boolean {
  // Begun before it had any content here: the platform has it by other ways, with lines that it may not have shown yet.
  const isByOtherWays = member.servedAtBegin === 0;
  const keys = [...group.lines.keys()].filter((key) => isByOtherWays || mayHold(member, key));
  const isLineDone = (key: string): boolean => {
    const line = group.lines.get(key);
    const shown = shownOf(member, key);
    if (shown !== undefined) return shown <= pickedOf(member, key);
    // Perhaps fetched without it; where it was surely fetched, the platform has yet to deal with it.
    return (
      line !== undefined &&
      stillWanted(line) === 0 &&
      !isInEveryContent(member.served.slice(0, member.servedAtBegin), key)
    );
  };
  return keys.some((key) => shownOf(member, key) !== undefined) && keys.every(isLineDone);
}
