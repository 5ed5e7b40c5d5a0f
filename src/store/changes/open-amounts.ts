import { oncePer } from "../../kit/recent-values.ts";
import { type LedgerLine, remainingOf, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { baseFactor, scaleOf } from "./group/line-facts.ts";
import { type GroupLine, memberIndex, type OrderGroup } from "./order-group.ts";

/**
 * The target of each ledger line of a member, by position and in the ledger line's unit. Lines whose unit is in doubt
 * are left out.
 */
export function targetsOf(group: OrderGroup, orderNumber: string): ReadonlyMap<number, number> {
  const index = memberIndex(group, orderNumber);
  const targets = new Map<number, number>();
  for (const line of group.lines) {
    for (const [row, ledgerLine] of (line.ledgerLines[index] ?? []).entries()) {
      const target = line.decision?.targets[index]?.[row];
      if (target !== undefined) targets.set(ledgerLine.position, target / scaleOf(ledgerLine, baseFactor(line)));
    }
  }
  return targets;
}

const linesByPosition = oncePer(({ members, lines }: OrderGroup) =>
  members.map(
    (_, index) =>
      new Map(
        lines.flatMap((line) => (line.ledgerLines[index] ?? []).map(({ position }) => [position, line] as const)),
      ),
  ),
);

/** The line that each ledger line of an order belongs to, by the position of the ledger line. */
export const lineByPosition = (group: OrderGroup, orderNumber: string): ReadonlyMap<number, GroupLine> =>
  linesByPosition(group)[memberIndex(group, orderNumber)] ?? new Map();

/** Returns how much of a ledger line's open amount is still wanted, in its unit. */
export function openOf(group: OrderGroup, orderNumber: string): (ledgerLine: LedgerLine) => number {
  const targets = targetsOf(group, orderNumber);
  return (ledgerLine) => {
    const target = targets.get(ledgerLine.position);
    return target === undefined ? remainingOf(ledgerLine) : roundAmount(Math.max(0, target - takenOf(ledgerLine)));
  };
}

/** Returns the total missing amount of the line that a ledger line belongs to, in the ledger line's unit. */
export function missingOf(
  group: OrderGroup | undefined,
  orderNumber: string,
): (ledgerLine: LedgerLine) => { readonly key: string; readonly amount: number } | undefined {
  // Asked for each ledger line of an item, which may be thousands.
  const lines = group === undefined ? undefined : lineByPosition(group, orderNumber);
  return (ledgerLine) => {
    const line = lines?.get(ledgerLine.position);
    if (line === undefined || line.decision === null || line.facts.wanted === null) return undefined;
    return { key: line.key, amount: roundAmount(line.decision.missingAmount / scaleOf(ledgerLine, baseFactor(line))) };
  };
}

/**
 * How much is still wanted of a ledger line together with the other ledger lines of its line in the same order: ledger
 * lines that cannot be told apart fulfil it together.
 */
export function openOfWholeLine(group: OrderGroup | undefined, ledgerLine: LedgerLine): number {
  const index = group === undefined ? 0 : memberIndex(group, ledgerLine.orderNumber);
  const line = group?.lines.find((own) =>
    own.ledgerLines[index]?.some(({ position }) => position === ledgerLine.position),
  );
  if (line === undefined || line.decision === null) return remainingOf(ledgerLine);
  const picked = line.facts.members[index]?.rows.reduce((sum, row) => sum + row.picked, 0) ?? 0;
  const target = line.decision.targets[index]?.reduce((sum, one) => sum + one, 0) ?? 0;
  return Math.max(0, (target - picked) / scaleOf(ledgerLine, baseFactor(line)));
}
