import type { PushedCancellation } from "../../../src/contract/pushes.ts";
import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import { type BookedChange, everHadOf, mayHaveOf } from "../model/change-book.ts";
import {
  type MemberOrder,
  type OrderGroup,
  pickedInGroup,
  pickedOf,
  sum,
  type WantedLine,
} from "../model/order-group.ts";
import { stillWanted, targetsOf } from "../model/reconcile.ts";

interface Filing {
  readonly group: OrderGroup;
  readonly changes: BookedChange[];
  readonly entryId: string;
  readonly now: number;
  readonly factorOf: (item: string) => number;
}

export const lineKey = (line: { externalId?: string | null; item: string; lot?: string | null }): string =>
  line.externalId ? `x:${line.externalId}` : `i:${line.item}|${line.lot ?? ""}`;

/** A push is a change of every line whose amount differs from what is wanted now. */
export function applyPush(order: WorkOrder, filing: Filing): void {
  const { group, changes, entryId, now, factorOf } = filing;
  const amounts = new Map<string, number>();
  const isFirst = !group.isPushed;
  const followUp = group.members.slice(1).find(({ number }) => number === order.number);
  // Worked on before it was pushed.
  if (isFirst && group.members.some(({ state }) => state !== "waiting")) group.isChanged = true;
  // All lines that it had shown were done; the push may name others, which it may have as well.
  if (isFirst) for (const member of group.members) if (member.state === "ended") member.state = "running";
  group.isCalledOffUnseen = false;
  const isShownWithoutId = (item: string) =>
    [...group.lines.values()].some((line) => line.item === item && line.externalId === null);
  if (isFirst && order.requests.some((line) => line.requestExternalIdentifier && isShownWithoutId(line.itemNumber))) {
    group.undecided ??= "a line that was shown without the id that it is pushed with";
  }
  for (const { itemNumber: item, lotNumber, requestExternalIdentifier, requestedAmount } of order.requests) {
    const [externalId, lot, factor] = [requestExternalIdentifier ?? null, lotNumber ?? null, factorOf(item)];
    const key = lineKey({ externalId, item, lot });
    amounts.set(key, (amounts.get(key) ?? 0) + requestedAmount * factor);
    if (!group.lines.has(key)) group.lines.set(key, { key, externalId, item, lot, factor, wanted: 0, shortPicked: 0 });
  }
  if (isFirst) group.firstPush = new Map(amounts);
  if (followUp !== undefined) {
    for (const line of group.lines.values()) {
      amounts.set(line.key, wantedWithFollowUp(group, line, followUp, amounts.get(line.key) ?? 0));
    }
  }
  group.pushedKeys = new Set([...amounts].filter(([, amount]) => amount > 0).map(([key]) => key));
  // In the order of the latest push; what it leaves out comes last, and so does what a follow-up's push leaves nothing of.
  const isLeft = (key: string) => (amounts.get(key) ?? 0) > 0;
  const first = followUp === undefined ? amounts.keys() : [...group.lines.keys()].filter(isLeft);
  const lines = [...first, ...group.lines.keys()].flatMap((key) => group.lines.get(key) ?? []);
  group.lines.clear();
  for (const line of lines) group.lines.set(line.key, line);
  for (const line of group.lines.values()) {
    const amount = amounts.get(line.key) ?? 0;
    if (amount === line.wanted) continue;
    const before = line.wanted;
    setWanted(filing, line, amount);
    if (isFirst) continue;
    group.isChanged = true;
    if (amount >= everHadOf(group, line.key)) continue;
    // Below what it once had, and not below what it has now: whether that is a change is left open.
    const isOpen = before < amount || amount >= mayHaveOf(group, line.key);
    changes.push({
      ...{ pushId: entryId, orderNumber: group.number, scope: "line", keys: [line.key], replaced: new Set() },
      ...{ externalId: line.externalId, item: line.item, lot: line.lot, amount: amount / line.factor, target: amount },
      ...{ factor: line.factor, filedAt: now, shownSince: 0, mostPossible: 0, isOpen, isTold: false },
    });
  }
  group.isPushed = true;
}

