import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { roundAmount, takenOf } from "../../ledger/ledger-line.ts";
import { concerns, lineKey, namesOf } from "../../ledger/line-ref.ts";
import { isOrderEnded, isWaiting, type MemberOrder } from "../group/member-order.ts";
import { heldBy, mostServed, sumOfLedgerLines, total } from "../line-amounts.ts";
import { type GroupLine, memberIndex, type OrderGroup } from "../order-group.ts";
import { givenInTurn } from "../reconcile.ts";
import { servedContent } from "../served/served-content.ts";
import { type LineChange, linesOf } from "../wanted.ts";
import { runningContent, withAmounts } from "../write-contents.ts";

/**
 * Turns a cancellation or reduction of a follow-up order, sent under its own number, into changes of the original
 * order: what the follow-up order loses is no longer wanted in total. A line it never had gets no change.
 */
export function changesOfFollowUp(group: OrderGroup, number: string, change: LineChange): readonly LineChange[] {
  const index = memberIndex(group, number);
  const member = group.members[index];
  if (member === undefined) return [];
  const lines = group.lines.filter(
    (line) => concerns(change, line) && line.wanted !== null && mostServed(member, line.key) > 0,
  );
  const present = presentContent(group, index);
  const held = lines.map((line) => (line.decision === null ? present(line.key) : heldBy(line, index)));
  // A follow-up order cannot be raised by its own number: that would change what the other orders have.
  const shares = shareLess(
    Math.min(change.amount, total(held)),
    lines.map((line, place) => ({ held: held[place] ?? 0, picked: pickedIn(line, index) })),
  );
  return lines.map(({ externalId, itemNumber, lot, ...line }, place): LineChange => {
    const [before = 0, share = 0] = [held[place], shares[place]];
    const amount = share < before ? wantedWith(line, roundAmount(share - before)) : (line.wanted ?? 0);
    return { externalId, itemNumber, lot, lineKey: line.key, amount };
  });
}

/** Shares a lower amount among lines. Each keeps what is picked of it first; the rest goes to the earlier lines. */
function shareLess(amount: number, lines: readonly { readonly held: number; readonly picked: number }[]): number[] {
  const kept = givenInTurn(
    amount,
    lines.map(({ held, picked }) => Math.min(held, picked)),
  );
  const more = givenInTurn(
    roundAmount(amount - total(kept)),
    lines.map(({ held }, place) => roundAmount(held - (kept[place] ?? 0))),
  );
  return kept.map((own, place) => roundAmount(own + (more[place] ?? 0)));
}

/**
 * Turns a push of a follow-up order under its own number into a push of the original order, raised or lowered line by
 * line.
 */
export function pushOfFollowUp(group: OrderGroup, workOrder: WorkOrder): WorkOrder {
  const index = memberIndex(group, workOrder.number);
  const member = group.members[index];
  const { pushed, gone } = group.wanted;
  if (member === undefined || pushed === null) return workOrder;
  const given = new Map(linesOf(workOrder.requests).map((line) => [lineKey(line), line.amount]));
  const present = presentContent(group, index);
  const amounts = new Map(
    group.lines.map((line) => [
      line.key,
      wantedByPush(line, index, { present: present(line.key), amount: given.get(line.key) ?? 0 }),
    ]),
  );
  const known = [...pushed.requests, ...gone];
  const keys = new Set(known.map((line) => lineKey(namesOf(line))));
  const added = workOrder.requests.filter((line) => !keys.has(lineKey(namesOf(line))));
  return { ...pushed, requests: [...withAmounts(known, amounts), ...added] };
}

/** The total wanted of a line when a follow-up order is to have this amount of it. */
function wantedByPush(
  line: GroupLine,
  index: number,
  { present, amount }: { readonly present: number; readonly amount: number },
): number {
  // The same amount again changes nothing, even when some of it was short-picked.
  if (amount === present) return line.wanted ?? 0;
  return wantedWith(line, amount - (line.decision === null ? present : heldBy(line, index)));
}

/** The total wanted of a line with this much more or less. What other orders short-picked is not asked for again. */
const wantedWith = ({ wanted, facts, factor }: Pick<GroupLine, "wanted" | "facts" | "factor">, more: number): number =>
  Math.max(0, roundAmount((wanted ?? 0) - (factor === null ? 0 : facts.shortPicked / factor) + more));

/** Returns what a list or scan of a follow-up order shows of a line, by key; 0 when nothing is left of the order. */
function presentContent(group: OrderGroup, index: number): (key: string) => number {
  const member = group.members[index];
  const requests = member === undefined || isNothingLeft(group, member, index) ? [] : requestsOf(member);
  const byKey = Map.groupBy(servedContent(requests), lineKey);
  return (key) => total((byKey.get(key) ?? []).map(({ amount }) => amount));
}

const requestsOf = ({ order }: MemberOrder) => order?.workOrder.requests ?? [];

/**
 * Whether the order was withdrawn, or is being picked with nothing left to pick. In the second case a scan still
 * returns its old lines, with a text that says so.
 */
function isNothingLeft(group: OrderGroup, member: MemberOrder, index: number): boolean {
  if (isWaiting(member)) return member.order?.state === "cancelled";
  return !isOrderEnded(member) && runningContent(group, index) === null;
}

const pickedIn = (line: GroupLine, index: number): number =>
  sumOfLedgerLines(line, line.ledgerLines[index] ?? [], takenOf);
