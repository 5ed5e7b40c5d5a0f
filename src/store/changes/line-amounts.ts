import { askedAtWall, type LedgerLine, presentOf, remainingOf, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { lineKey } from "../ledger/line-sight.ts";
import { baseFactor, type Carrier, type Family, type FamilyLine, isPutWall } from "./family.ts";
import type { RowFacts } from "./reconcile.ts";

/** Amounts of lines over all their accounts, in the line's own unit: what words are compared with and receipts tell. */
interface LineSums {
  readonly wanted: number;
  readonly picked: number;
  /** The most the platform has shown of it. */
  readonly shown: number;
  /** The most it may have asked for. */
  readonly asked: number;
}

export const total = (amounts: readonly number[]): number =>
  roundAmount(amounts.reduce((sum, amount) => sum + amount, 0));

const inUnit = (amount: number, account: LedgerLine, factor: number): number =>
  account.factor === null ? amount : amount / factor;

/** A sum over accounts of a line. */
export const sumOfAccounts = (
  line: Pick<FamilyLine, "factor">,
  accounts: readonly LedgerLine[],
  of: (account: LedgerLine) => number,
): number => accounts.reduce((sum, account) => sum + inUnit(of(account), account, baseFactor(line)), 0);

export function sumsOf(line: FamilyLine, carriers: readonly Carrier[]): LineSums {
  const sum = (of: (account: LedgerLine, isWall: boolean) => number) =>
    carriers.reduce((all, carrier, index) => {
      const isWall = isPutWall(carrier);
      return all + sumOfAccounts(line, line.accounts[index] ?? [], (account) => of(account, isWall));
    }, 0);
  return {
    wanted: line.wanted ?? 0,
    picked: sum(takenOf),
    shown: sum((account) => (account.factor === null ? 0 : account.requested)),
    // A put wall shows nothing: there it is what was served.
    asked: sum((account, isWall) => {
      if (account.factor !== null) return account.requested;
      return isWall ? askedAtWall(account).requested : 0;
    }),
  };
}

/** A sum over the platform's lines of a line, in base units. */
export const sumOfRows = ({ facts }: FamilyLine, of: (row: RowFacts) => number): number =>
  total(facts.carriers.flatMap(({ rows }) => rows.map(of)));

/** What a carrier is to hold of a line. */
export const heldBy = (line: FamilyLine, index: number): number => (line.decision?.held[index] ?? 0) / baseFactor(line);

/** What a carrier is to have of a line that it has, in the line's own unit. */
export const targetIn = (line: FamilyLine, index: number): number =>
  roundAmount(total(line.decision?.targets[index] ?? []) / baseFactor(line));

/** What is more than was told before. */
export const besides = (amount: number, told: number): number => roundAmount(amount - told);

/** The largest amount that any content served had of a line. */
export const mostServed = ({ served }: Carrier, key: string): number =>
  Math.max(
    0,
    ...served.map((content) => content.reduce((sum, own) => sum + (lineKey(own) === key ? own.amount : 0), 0)),
  );

/** Whether no content served had more of a line than a carrier is to hold. */
export const isServedWithin = (carrier: Carrier, line: FamilyLine, index: number): boolean =>
  mostServed(carrier, line.key) <= heldBy(line, index);

/** The most that the platform may have of a line: as it was served, or as it has shown it. */
export function mostOf(family: Family, said: { readonly key: string; readonly amount: number }): number {
  const line = family.lines.find((own) => own.key === said.key);
  // Pieces picked beyond a request that the external system then wanted are there to be taken away from.
  const isLowered = said.amount < (line?.wanted ?? 0);
  return family.carriers.reduce((all, carrier, index) => {
    const served = mostServed(carrier, said.key);
    if (line === undefined || line.factor === null) return all + served;
    const accounts = line.accounts[index] ?? [];
    // Once it was shown, what was served before says nothing any more.
    const isShown = accounts.some((account) => account.factor !== null || remainingOf(account) <= 0);
    const everOf = (account: LedgerLine) => (account.factor === null ? presentOf(account) : account.requested);
    const had = isShown ? sumOfAccounts(line, accounts, everOf) : served;
    return all + Math.max(had, isLowered ? sumOfAccounts(line, accounts, takenOf) : 0);
  }, 0);
}

/** What the floor has cut short of a line in a carrier. */
export function cutIn(line: FamilyLine, index: number): number {
  const own = (line.accounts[index] ?? []).filter(({ cut }) => cut > 0);
  // How much of its own unit that was nobody can say; nothing of the line is picked, so it was all of it.
  if (own.length > 0 && line.factor === null) return line.wanted ?? 0;
  return sumOfAccounts(line, own, ({ cut }) => cut);
}
