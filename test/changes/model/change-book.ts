import {
  amountOf,
  type Carrier,
  type CarrierLine,
  type Family,
  largestServed,
  mayHold,
  pickedOf,
  shownOf,
  sum,
} from "./family.ts";

export type ReceiptState = "removed" | "applied" | "partly" | "too-late";

/** A cancellation, or a line that a push lowered below what the platform may have. */
export interface BookedChange {
  readonly pushId: string;
  readonly orderNumber: string;
  readonly scope: "line" | "item" | "order";
  readonly externalId: string | null;
  readonly item: string | null;
  /** Of a line that a push lowered. */
  readonly lot: string | null;
  readonly keys: readonly string[];
  /** What is wanted from then on, in the line's own unit, and in the base unit. */
  readonly amount: number;
  readonly target: number;
  readonly factor: number;
  readonly filedAt: number;
  /** Lines of it that got a newer word. */
  readonly replaced: Set<string>;
  /** The largest amount shown since it was filed; what was shown when it was filed counts. */
  shownSince: number;
  /** The largest amount the platform can ever have had. */
  mostPossible: number;
  /** behaviour.md leaves open what its receipt says, or when it comes. */
  isOpen: boolean;
  /** On a line that the order named by it never had. */
  readonly isOfNobody?: boolean;
  isTold: boolean;
}

/** What the receipt of a change must be, once it is due. */
export interface DueReceipt {
  readonly change: BookedChange;
  readonly states: readonly ReceiptState[];
  readonly picked: number;
  /** Not shown in so many words (a model did not list it, or it is at the put wall): it may wait for the end of the order. */
  readonly mayWait: boolean;
}

/** Of what the platform may have of a line: shown where it is known, else the largest content. */
export const mayHaveOf = (family: Family, key: string): number =>
  sum(family.carriers.map((carrier) => shownOf(carrier, key) ?? largestServed(carrier, key)));

/** The largest amount that was ever shown, served or picked: pieces that are there are taken away from too. */
export const everHadOf = (family: Family, key: string): number =>
  sum(
    family.carriers.map((carrier) =>
      Math.max(
        ...[carrier.lines.get(key)?.largestShown ?? 0, shownOf(carrier, key) ?? 0],
        ...[largestServed(carrier, key), pickedOf(carrier, key)],
      ),
    ),
  );

const holders = (family: Family, keys: readonly string[]): readonly Carrier[] =>
  family.carriers.filter((carrier) => keys.some((key) => mayHold(carrier, key)));

const shownTotal = (family: Family, keys: readonly string[]): number =>
  sum(family.carriers.flatMap((carrier) => keys.map((key) => shownOf(carrier, key) ?? 0)));

/** To be called after every entry: keeps the largest amounts shown. */
export function noteShown(family: Family, changes: readonly BookedChange[]): void {
  for (const carrier of family.carriers) {
    for (const [key, line] of carrier.lines) {
      line.largestShown = Math.max(line.largestShown, shownOf(carrier, key) ?? 0);
      line.largestAmount = Math.max(line.largestAmount, amountOf(carrier, key));
    }
  }
  for (const change of changes) {
    change.shownSince = Math.max(change.shownSince, shownTotal(family, change.keys));
    change.mostPossible = Math.max(change.mostPossible, sum(change.keys.map((key) => everHadOf(family, key))));
    const isReplacedInPart = change.replaced.size > 0 && change.keys.some((key) => !change.replaced.has(key));
    if (isReplacedInPart || holders(family, change.keys).length > 1) change.isOpen = true;
  }
}

export const isReplaced = ({ keys, replaced }: BookedChange): boolean =>
  keys.length > 0 && keys.every((key) => replaced.has(key));

/** Undefined: not final yet. */
export function dueReceipt(
  family: Family,
  change: BookedChange,
  when: { readonly now: number; readonly removedAfterMs: number },
): DueReceipt | undefined {
  const { keys, target, scope } = change;
  // Of a line that a follow-up named by its number never had: nothing is left of it (32).
  if (change.isOfNobody === true) return { change, states: ["removed"], picked: 0, mayWait: false };
  const carriers = holders(family, keys);
  const picked = sum(carriers.flatMap((carrier) => keys.map((key) => pickedOf(carrier, key))));
  const held = carriers.flatMap((carrier) =>
    keys.filter((key) => mayHold(carrier, key)).map((key) => ({ carrier, key })),
  );
  const isShown = held.every(({ carrier, key }) => carrier.state !== "waiting" && shownOf(carrier, key) !== undefined);
  // The put wall shows no amounts: what is taken to be there may count as shown, or wait for the end.
  const isSupposed = ({ shown, wallShown }: CarrierLine) =>
    shown === undefined ? wallShown !== undefined : shown.size === 0;
  const mayWait = held.some(({ carrier, key }) => {
    const line = carrier.lines.get(key);
    if (line === undefined) return false;
    // Done with all that is wanted, the wall may still have what it was served before.
    if (carrier.state === "ended") return (line.wallShown ?? 0) > pickedOf(carrier, key);
    return isSupposed(line);
  });
  const isOver = carriers.length > 0 && carriers.every(({ state }) => state === "ended");
  // "At the latest with the order's end" (32): a follow-up that was withdrawn before it may be told with it, or wait.
  const isWithdrawn = ({ state, content }: Carrier) => state === "waiting" && content.size === 0;
  const isOverButWithdrawn =
    carriers.length > 0 &&
    family.carriers[0]?.state === "ended" &&
    carriers.every((one) => one.state === "ended" || isWithdrawn(one));
  // Of the orders that hold lines of it: that another one is being picked says nothing about these.
  const concerned = scope === "order" || carriers.length === 0 ? family.carriers : carriers;
  const isUntouched = concerned.every(({ state }) => state === "waiting");
  const isFinal =
    isOver ||
    isOverButWithdrawn ||
    (scope !== "order" && carriers.length > 0 && isShown && shownTotal(family, keys) <= Math.max(target, picked)) ||
    (isUntouched && when.now - change.filedAt >= when.removedAfterMs);
  if (!isFinal) return undefined;
  const largest = (of: (line: CarrierLine) => number) =>
    sum(keys.map((key) => Math.max(0, ...carriers.flatMap((one) => one.lines.get(key) ?? []).map(of))));
  const ever = largest((line) => line.largestShown);
  // Whether pieces picked beyond an amount were shown by the platform is left open too.
  const everAmount = largest((line) => line.largestAmount);
  // The put wall shows nothing, strictly. "Largest amount shown" may mean ever, or since the change was filed: both are accepted where they differ.
  const isAtWall = held.some(({ carrier, key }) => carrier.lines.get(key)?.wallShown !== undefined);
  const states = [ever, everAmount, change.shownSince, ...(isAtWall ? [0] : [])].map((most): ReceiptState => {
    if (picked > target) return picked >= most ? "too-late" : "partly";
    return most > target ? "applied" : "removed";
  });
  return { change, states: [...new Set(states)], picked, mayWait: mayWait || (isOverButWithdrawn && !isOver) };
}
