import type { Finding } from "../calls/call-tally.ts";
import type { RunningLine } from "../orders/running-order.ts";
import { linesOf, mayBeUncertain, type OrderGroup, type PushedChange, pickedOf } from "./simulated-order-group.ts";

/** What the journal contains about one order group up to a certain line; amounts in base units, by group. */
export interface OrderGroupJournal {
  readonly picked: Map<string, number>;
  /** The largest amount that any model has shown. */
  readonly mostShown: Map<string, number>;
  /** Which orders of the order group had a step or a placement. */
  readonly begun: Set<string>;
  readonly receipts: Receipt[];
}

/** The adapter's receipt for a change. */
export interface Receipt {
  readonly changeId?: string;
  readonly pushId: string;
  readonly workOrderNumber: string;
  readonly requestExternalIdentifier?: string | null;
  readonly itemNumber?: string | null;
  readonly receipt: string;
  readonly pickedAmount?: number | null;
  readonly requestedAmount?: number;
}

/** Compares a receipt with what was true when it was written. */
export function judgeReceipt(orderGroup: OrderGroup, journal: OrderGroupJournal, receipt: Receipt): Finding[] {
  const change = orderGroup.pushedChanges.find(({ pushId }) => pushId === receipt.pushId);
  if (change === undefined)
    return [finding(orderGroup, receipt, "a receipt is about no change that was pushed", "none")];
  const keys = keysOf(orderGroup, change, receipt);
  const isSecond = journal.receipts.some(
    (one) => one.pushId === receipt.pushId && keysOf(orderGroup, change, one).join() === keys.join(),
  );
  if (isSecond) return [finding(orderGroup, receipt, "a change has a second receipt", "one")];
  const later = keys.filter((key) => isReplaced(orderGroup, change, key));
  // If only some of its lines were changed again, it is unclear which lines the receipt still covers.
  if (later.length > 0 && later.length < keys.length) return [];
  const groups = new Set(keys.flatMap((key) => orderGroup.lines.get(key)?.group ?? []));
  const isWhole = [...groups].every((group) => linesOf(orderGroup, group).every(({ key }) => keys.includes(key)));
  if (!isWhole || [...groups].some((group) => mayBeUncertain(orderGroup, group))) return [];
  const factor = orderGroup.lines.get(keys[0] ?? "")?.factor ?? 1;
  const picked = [...groups].reduce((sum, group) => sum + (journal.picked.get(group) ?? 0), 0) / factor;
  const target = keys.reduce((sum, key) => sum + (change.targets.get(key) ?? 0), 0);
  const shown = [...groups].reduce((sum, group) => sum + (journal.mostShown.get(group) ?? 0), 0) / factor;
  const isClear =
    [...groups].every((group) => linesOf(orderGroup, group)[0]?.factor === factor) &&
    journal.begun.size <= 1 &&
    !orderGroup.isPutWall &&
    !orderGroup.plan.fetchesAgainAt &&
    shown >= mostWanted(orderGroup, groups);
  const expected = expectedReceipts({ picked, target, shown, isClear });
  const found = `${receipt.receipt}${receipt.pickedAmount == null ? "" : ` with ${receipt.pickedAmount} picked`}`;
  if (!expected.includes(receipt.receipt)) {
    return [
      finding(
        orderGroup,
        receipt,
        `a receipt does not say what came true (${picked} picked, ${target} wanted, ${shown} shown)`,
        expected.join(" or "),
        found,
      ),
    ];
  }
  const isAmountRight = picked <= target || keys.length > 1 || receipt.pickedAmount === picked;
  return isAmountRight
    ? []
    : [finding(orderGroup, receipt, "a receipt has another amount than was picked", String(picked), found)];
}

function expectedReceipts(facts: {
  readonly picked: number;
  readonly target: number;
  readonly shown: number;
  /** Whether a single order was fetched once, so that the shown amounts are unambiguous. */
  readonly isClear: boolean;
}): readonly string[] {
  const { picked, target, shown, isClear } = facts;
  if (picked > target) return isClear ? [picked >= shown ? "too-late" : "partly"] : ["partly", "too-late"];
  if (!isClear) return ["removed", "applied"];
  return [shown > target ? "applied" : "removed"];
}