/** What is wanted in all where a follow-up is to have so much of a line. The same as it has says nothing new (33f). */
function wantedWithFollowUp(group: OrderGroup, line: WantedLine, followUp: MemberOrder, amount: number): number {
  if (followUp.state === "ended") group.undecided ??= "a push of a follow-up that has ended";
  if (amount === (followUp.content.get(line.key) ?? 0)) return line.wanted;
  return Math.max(0, stillWanted(line) - heldIn(group, line, followUp) + amount);
}

/** What a follow-up has of a line, or is to have. */
function heldIn(group: OrderGroup, line: WantedLine, followUp: MemberOrder): number {
  if (line.factor !== 1) group.undecided ??= "a change of a follow-up in metres";
  const { targets, left } = targetsOf(group, line);
  if (followUp.state !== "waiting") return targets.get(followUp) ?? 0;
  // One that was withdrawn, since the order itself waits again and takes all, or another follow-up does, has nothing.
  return followUp === group.members.find(({ state }) => state === "waiting") ? left : 0;
}

/** Under the number of a follow-up: it has so much less, and so much less is wanted in all. */
function takeCancellationOf(followUp: MemberOrder, given: PushedCancellation, filing: Filing): void {
  const { group, changes, entryId, now } = filing;
  const externalId = given.requestExternalIdentifier ?? null;
  const item = given.itemNumber ?? null;
  const lines = [...group.lines.values()].filter(
    (line) =>
      followUp.served.some((content) => content.has(line.key)) &&
      (externalId === null ? item === null || line.item === item : line.externalId === externalId),
  );
  if (followUp.state === "ended") group.undecided ??= "a change of a follow-up that has ended";
  const held = lines.map((line) => heldIn(group, line, followUp));
  const picked = lines.map(({ key }) => pickedOf(followUp, key));
  const amount = (given.requestedAmount ?? 0) * (lines[0]?.factor ?? 1);
  let spare = amount - sum(picked);
  if (spare < 0 && lines.length > 1) group.undecided ??= "less than is picked of several lines of a follow-up";
  const targets = lines.map((line, index) => {
    const [had = 0, own = 0] = [held[index], picked[index]];
    const more = Math.max(0, Math.min(had - own, spare));
    spare -= more;
    const kept = lines.length === 1 ? Math.min(amount, had) : own + more;
    return kept < had ? Math.max(0, stillWanted(line) - had + kept) : line.wanted;
  });
  group.isChanged = true;
  for (const [index, line] of lines.entries()) {
    const target = targets[index] ?? 0;
    setWanted(filing, line, target);
    changes.push({
      ...{ pushId: entryId, orderNumber: group.number, scope: "line", keys: [line.key], replaced: new Set() },
      ...{ externalId: line.externalId, item: line.item, lot: line.lot, amount: target / line.factor, target },
      ...{ factor: line.factor, filedAt: now, shownSince: 0, mostPossible: 0, isOpen: false, isTold: false },
    });
  }
  if (lines.length > 0) return;
  changes.push({
    ...{ pushId: entryId, orderNumber: group.number, scope: externalId !== null ? "line" : "item", keys: [] },
    ...{ externalId, item, lot: null, amount: given.requestedAmount ?? 0, target: amount, factor: 1, filedAt: now },
    ...{ replaced: new Set(), shownSince: 0, mostPossible: 0, isOpen: false, isOfNobody: true, isTold: false },
  });
}

/** What was cut short before a change is asked for again by it. */
function forgetCut({ members }: OrderGroup, wanted: WantedLine): void {
  wanted.shortPicked = 0;
  for (const { lines } of members) {
    const line = lines.get(wanted.key);
    if (line !== undefined) line.shortPicked = 0;
  }
}

function setWanted({ changes, group }: Filing, line: WantedLine, amount: number): void {
  if (amount !== line.wanted) forgetCut(group, line);
  line.wanted = amount;
  const shared = group.itemAmounts.get(line.item);
  // What the others then keep of a change they shared is left open, until each of them has got a newer one.
  if (shared !== undefined) group.undecided ??= "a newer change on one of several lines that shared one";
  for (const { orderNumber, keys, replaced } of changes) {
    if (orderNumber === group.number && keys.includes(line.key)) replaced.add(line.key);
  }
}

