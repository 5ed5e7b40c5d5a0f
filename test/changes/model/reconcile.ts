import {
  type Carrier,
  type Content,
  type Family,
  isInEveryContent,
  mayHold,
  newCarrier,
  pickedInFamily,
  pickedOf,
  shownOf,
  sum,
  type WantedLine,
} from "./family.ts";

/** What one line comes to: per carrier the amount it is to be picked to in all, and what is left for a follow-up. */
export interface LineTargets {
  readonly targets: ReadonlyMap<Carrier, number>;
  readonly left: number;
}

export type IsFactorKnown = (family: Family, carrier: Carrier, key: string) => boolean;

export const stillWanted = ({ wanted, cut }: WantedLine): number => Math.max(0, wanted - cut);

/** Carriers whose amount is known take first; one that has shown nothing yet is taken to hold all the rest. */
export function targetsOf(family: Family, line: WantedLine): LineTargets {
  const { key } = line;
  const targets = new Map<Carrier, number>();
  let spare = stillWanted(line) - pickedInFamily(family, key);
  const begun = family.carriers.filter(({ state }) => state === "running" || state === "ended");
  const isKnown = (carrier: Carrier) => shownOf(carrier, key) !== undefined;
  for (const carrier of [...begun.filter(isKnown), ...begun.filter((one) => !isKnown(one))]) {
    const picked = pickedOf(carrier, key);
    const open = (shownOf(carrier, key) ?? Number.POSITIVE_INFINITY) - picked;
    const more = Math.max(0, Math.min(open, spare));
    targets.set(carrier, picked + more);
    spare -= more;
  }
  // Of a line that nobody said a word about whatever is shown is right: nothing of it is left for others.
  return { targets, left: line.wanted === Number.POSITIVE_INFINITY ? 0 : Math.max(0, spare) };
}

/** Too much = picked − wanted over all lines of the item, without what was cut short. */
function tooMuchOf(family: Family, item: string): number {
  const lines = [...family.lines.values()].filter((line) => line.item === item);
  const picked = sum(lines.map(({ key }) => pickedInFamily(family, key)));
  return Math.max(0, picked - sum(lines.map(({ wanted }) => wanted)));
}

/**
 * What is too much is put aside once: in each order no more than is picked there. The latest order gives first; one that has
 * ended gives what the others have not, since its goods are gone, unless it is the one in hand.
 */
export function asideIn(family: Family, carrier: Carrier, item: string): number {
  const keys = [...family.lines.values()].filter((line) => line.item === item).map(({ key }) => key);
  const pickedHere = (one: Carrier) => sum(keys.map((key) => pickedOf(one, key)));
  const isThere = (one: Carrier) => one === carrier || one.state !== "ended";
  const isBefore = (one: Carrier) => isThere(one) && family.carriers.indexOf(one) > family.carriers.indexOf(carrier);
  const given = sum(family.carriers.filter(isBefore).map(pickedHere));
  return Math.max(0, Math.min(pickedHere(carrier), tooMuchOf(family, item) - given));
}

const wholeUnits = (amount: number, factor: number): number => Math.ceil(amount / factor) * factor;

/** Rewrites what waits, makes a follow-up where one is needed, and sets what scans of running orders give. */
export function reconcile(family: Family, isFactorKnown: IsFactorKnown): void {
  const [main] = family.carriers;
  if (main === undefined || !family.isPushed) return;
  const waits = new Map<string, number>();
  for (const line of family.lines.values()) {
    const { left } = targetsOf(family, line);
    const begun = family.carriers.filter((carrier) => carrier.state !== "waiting" && mayHold(carrier, line.key));
    if (left > 0 && begun.every((carrier) => isFactorKnown(family, carrier, line.key))) {
      waits.set(line.key, wholeUnits(left, line.factor));
    }
  }
  const isMainWaiting = main.state === "waiting";
  let waiting = isMainWaiting ? main : family.carriers.slice(1).find(({ state }) => state === "waiting");
  if (waiting === undefined && waits.size > 0) {
    waiting = newCarrier(`${family.number}-F${family.carriers.length}`, "waiting");
    family.carriers.push(waiting);
  }
  for (const carrier of family.carriers) {
    if (carrier.state === "waiting") carrier.content = carrier === waiting ? waits : new Map();
  }
  for (const carrier of family.carriers) if (carrier.state === "running") carrier.content = scanned(family, carrier);
  for (const { served, content } of family.carriers) {
    if (content.size > 0 && !isSame(served.at(-1), content)) served.push(content);
  }
}

function scanned(family: Family, carrier: Carrier): Content {
  const isMain = carrier === family.carriers[0];
  const content = new Map<string, number>();
  for (const line of family.lines.values()) {
    const { targets } = targetsOf(family, line);
    const elsewhere = family.carriers
      .slice(1)
      .map((one) => (one.state === "waiting" ? (one.content.get(line.key) ?? 0) : (targets.get(one) ?? 0)));
    // What the floor cut short is not asked for again, whether the order ever changed or not (33f).
    const amount = isMain ? stillWanted(line) - sum(elsewhere) : (targets.get(carrier) ?? 0);
    if (amount > 0) content.set(line.key, wholeUnits(amount, line.factor));
  }
  return content;
}

/** Nothing is wanted of any line. One that nobody said a word about goes on. */
export const isCalledOff = (family: Family): boolean => [...family.lines.values()].every(({ wanted }) => wanted === 0);

/** The same, or other orders have all that is wanted, or will: a follow-up that is to be made counts. */
export function isNothingLeft(family: Family, carrier: Carrier, isFactorKnown: IsFactorKnown): boolean {
  if (isCalledOff(family)) return true;
  if (!family.isPushed || carrier.state === "ended") return false;
  if (carrier !== family.carriers[0]) return scanned(family, carrier).size === 0;
  return [...family.lines.values()].every((line) => {
    const { targets, left } = targetsOf(family, line);
    const others = sum(family.carriers.slice(1).map((one) => targets.get(one) ?? 0));
    const begun = family.carriers.filter((one) => one.state !== "waiting" && mayHold(one, line.key));
    const isKnown = begun.every((one) => isFactorKnown(family, one, line.key));
    return stillWanted(line) - others - (family.isChanged && isKnown ? wholeUnits(left, line.factor) : 0) <= 0;
  });
}

const isSame = (one: Content | undefined, other: Content): boolean =>
  one !== undefined && one.size === other.size && [...one].every(([key, amount]) => other.get(key) === amount);

/** A line is done when the request ids shown last have nothing remaining. */
export function isDone(family: Family, carrier: Carrier): boolean {
  // Begun before it had any content here: the platform has it by other ways, with lines that it may not have shown yet.
  const isByOtherWays = carrier.servedAtBegin === 0;
  const keys = [...family.lines.keys()].filter((key) => isByOtherWays || mayHold(carrier, key));
  const isLineDone = (key: string): boolean => {
    const line = family.lines.get(key);
    const shown = shownOf(carrier, key);
    if (shown !== undefined) return shown <= pickedOf(carrier, key);
    // Perhaps fetched without it; where it was surely fetched, the platform has yet to deal with it.
    return (
      line !== undefined &&
      stillWanted(line) === 0 &&
      !isInEveryContent(carrier.served.slice(0, carrier.servedAtBegin), key)
    );
  };
  return keys.some((key) => shownOf(carrier, key) !== undefined) && keys.every(isLineDone);
}
