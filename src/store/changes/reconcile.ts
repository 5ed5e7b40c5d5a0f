import { roundAmount } from "../ledger/ledger-line.ts";

/**
 * The one place that decides amounts. Everything is of one line of an order, in base units: what the external system
 * wants of it, and what each carrier (the order itself, then its follow-up orders) has of it.
 */
export interface LineFacts {
  /** The external system's latest word; null where it has said nothing about this line. */
  readonly wanted: number | null;
  /** What the floor cut short since that word: it is reported and not asked for again. */
  readonly cut: number;
  readonly carriers: readonly CarrierFacts[];
}

export interface CarrierFacts {
  /** Nobody has begun it: its content simply becomes what is wanted. */
  readonly isWaiting: boolean;
  /** Whether it may hold the line although the platform has not shown it. */
  readonly mayHold: boolean;
  readonly rows: readonly RowFacts[];
}

/** What the platform works by: its request line, of which an order line may have several. */
export interface RowFacts {
  readonly picked: number;
  /** The platform's latest amount of it; null until it has shown one. */
  readonly shown: number | null;
}

export interface LineDecision {
  /** Per carrier and row: what it is to have. Never below what is picked, never above what it shows. */
  readonly targets: readonly (readonly number[])[];
  /** Per carrier: what it holds of the line once the targets are met. */
  readonly held: readonly number[];
  /** What no running carrier holds: for the waiting one, else for a new follow-up order. */
  readonly rest: number;
  /** What is wanted, was not cut short and is not picked; below 0 where more is picked. */
  readonly short: number;
  /** Picked beyond what is wanted; below 0 where less is picked. What is too much counts over all lines of an item. */
  readonly beyond: number;
}

export function reconcile({ wanted, cut, carriers }: LineFacts): LineDecision {
  const picked = sum(carriers.flatMap(({ rows }) => rows.map((row) => row.picked)));
  if (wanted === null) return untouched(carriers);
  const short = roundAmount(Math.max(0, wanted - cut) - picked);
  let spare = short;
  const unseen = carriers.map(() => 0);
  const targets = carriers.map((carrier, index) => {
    if (!carrier.isWaiting && carrier.rows.length === 0 && carrier.mayHold) {
      unseen[index] = Math.max(0, spare);
      spare = Math.min(spare, 0);
    }
    return carrier.rows.map((row) => {
      const open = row.shown === null ? Math.max(0, spare) : Math.max(0, Math.min(row.shown - row.picked, spare));
      spare = roundAmount(spare - open);
      return wholeWithin(roundAmount(row.picked + open), row.shown);
    });
  });
  const rest = Math.max(0, spare);
  const first = carriers.findIndex(({ isWaiting }) => isWaiting);
  return {
    targets,
    held: targets.map((rows, index) => roundAmount(sum(rows) + (unseen[index] ?? 0) + (index === first ? rest : 0))),
    rest,
    short,
    beyond: roundAmount(picked - wanted),
  };
}

/** Nothing was ever said about the line: whatever the platform does with it is right. */
function untouched(carriers: readonly CarrierFacts[]): LineDecision {
  const targets = carriers.map(({ rows }) => rows.map((row) => Math.max(row.picked, row.shown ?? 0)));
  return { targets, held: targets.map(sum), rest: 0, short: 0, beyond: 0 };
}

/** The contract has whole numbers: a part of a unit that is picked keeps the whole one, if that lowers the line at all. */
function wholeWithin(target: number, shown: number | null): number {
  const whole = Math.ceil(target);
  return shown !== null && whole >= shown ? Math.max(target, shown) : whole;
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