export function applyCancellation(given: PushedCancellation, filing: Filing): void {
  const { group, changes, entryId, now, factorOf } = filing;
  const followUp = group.members.slice(1).find(({ number }) => number === given.workOrderNumber);
  if (followUp !== undefined) {
    takeCancellationOf(followUp, given, filing);
    return;
  }
  const externalId = given.requestExternalIdentifier ?? null;
  const item = given.itemNumber ?? null;
  const scope = externalId !== null ? "line" : item !== null ? "item" : "order";
  const lines = [...group.lines.values()].filter(
    (line) => scope === "order" || (scope === "line" ? line.externalId === externalId : line.item === item),
  );
  const factor = lines[0]?.factor ?? (item === null ? 1 : factorOf(item));
  const target = (given.requestedAmount ?? 0) * factor;
  const isOurs = (key: string) =>
    group.members.some(({ served, content }) => [...served, content].some((each) => each.has(key)));
  if (target > 0 && group.isPushed && lines.some(({ key }) => !isOurs(key))) {
    group.undecided ??= "an amount for a line that only the platform has told of";
  }
  // How lines of an order that only the platform has told of share an amount is left open.
  if (scope === "item" && !group.isPushed) group.undecided ??= "an item's amount for an order that was never pushed";
  if (scope === "item" && lines.length > 1) {
    const before = lines.map(({ key, wanted }) => ({ key, before: wanted }));
    // Each line's amount is its share; that it gets a change is what counts here.
    for (const line of lines) setWanted(filing, line, line.wanted);
    if (target !== sum(lines.map(({ wanted }) => wanted))) for (const line of lines) forgetCut(group, line);
    const { key: raised } =
      before.findLast((line) => line.before > 0) ?? before.findLast(({ key }) => group.pushedKeys.has(key)) ?? {};
    group.itemAmounts.set(item ?? "", { target, lines: before, raised });
    // How much of each line is picked cannot be said in its own unit while that is in doubt.
    if (factor !== 1) group.undecided ??= "an amount for several lines in metres";
  } else for (const line of lines) setWanted(filing, line, target);
  if (scope === "order") {
    group.isCalledOffUnseen = true;
    // The latest change wins, whatever its scope.
    group.keptAmounts.clear();
  }
  if (lines.length === 0 && scope !== "order") group.keptAmounts.set(externalId ?? item ?? "", target);
  group.isChanged = true;
  changes.push({
    ...{ pushId: entryId, orderNumber: group.number, scope, externalId, item, keys: lines.map(({ key }) => key) },
    ...{
      lot: null,
      amount: given.requestedAmount ?? 0,
      target,
      factor,
      filedAt: now,
      replaced: new Set(),
      shownSince: 0,
      mostPossible: 0,
    },
    // Nobody holds such a line: `removed`, at a time that is left open.
    ...{ isOpen: lines.length === 0, isTold: false },
  });
}

/** Earlier lines keep first, and each what is picked of it; what is above the sum raises the last line that is wanted. */
export function shareItemAmounts(group: OrderGroup): void {
  for (const { target, lines, raised } of group.itemAmounts.values()) {
    const picked = lines.map(({ key }) => pickedInGroup(group, key));
    let spare = target - sum(picked);
    let kept = target;
    for (const [index, { key, before }] of lines.entries()) {
      const own = picked[index] ?? 0;
      const line = group.lines.get(key);
      if (line === undefined) continue;
      if (spare < 0) {
        // Less than what is picked of them: nothing is left to be picked, and what is too much counts by item.
        line.wanted = Math.min(own, kept);
        kept -= line.wanted;
        continue;
      }
      const more = Math.max(0, Math.min(before - own, spare));
      spare -= more;
      line.wanted = own + more;
    }
    const last = group.lines.get(raised ?? lines.at(-1)?.key ?? "");
    if (last !== undefined && spare > 0) last.wanted += spare;
  }
}