/** Changes that are completely visible at the platform but have no receipt. */
export function missingReceipts(orderGroup: OrderGroup, journal: OrderGroupJournal): Finding[] {
  return orderGroup.pushedChanges.flatMap((change) => {
    const changes = change.scope === "push" ? [...change.lowered].map((key) => [key]) : [[...change.targets.keys()]];
    return changes.flatMap((keys) => {
      const hasReceipt = journal.receipts.some(
        (one) => one.pushId === change.pushId && keysOf(orderGroup, change, one).some((key) => keys.includes(key)),
      );
      if (
        hasReceipt ||
        keys.some((key) => isReplaced(orderGroup, change, key)) ||
        !keys.every((key) => isShown(orderGroup, change, key))
      )
        return [];
      const text = `nothing says what became of a change (${change.scope} ${keys.join(", ")})`;
      return [finding(orderGroup, null, text, "a receipt", "none")];
    });
  });
}

/** Whether the platform has shown that it has no more of the line than is wanted, or than it had already picked. */
function isShown(orderGroup: OrderGroup, change: PushedChange, key: string): boolean {
  const line = orderGroup.lines.get(key);
  const begun = orderGroup.members.filter(({ state }) => state !== "waiting");
  if (line === undefined || begun.length === 0 || mayBeUncertain(orderGroup, line.group)) return false;
  const isEnded = begun.every(({ state }) => state === "ended");
  if (isEnded) return true;
  // A put wall shows no amounts. For a line that was fetched again, only a step shows whether it includes earlier
  // picks.
  if (begun.some(({ isShown, isAtWall, floor }) => !isShown || isAtWall || floor?.lines.some(isUncounted)))
    return false;
  // The platform may have fetched a waiting order and may still work on the old content. The adapter cannot know
  // whether it was fetched.
  if (orderGroup.followedUp.has(line.group)) return false;
  if (orderGroup.members.some(({ state, everServed }) => state === "waiting" && everServed.has(line.group)))
    return false;
  const shown = begun.reduce((sum, member) => sum + (member.shown.get(line.group) ?? 0), 0);
  return shown <= Math.max((change.targets.get(key) ?? 0) * line.factor, pickedOf(orderGroup, line.group));
}

const isUncounted = ({ isRenewed, isStepped }: RunningLine): boolean => isRenewed && !isStepped;

/**
 * The largest amount ever wanted, in its own unit. An amount that was never shown may have been withheld because of the
 * change.
 */
const mostWanted = ({ amounts }: OrderGroup, groups: ReadonlySet<string>): number =>
  [...groups].reduce((sum, group) => sum + Math.max(0, ...(amounts.get(group) ?? [])), 0);

const isReplaced = ({ pushedChanges }: OrderGroup, change: PushedChange, key: string): boolean =>
  pushedChanges.slice(pushedChanges.indexOf(change) + 1).some(({ targets }) => targets.has(key));

function keysOf(
  orderGroup: OrderGroup,
  { targets }: PushedChange,
  { requestExternalIdentifier, itemNumber }: Receipt,
): string[] {
  if (requestExternalIdentifier) return [requestExternalIdentifier];
  const keys = [...targets.keys()].toSorted();
  return itemNumber ? keys.filter((key) => orderGroup.lines.get(key)?.content.itemNumber === itemNumber) : keys;
}

const finding = (
  orderGroup: OrderGroup,
  receipt: Receipt | null,
  text: string,
  expected: string,
  found = "",
): Finding => ({
  kind: "amount",
  order: orderGroup.number,
  item: receipt?.itemNumber ?? null,
  text:
    receipt === null
      ? text
      : `${text}; ${receipt.requestExternalIdentifier ?? receipt.itemNumber ?? "the order"} to ${receipt.requestedAmount}`,
  expected,
  found: found || (receipt?.receipt ?? "none"),
  calls: [...orderGroup.history],
});
