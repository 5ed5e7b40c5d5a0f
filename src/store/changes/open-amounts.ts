import { type LedgerLine, remainingOf, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { baseFactor, memberIndex, type OrderGroup, scaleOf } from "./order-group.ts";

/**
 * The target of each ledger line of a member, by position and in the ledger line's unit. Lines whose unit is in doubt
 * are left out.
 */
export function targetsOf(group: OrderGroup, orderNumber: string): ReadonlyMap<number, number> {
  const index = memberIndex(group, orderNumber);
  return new Map(
    group.lines.flatMap((line) =>
      (line.ledgerLines[index] ?? []).flatMap((ledgerLine, row): [number, number][] => {
        const target = line.decision?.targets[index]?.[row];
        return target === undefined ? [] : [[ledgerLine.position, target / scaleOf(ledgerLine, baseFactor(line))]];
      }),
    ),
  );
}

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
  const index = group === undefined ? 0 : memberIndex(group, orderNumber);
  return (ledgerLine) => {
    const line = group?.lines.find((own) =>
      own.ledgerLines[index]?.some((one) => one.position === ledgerLine.position),
    );
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
