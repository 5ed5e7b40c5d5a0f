import { roundAmount } from "../ledger/ledger-line.ts";

/**
 * Facts of one line of an order, in base units: what the external system wants of it, and what each member (the order
 * itself, then its follow-up orders) has of it. Only reconcile decides amounts.
 */
export interface LineFacts {
  /** The amount in the external system's latest change; null when it has said nothing about this line. */
  readonly wanted: number | null;
  /** What was short-picked since that change: it is reported and not asked for again. */
  readonly shortPicked: number;
  /** Base units per unit of the line: contents hold whole units of the line. */
  readonly factor: number;
  /** Whether the external system has changed its first push: only then are follow-up orders made. */
  readonly isChanged: boolean;
  readonly members: readonly MemberFacts[];
}

export interface MemberFacts {
  /** Whether nobody has begun it: its content then simply becomes what is wanted. */
  readonly isWaiting: boolean;
  /** Whether it may hold the line although the platform has not shown it. */
  readonly mayHold: boolean;
  readonly rows: readonly RowFacts[];
}

/** One request line of the platform. A line of the order may have several. */
export interface RowFacts {
  readonly picked: number;
  /** The latest amount the platform has shown of it; null until it has shown one. */
  readonly shown: number | null;
  /** Whether the platform works on it in whole base units. A put wall names parts of the line's own unit. */
  readonly isWhole: boolean;
}

export interface LineDecision {
  /** The target per member and row: never below what is picked, never above what it shows. */
  readonly targets: readonly (readonly number[])[];
  /** What each member holds of the line once the targets are met. */
  readonly heldAmounts: readonly number[];
  /** What no running member holds. It goes to the waiting member, or to a new follow-up order. */
  readonly unassignedAmount: number;
  /** What is wanted, was not short-picked and is not picked yet; negative when more is picked. */
  readonly missingAmount: number;
  /**
   * Picked beyond what is wanted; negative when less is picked. The excess of an item is counted over all its lines.
   */
  readonly excessAmount: number;
  /** What lists and scans return, in whole units of the line. */
  readonly content: LineContent;
}

export interface LineContent {
  /** For the order itself: all that is wanted, was not short-picked and is in no follow-up order. */
  readonly own: number;
  /** For the follow-up order that waits or is about to be made. */
  readonly followUp: number;
}

export function reconcile(facts: LineFacts): LineDecision {
  const { wanted, shortPicked, members } = facts;
  const picked = sum(members.flatMap(({ rows }) => rows.map((row) => row.picked)));
  if (wanted === null) return untouched(members);
  const asked = Math.max(0, wanted - shortPicked);
  const missingAmount = roundAmount(asked - picked);
  let spare = missingAmount;
  const unseen = members.map(() => 0);
  const targets = members.map((member, index) => {
    if (!member.isWaiting && member.rows.length === 0 && member.mayHold) {
      unseen[index] = Math.max(0, spare);
      spare = Math.min(spare, 0);
    }
    return member.rows.map((row) => {
      const open = row.shown === null ? Math.max(0, spare) : Math.max(0, Math.min(row.shown - row.picked, spare));
      spare = roundAmount(spare - open);
      const target = roundAmount(row.picked + open);
      return row.isWhole ? wholeWithin(target, row.shown) : target;
    });
  });
  const unassignedAmount = Math.max(0, spare);
  const first = members.findIndex(({ isWaiting }) => isWaiting);
  const heldAmounts = targets.map((rows, index) =>
    roundAmount(sum(rows) + (unseen[index] ?? 0) + (index === first ? unassignedAmount : 0)),
  );
  const content = contentOf(facts, { asked, heldAmounts, unassignedAmount });
  return { targets, heldAmounts, unassignedAmount, missingAmount, excessAmount: roundAmount(picked - wanted), content };
}

/** A follow-up order that nobody has begun holds whole units: part of a unit is rounded up. */
function contentOf(
  { members, factor, isChanged }: LineFacts,
  {
    asked,
    heldAmounts,
    unassignedAmount,
  }: { readonly asked: number; readonly heldAmounts: readonly number[]; readonly unassignedAmount: number },
): LineContent {
  const followUp = wholeUnits(unassignedAmount, factor);
  const others = heldAmounts
    .slice(1)
    .map((amount, index) => (members[index + 1]?.isWaiting ? wholeUnits(amount, factor) * factor : amount));
  const isNew = isChanged && !members.some(({ isWaiting }) => isWaiting);
  return { own: wholeUnits(asked - sum(others) - (isNew ? followUp * factor : 0), factor), followUp };
}

/** The contract has whole amounts: part of a unit is rounded up. */
export const wholeUnits = (base: number, factor: number): number => Math.ceil(base / factor - 1e-6);

/**
 * Splits an amount over lines that cannot be told apart: earlier lines keep what they had, the last takes any excess.
 */
export function inTurn(total: number, had: readonly number[]): number[] {
  let left = total;
  return had.map((amount, index) => {
    const share = index === had.length - 1 ? left : Math.min(amount, left);
    left -= share;
    return share;
  });
}

/** Splits the excess to put aside over the orders, in turn: each gives at most what is picked in it. */
export function givenInTurn(tooMuch: number, picked: readonly number[]): number[] {
  let left = tooMuch;
  return picked.map((amount) => {
    const share = Math.max(0, Math.min(left, amount));
    left = roundAmount(left - share);
    return share;
  });
}

/** The external system has never named the line: whatever the platform does with it is right. */
function untouched(members: readonly MemberFacts[]): LineDecision {
  const targets = members.map(({ rows }) => rows.map((row) => Math.max(row.picked, row.shown ?? 0)));
  const content = { own: 0, followUp: 0 };
  return { targets, heldAmounts: targets.map(sum), unassignedAmount: 0, missingAmount: 0, excessAmount: 0, content };
}

/** The contract has whole numbers: a partly picked unit keeps the whole unit, if that still lowers the line. */
function wholeWithin(target: number, shown: number | null): number {
  const whole = Math.ceil(target);
  return shown !== null && whole >= shown ? Math.max(target, shown) : whole;
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
