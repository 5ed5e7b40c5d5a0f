import type { PushedCancellation } from "../../src/contract/pushes.ts";
import type { WorkOrder } from "../../src/contract/schemas/work-order.ts";
import { type BookedChange, mayHaveOf } from "./change-book.ts";
import { type Family, pickedInFamily, sum, type WantedLine } from "./family.ts";

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
  for (const { itemNumber: item, lotNumber, requestExternalIdentifier, requestedAmount } of order.requests) {
    const [externalId, lot, factor] = [requestExternalIdentifier ?? null, lotNumber ?? null, factorOf(item)];
    const key = lineKey({ externalId, item, lot });
    amounts.set(key, (amounts.get(key) ?? 0) + requestedAmount * factor);
    if (!family.lines.has(key)) family.lines.set(key, { key, externalId, item, lot, factor, wanted: 0, cut: 0 });
  }
  for (const line of family.lines.values()) {
    const amount = amounts.get(line.key) ?? 0;
    if (amount === line.wanted) continue;
    const before = line.wanted;
    giveWord(filing, line, amount);
    if (isFirst) continue;
    family.isChanged = true;
    const mayHave = mayHaveOf(family, line.key);
    if (amount >= mayHave) continue;
    changes.push({
      ...{ pushId: entryId, orderNumber: family.number, scope: "line", keys: [line.key], replaced: new Set() },
      ...{ externalId: line.externalId, item: line.item, amount: amount / line.factor, target: amount },
      ...{ factor: line.factor, filedAt: now, shownSince: 0, possibleSince: 0, isOpen: before < amount, isTold: false },
    });
  }
  family.isPushed = true;
}

function giveWord({ changes, family }: Filing, line: WantedLine, amount: number): void {
  if (amount !== line.wanted) line.cut = 0;
  line.wanted = amount;
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
  if (scope === "item") shareWord(filing, lines, target);
  else for (const line of lines) giveWord(filing, line, target);
  if (lines.length === 0 && scope === "order") family.isCalledOffUnseen = true;
  if (lines.length === 0 && scope !== "order") family.keptWords.set(externalId ?? item ?? "", target);
  family.isChanged = true;
  changes.push({
    ...{ pushId: entryId, orderNumber: family.number, scope, externalId, item, keys: lines.map(({ key }) => key) },
    ...{
      amount: given.requestedAmount ?? 0,
      target,
      factor,
      filedAt: now,
      replaced: new Set(),
      shownSince: 0,
      possibleSince: 0,
    },
    // Nobody holds such a line: `removed`, at a time that is left open.
    ...{ isOpen: lines.length === 0, isTold: false },
  });
}

/** Earlier lines keep first, and each what is picked of it; what is above the sum raises the last line. */
function shareWord(filing: Filing, lines: readonly WantedLine[], target: number): void {
  const picked = lines.map(({ key }) => pickedInFamily(filing.family, key));
  let spare = target - sum(picked);
  const shares = lines.map((line, index) => {
    const kept = picked[index] ?? 0;
    // Below what is picked the rest cannot be kept either: the word is then less than the sum of what is picked.
    const more = Math.max(0, Math.min(line.wanted - kept, spare));
    spare -= more;
    return kept + more;
  });
  for (const [index, line] of lines.entries()) {
    let share = shares[index] ?? 0;
    if (index === lines.length - 1) share += spare;
    giveWord(filing, line, Math.max(0, share));
  }
}
