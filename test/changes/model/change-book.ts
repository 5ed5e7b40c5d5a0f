import {
  amountOf,
  largestServed,
  type MemberLine,
  type MemberOrder,
  mayHold,
  type OrderGroup,
  pickedOf,
  shownOf,
  sum,
} from "./order-group.ts";

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
  /** Lines of it that got a newer change. */
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
  /** Not shown in exact amounts (a model did not list it, or it is at the put wall): it may wait for the end of the order. */
  readonly mayWait: boolean;
}

/** Of what the platform may have of a line: shown where it is known, else the largest content. */
export const mayHaveOf = (group: OrderGroup, key: string): number =>
  sum(group.members.map((member) => shownOf(member, key) ?? largestServed(member, key)));

/** The largest amount that was ever shown, served or picked: pieces that are there are taken away from too. */
export const everHadOf = (group: OrderGroup, key: string): number =>
  sum(
    group.members.map((member) =>
      Math.max(
        ...[member.lines.get(key)?.largestShown ?? 0, shownOf(member, key) ?? 0],
        ...[largestServed(member, key), pickedOf(member, key)],
      ),
    ),
  );

const holders = (group: OrderGroup, keys: readonly string[]): readonly MemberOrder[] =>
  group.members.filter((member) => keys.some((key) => mayHold(member, key)));

const shownTotal = (group: OrderGroup, keys: readonly string[]): number =>
  sum(group.members.flatMap((member) => keys.map((key) => shownOf(member, key) ?? 0)));

/** To be called after every entry: keeps the largest amounts shown. */
export function noteShown(group: OrderGroup, changes: readonly BookedChange[]): void {
  for (const member of group.members) {
    for (const [key, line] of member.lines) {
      line.largestShown = Math.max(line.largestShown, shownOf(member, key) ?? 0);
      line.largestAmount = Math.max(line.largestAmount, amountOf(member, key));
    }
  }
  for (const change of changes) {
    change.shownSince = Math.max(change.shownSince, shownTotal(group, change.keys));
    change.mostPossible = Math.max(change.mostPossible, sum(change.keys.map((key) => everHadOf(group, key))));
    const isReplacedInPart = change.replaced.size > 0 && change.keys.some((key) => !change.replaced.has(key));
    if (isReplacedInPart || holders(group, change.keys).length > 1) change.isOpen = true;
  }
}

export const isReplaced = ({ keys, replaced }: BookedChange): boolean =>
  keys.length > 0 && keys.every((key) => replaced.has(key));

/** Undefined: not final yet. */
export function dueReceipt(
  group: OrderGroup,
  change: BookedChange,
  when: { readonly now: number; readonly removedAfterMs: number },
): DueReceipt | undefined {
  const { keys, target, scope } = change;
  // Of a line that a follow-up named by its number never had: nothing is left of it (32).
  if (change.isOfNobody === true) return { change, states: ["removed"], picked: 0, mayWait: false };
  const members = holders(group, keys);
  const picked = sum(members.flatMap((member) => keys.map((key) => pickedOf(member, key))));
  const held = members.flatMap((member) => keys.filter((key) => mayHold(member, key)).map((key) => ({ member, key })));
  const isShown = held.every(({ member, key }) => member.state !== "waiting" && shownOf(member, key) !== undefined);
  // The put wall shows no amounts: what is taken to be there may count as shown, or wait for the end.
  const isSupposed = ({ shown, wallShown }: MemberLine) =>
    shown === undefined ? wallShown !== undefined : shown.size === 0;
  const mayWait = held.some(({ member, key }) => {
    const line = member.lines.get(key);
    if (line === undefined) return false;
    // Done with all that is wanted, the wall may still have what it was served before.
    if (member.state === "ended") return (line.wallShown ?? 0) > pickedOf(member, key);
    return isSupposed(line);
  });
  const isOver = members.length > 0 && members.every(({ state }) => state === "ended");
  // "At the latest with the order's end" (32): a follow-up that was withdrawn before it may be told with it, or wait.
  const isWithdrawn = ({ state, content }: MemberOrder) => state === "waiting" && content.size === 0;
  const isOverButWithdrawn =
    members.length > 0 &&
    group.members[0]?.state === "ended" &&
    members.every((one) => one.state === "ended" || isWithdrawn(one));
  // Of the orders that hold lines of it: that another one is being picked says nothing about these.
  const concerned = scope === "order" || members.length === 0 ? group.members : members;
  const isUntouched = concerned.every(({ state }) => state === "waiting");
  const isFinal =
    isOver ||
    isOverButWithdrawn ||
    (scope !== "order" && members.length > 0 && isShown && shownTotal(group, keys) <= Math.max(target, picked)) ||
    (isUntouched && when.now - change.filedAt >= when.removedAfterMs);
  if (!isFinal) return undefined;
  const largest = (of: (line: MemberLine) => number) =>
    sum(keys.map((key) => Math.max(0, ...members.flatMap((one) => one.lines.get(key) ?? []).map(of))));
  const ever = largest((line) => line.largestShown);
  // Whether pieces picked beyond an amount were shown by the platform is left open too.
  const everAmount = largest((line) => line.largestAmount);
  // The put wall shows nothing, strictly. "Largest amount shown" may mean ever, or since the change was filed: both are accepted where they differ.
  const isAtWall = held.some(({ member, key }) => member.lines.get(key)?.wallShown !== undefined);
  const states = [ever, everAmount, change.shownSince, ...(isAtWall ? [0] : [])].map((most): ReceiptState => {
    if (picked > target) return picked >= most ? "too-late" : "partly";
    return most > target ? "applied" : "removed";
  });
  return { change, states: [...new Set(states)], picked, mayWait: mayWait || (isOverButWithdrawn && !isOver) };
}
