import { type LedgerLine, remainingOf, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { baseFactor, carrierIndex, type Family, scaleOf } from "./family.ts";

/** What each account of a carrier is to have, by its position and in its own unit; lines in doubt are left out. */
export function targetsOf(family: Family, orderNumber: string): ReadonlyMap<number, number> {
  const index = carrierIndex(family, orderNumber);
  return new Map(
    family.lines.flatMap((line) =>
      (line.accounts[index] ?? []).flatMap((account, row): [number, number][] => {
        const target = line.decision?.targets[index]?.[row];
        return target === undefined ? [] : [[account.position, target / scaleOf(account, baseFactor(line))]];
      }),
    ),
  );
}

/** How much of what is open of an account somebody still wants, in its unit. */
export function openOf(family: Family, orderNumber: string): (account: LedgerLine) => number {
  const targets = targetsOf(family, orderNumber);
  return (account) => {
    const target = targets.get(account.position);
    return target === undefined ? remainingOf(account) : roundAmount(Math.max(0, target - takenOf(account)));
  };
}

/** What is missing in all of the line that an account belongs to, in the unit of the account. */
export function missingOf(
  family: Family | undefined,
  orderNumber: string,
): (account: LedgerLine) => { readonly key: string; readonly amount: number } | undefined {
  const index = family === undefined ? 0 : carrierIndex(family, orderNumber);
  return (account) => {
    const line = family?.lines.find((own) => own.accounts[index]?.some((one) => one.position === account.position));
    if (line === undefined || line.decision === null || line.facts.wanted === null) return undefined;
    return { key: line.key, amount: roundAmount(line.decision.short / scaleOf(account, baseFactor(line))) };
  };
}

/** The same of all accounts of its line in its order: those that nothing tells apart bring it together. */
export function openTogether(family: Family | undefined, account: LedgerLine): number {
  const index = family === undefined ? 0 : carrierIndex(family, account.orderNumber);
  const line = family?.lines.find((own) => own.accounts[index]?.some(({ position }) => position === account.position));
  if (line === undefined || line.decision === null) return remainingOf(account);
  const picked = line.facts.carriers[index]?.rows.reduce((sum, row) => sum + row.picked, 0) ?? 0;
  const target = line.decision.targets[index]?.reduce((sum, one) => sum + one, 0) ?? 0;
  return Math.max(0, (target - picked) / scaleOf(account, baseFactor(line)));
}
