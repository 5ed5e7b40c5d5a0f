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
  /** Base units per unit of the line: contents have whole units of it. */
  readonly factor: number;
  /** Whether the external system has said more than its first push: only then is anything followed up. */
  readonly isChanged: boolean;
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
  /** Whether the platform works on it with whole base units; a put wall names parts of the line's own unit. */
  readonly isWhole: boolean;
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
  /** What lists and scans return, in whole units of the line. */
  readonly content: LineContent;
}

export interface LineContent {
  /** Of the order itself: all that is wanted, was not cut short and no follow-up order holds. */
  readonly own: number;
  /** Of the follow-up order that waits or is to be made. */
  readonly followUp: number;
}

export function reconcile(facts: LineFacts): LineDecision {
  const { wanted, cut, carriers } = facts;
  const picked = sum(carriers.flatMap(({ rows }) => rows.map((row) => row.picked)));
  if (wanted === null) return untouched(carriers);
  const asked = Math.max(0, wanted - cut);
  const short = roundAmount(asked - picked);
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
      const target = roundAmount(row.picked + open);
      return row.isWhole ? wholeWithin(target, row.shown) : target;
    });
  });
  const rest = Math.max(0, spare);
  const first = carriers.findIndex(({ isWaiting }) => isWaiting);
  const held = targets.map((rows, index) =>
    roundAmount(sum(rows) + (unseen[index] ?? 0) + (index === first ? rest : 0)),
  );
  const content = contentOf(facts, { asked, held, rest });
  return { targets, held, rest, short, beyond: roundAmount(picked - wanted), content };
}

/** A follow-up order that nobody has begun has whole units, a part of one being asked for as a whole one. */
function contentOf(
  { carriers, factor, isChanged }: LineFacts,
  { asked, held, rest }: { readonly asked: number; readonly held: readonly number[]; readonly rest: number },
): LineContent {
  const followUp = wholeUnits(rest, factor);
  const others = held
    .slice(1)
    .map((amount, index) => (carriers[index + 1]?.isWaiting ? wholeUnits(amount, factor) * factor : amount));
  const isNew = isChanged && !carriers.some(({ isWaiting }) => isWaiting);
  return { own: wholeUnits(asked - sum(others) - (isNew ? followUp * factor : 0), factor), followUp };
}

/** The contract has whole amounts: what would be a part of a unit is asked for as a whole one. */
export const wholeUnits = (base: number, factor: number): number => Math.ceil(base / factor - 1e-6);

/** An amount over lines that nothing tells apart: the earlier ones keep what they had, and the last takes what is more. */
export function inTurn(total: number, had: readonly number[]): number[] {
  let left = total;
  return had.map((amount, index) => {
    const share = index === had.length - 1 ? left : Math.min(amount, left);
    left -= share;
    return share;
  });
}

/** What is too much, put aside where it is picked: each order in turn gives what it has. */
export function givenInTurn(tooMuch: number, picked: readonly number[]): number[] {
  let left = tooMuch;
  return picked.map((amount) => {
    const share = Math.max(0, Math.min(left, amount));
    left = roundAmount(left - share);
    return share;
  });
}

/** Nothing was ever said about the line: whatever the platform does with it is right. */
function untouched(carriers: readonly CarrierFacts[]): LineDecision {
  const targets = carriers.map(({ rows }) => rows.map((row) => Math.max(row.picked, row.shown ?? 0)));
  const content = { own: 0, followUp: 0 };
  return { targets, held: targets.map(sum), rest: 0, short: 0, beyond: 0, content };
}

/** The contract has whole numbers: a part of a unit that is picked keeps the whole one, if that lowers the line at all. */
function wholeWithin(target: number, shown: number | null): number {
  const whole = Math.ceil(target);
  return shown !== null && whole >= shown ? Math.max(target, shown) : whole;
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
