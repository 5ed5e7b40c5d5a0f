import type { PushedCancellation } from "../../../src/contract/pushes.ts";
import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import { type BookedChange, everHadOf, mayHaveOf } from "../model/change-book.ts";
import { type Family, pickedInFamily, sum, type WantedLine } from "../model/family.ts";

interface Filing {
  readonly family: Family;
  readonly changes: BookedChange[];
  readonly entryId: string;
  readonly now: number;
  readonly factorOf: (item: string) => number;
}

export const lineKey = (line: { externalId?: string | null; item: string; lot?: string | null }): string =>
  line.externalId ? `x:${line.externalId}` : `i:${line.item}|${line.lot ?? ""}`;

/** A push is a word on every line whose amount differs from what is wanted now. */
export function takePush(order: WorkOrder, filing: Filing): void {
  const { family, changes, entryId, now, factorOf } = filing;
  const amounts = new Map<string, number>();
  const isFirst = !family.isPushed;
  // Worked on before it was pushed.
  if (isFirst && family.carriers.some(({ state }) => state !== "waiting")) family.isChanged = true;
  // All lines that it had shown were done; the push may name others, which it may have as well.
  if (isFirst) for (const carrier of family.carriers) if (carrier.state === "ended") carrier.state = "running";
  family.isCalledOffUnseen = false;
  const isShownWithoutId = (item: string) =>
    [...family.lines.values()].some((line) => line.item === item && line.externalId === null);
  if (isFirst && order.requests.some((line) => line.requestExternalIdentifier && isShownWithoutId(line.itemNumber))) {
    family.openQuery ??= "a line that was shown without the id that it is pushed with";
  }
  for (const { itemNumber: item, lotNumber, requestExternalIdentifier, requestedAmount } of order.requests) {
    const [externalId, lot, factor] = [requestExternalIdentifier ?? null, lotNumber ?? null, factorOf(item)];
    const key = lineKey({ externalId, item, lot });
    amounts.set(key, (amounts.get(key) ?? 0) + requestedAmount * factor);
    if (!family.lines.has(key)) family.lines.set(key, { key, externalId, item, lot, factor, wanted: 0, cut: 0 });
  }
  // In the order of the latest push; what it leaves out comes last.
  const lines = [...amounts.keys(), ...family.lines.keys()].flatMap((key) => family.lines.get(key) ?? []);
  family.lines.clear();
  for (const line of lines) family.lines.set(line.key, line);
  for (const line of family.lines.values()) {
    const amount = amounts.get(line.key) ?? 0;
    if (amount === line.wanted) continue;
    const before = line.wanted;
    giveWord(filing, line, amount);
    if (isFirst) continue;
    family.isChanged = true;
    if (amount >= everHadOf(family, line.key)) continue;
    // Below what it once had, and not below what it has now: whether that is a change is left open.
    const isOpen = before < amount || amount >= mayHaveOf(family, line.key);
    changes.push({
      ...{ pushId: entryId, orderNumber: family.number, scope: "line", keys: [line.key], replaced: new Set() },
      ...{ externalId: line.externalId, item: line.item, lot: line.lot, amount: amount / line.factor, target: amount },
      ...{ factor: line.factor, filedAt: now, shownSince: 0, mostPossible: 0, isOpen, isTold: false },
    });
  }
  family.isPushed = true;
}

/** What was cut short before a changed word is asked for again by it. */
function forgetCut({ carriers }: Family, wanted: WantedLine): void {
  wanted.cut = 0;
  for (const { lines } of carriers) {
    const line = lines.get(wanted.key);
    if (line !== undefined) line.cut = 0;
  }
}

function giveWord({ changes, family }: Filing, line: WantedLine, amount: number): void {
  if (amount !== line.wanted) forgetCut(family, line);
  line.wanted = amount;
  const shared = family.itemWords.get(line.item);
  // What the others then keep of a word they shared is left open, until each of them has got a newer one.
  if (shared !== undefined) family.openQuery ??= "a newer word on one of several lines that shared one";
  for (const { orderNumber, keys, replaced } of changes) {
    if (orderNumber === family.number && keys.includes(line.key)) replaced.add(line.key);
  }
}

export function takeCancellation(given: PushedCancellation, filing: Filing): void {
  const { family, changes, entryId, now, factorOf } = filing;
  const externalId = given.requestExternalIdentifier ?? null;
  const item = given.itemNumber ?? null;
  const scope = externalId !== null ? "line" : item !== null ? "item" : "order";
  const lines = [...family.lines.values()].filter(
    (line) => scope === "order" || (scope === "line" ? line.externalId === externalId : line.item === item),
  );
  const factor = lines[0]?.factor ?? (item === null ? 1 : factorOf(item));
  const target = (given.requestedAmount ?? 0) * factor;
  const isOurs = (key: string) =>
    family.carriers.some(({ served, content }) => [...served, content].some((each) => each.has(key)));
  if (target > 0 && family.isPushed && lines.some(({ key }) => !isOurs(key))) {
    family.openQuery ??= "an amount for a line that only the platform has told of";
  }
  // How lines of an order that only the platform has told of share an amount is left open.
  if (scope === "item" && !family.isPushed) family.openQuery ??= "an item's amount for an order that was never pushed";
  if (scope === "item" && lines.length > 1) {
    const before = lines.map(({ key, wanted }) => ({ key, before: wanted }));
    // Each line's amount is its share; that it gets a word is what counts here.
    for (const line of lines) giveWord(filing, line, line.wanted);
    if (target !== sum(lines.map(({ wanted }) => wanted))) for (const line of lines) forgetCut(family, line);
    family.itemWords.set(item ?? "", { target, lines: before });
    // How much of each line is picked cannot be said in its own unit while that is in doubt.
    if (factor !== 1) family.openQuery ??= "an amount for several lines in metres";
  } else for (const line of lines) giveWord(filing, line, target);
  if (scope === "order") {
    family.isCalledOffUnseen = true;
    // The latest word wins, whatever its scope.
    family.keptWords.clear();
  }
  if (lines.length === 0 && scope !== "order") family.keptWords.set(externalId ?? item ?? "", target);
  family.isChanged = true;
  changes.push({
    ...{ pushId: entryId, orderNumber: family.number, scope, externalId, item, keys: lines.map(({ key }) => key) },
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

/** Earlier lines keep first, and each what is picked of it; what is above the sum raises the last line. */
export function shareItemWords(family: Family): void {
  for (const { target, lines } of family.itemWords.values()) {
    const picked = lines.map(({ key }) => pickedInFamily(family, key));
    let spare = target - sum(picked);
    let kept = target;
    for (const [index, { key, before }] of lines.entries()) {
      const own = picked[index] ?? 0;
      const line = family.lines.get(key);
      if (line === undefined) continue;
      if (spare < 0) {
        // Less than what is picked of them: nothing is left to be picked, and what is too much counts by item.
        line.wanted = Math.min(own, kept);
        kept -= line.wanted;
        continue;
      }
      const more = Math.max(0, Math.min(before - own, spare));
      spare -= more;
      line.wanted = own + more + (index === lines.length - 1 ? spare : 0);
    }
  }
}
