import { oncePer } from "../../kit/recent-values.ts";
import { askedAtWall, type LedgerLine, presentOf, remainingOf, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { lineKey } from "../ledger/line-ref.ts";
import { totalOf } from "../ledger/new-ledger-line.ts";
import { baseFactor } from "./group/line-facts.ts";
import { isPutWall, type MemberOrder } from "./group/member-order.ts";
import { type GroupLine, lineOf, type OrderGroup } from "./order-group.ts";
import type { RowFacts } from "./reconcile.ts";
import { addedLines, type ServedContent, versionsByName } from "./served/served-content.ts";

/**
 * Amounts of a line over all its ledger lines, in the line's own unit. Changes are compared with them, and receipts
 * report them.
 */
interface LineSums {
  readonly wanted: number;
  readonly picked: number;
  /** The most the platform has shown of the line. */
  readonly shown: number;
  /** The most the platform may have asked for. */
  readonly asked: number;
}

export const total = (amounts: readonly number[]): number =>
  roundAmount(amounts.reduce((sum, amount) => sum + amount, 0));

const inUnit = (amount: number, ledgerLine: LedgerLine, factor: number): number =>
  ledgerLine.factor === null ? amount : amount / factor;

/** Sums a value over ledger lines of a line, in the line's own unit. */
export const sumOfLedgerLines = (
  line: Pick<GroupLine, "factor">,
  ledgerLines: readonly LedgerLine[],
  of: (ledgerLine: LedgerLine) => number,
): number => ledgerLines.reduce((sum, ledgerLine) => sum + inUnit(of(ledgerLine), ledgerLine, baseFactor(line)), 0);

export function sumsOf(line: GroupLine, members: readonly MemberOrder[]): LineSums {
  const sum = (of: (ledgerLine: LedgerLine, isWall: boolean) => number) =>
    members.reduce((all, member, index) => {
      const isWall = isPutWall(member);
      return all + sumOfLedgerLines(line, line.ledgerLines[index] ?? [], (ledgerLine) => of(ledgerLine, isWall));
    }, 0);
  return {
    wanted: line.wanted ?? 0,
    picked: sum(takenOf),
    shown: sum((ledgerLine) => (ledgerLine.factor === null ? 0 : ledgerLine.requested)),
    // A put wall shows nothing: there it is the amount that was served.
    asked: sum((ledgerLine, isWall) => {
      if (ledgerLine.factor !== null) return ledgerLine.requested;
      return isWall ? askedAtWall(ledgerLine).requested : 0;
    }),
  };
}

/** Sums a value over the platform's rows of a line, in base units. */
export const sumOfRows = ({ facts }: GroupLine, of: (row: RowFacts) => number): number =>
  total(facts.members.flatMap(({ rows }) => rows.map(of)));

/** What a member is to hold of a line, in the line's own unit. */
export const heldBy = (line: GroupLine, index: number): number =>
  (line.decision?.heldAmounts[index] ?? 0) / baseFactor(line);

/** The target of a line in a member that already has it, in the line's own unit. */
export const targetIn = (line: GroupLine, index: number): number =>
  roundAmount(total(line.decision?.targets[index] ?? []) / baseFactor(line));

/** The part of an amount that was not told before. */
export const notYetAnnounced = (amount: number, announced: number): number => roundAmount(amount - announced);

/** The amounts of the latest contents that began with a content. */
const latestAmounts = new WeakMap<
  ServedContent,
  { readonly served: MemberOrder["served"]; readonly largest: ReadonlyMap<string, number> }
>();

const servedAmounts = oncePer((served: MemberOrder["served"]): ReadonlyMap<string, number> => {
  const [first] = served;
  if (first === undefined) return new Map();
  const known = latestAmounts.get(first);
  const added = known === undefined ? undefined : addedLines(known.served, served);
  const largest =
    known === undefined || added === undefined
      ? largestAmounts(served)
      : withAdded(known.largest, served.slice(known.served.length), new Set(added.map(lineKey)));
  latestAmounts.set(first, { served, largest });
  return largest;
});

/** Only the lines that a content has changed can have become more. */
function withAdded(
  before: ReadonlyMap<string, number>,
  contents: readonly ServedContent[],
  keys: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  if (keys.size === 0) return before;
  const largest = new Map(before);
  const changed = contents.map((content) => content.filter((line) => keys.has(lineKey(line))));
  for (const [key, amount] of largestAmounts(changed)) largest.set(key, Math.max(largest.get(key) ?? 0, amount));
  return largest;
}

function largestAmounts(served: readonly ServedContent[]): ReadonlyMap<string, number> {
  const largest = new Map<string, number>();
  for (const [key, contents] of versionsByName(served, lineKey))
    largest.set(key, Math.max(0, ...contents.map(totalOf)));
  return largest;
}

/** The largest amount of a line in any content served. */
export const mostServed = ({ served }: MemberOrder, key: string): number => servedAmounts(served).get(key) ?? 0;

/** Whether no content served had more of a line than the member is to hold. */
export const isServedWithin = (member: MemberOrder, line: GroupLine, index: number): boolean =>
  mostServed(member, line.key) <= heldBy(line, index);

/** The most that the platform may have of a line: as shown by a step, otherwise as served. */
export function mostOf(group: OrderGroup, change: { readonly key: string; readonly amount: number }): number {
  const line = lineOf(group, change.key);
  // When the wanted amount is lowered, pieces picked beyond the request count too: they can be taken away.
  const isLowered = change.amount < (line?.wanted ?? 0);
  return group.members.reduce((all, member, index) => {
    const served = mostServed(member, change.key);
    if (line === undefined || line.factor === null) return all + served;
    const ledgerLines = line.ledgerLines[index] ?? [];
    // Once a step has shown the line, earlier served contents no longer matter.
    const isShown = ledgerLines.some((ledgerLine) => ledgerLine.factor !== null || remainingOf(ledgerLine) <= 0);
    const everOf = (ledgerLine: LedgerLine) =>
      ledgerLine.factor === null ? presentOf(ledgerLine) : ledgerLine.requested;
    const had = isShown ? sumOfLedgerLines(line, ledgerLines, everOf) : served;
    return all + Math.max(had, isLowered ? sumOfLedgerLines(line, ledgerLines, takenOf) : 0);
  }, 0);
}

/** What was short-picked of a line in a member, in the line's own unit. */
export function shortPickedIn(line: GroupLine, index: number): number {
  const own = (line.ledgerLines[index] ?? []).filter(({ shortPicked }) => shortPicked > 0);
  // The unit is in doubt, so the amount cannot be converted. Nothing of the line is picked: all of it was short-picked.
  if (own.length > 0 && line.factor === null) return line.wanted ?? 0;
  return sumOfLedgerLines(line, own, ({ shortPicked }) => shortPicked);
}
