import type { LedgerLine } from "../ledger-line.ts";
import { type LineNames, type LineRef, lineKey, mayConvert } from "../line-ref.ts";

/** Ledger lines that no line of a model has taken yet, found by their names without comparing all of them. */
export interface LinesLeft {
  /** All that a line with these names may be, by position: `sameLine` is false for every other. */
  readonly like: (names: LineNames) => LedgerLine[];
  /**
   * The same, but of lines that are alike only the first, and the first that has the amount of this line: none of the
   * others could be preferred to them.
   */
  readonly firstLike: (ref: Pick<LineRef, keyof LineNames | "requested">) => LedgerLine[];
  /** Those that cannot be told apart from a line with these names, by position. */
  readonly same: (names: LineNames) => Iterable<LedgerLine>;
  readonly take: (position: number) => void;
}

/** `isFree` tells the lines that may get another id of the platform. */
export function linesLeft(
  lines: readonly LedgerLine[],
  isFree: (line: LedgerLine) => boolean = ({ requestId }) => requestId === null,
): LinesLeft {
  const left = new Map(lines.map((line) => [line.position, line]));
  const likeness = new Map(lines.map((line) => [line, likenessKey(line, isFree(line))]));
  const grouped = (nameOf: (line: LedgerLine) => string | null) => groups(lines, nameOf, likeness);
  const byKey = grouped(lineKey);
  const byExternalId = grouped(({ externalId }) => externalId);
  const byItem = grouped(({ itemNumber }) => itemNumber);
  const byItemAndLot = grouped(itemAndLot);
  const all = [byKey, byExternalId, byItem, byItemAndLot];
  const groupsOf = ({ externalId, itemNumber, lot }: LineNames): readonly Classes[] => {
    const named = byExternalId.of(externalId);
    if (lot === null) return [named, byItem.of(itemNumber)];
    // A ledger line without a lot may have any.
    const withoutLot = byItemAndLot.of(itemAndLot({ itemNumber, lot: null }));
    return [named, byItemAndLot.of(itemAndLot({ itemNumber, lot })), withoutLot];
  };
  const inOrder = (found: Iterable<LedgerLine>) =>
    [...new Set(found)].sort((one, other) => one.position - other.position);
  return {
    like: (names) => inOrder(groupsOf(names).flatMap(allIn)),
    firstLike: (ref) =>
      inOrder(
        groupsOf(ref).flatMap((classes) => [...classes.values()].flatMap((alike) => firstOf(alike, ref.requested))),
      ),
    same: (names) => allIn(byKey.of(lineKey(names))),
    take: (position) => {
      const line = left.get(position);
      if (line === undefined) return;
      left.delete(position);
      for (const group of all) group.take(line);
    },
  };
}

const itemAndLot = ({ itemNumber, lot }: Pick<LineNames, "itemNumber" | "lot">): string =>
  JSON.stringify([itemNumber, lot]);

/**
 * Everything by which one of two ledger lines is preferred to the other, but for their order and for amounts that are
 * equal or not. Of a line whose unit is in doubt, other amounts may fit as well.
 */
const likenessKey = (line: LedgerLine, isFree: boolean): string =>
  JSON.stringify([
    ...[line.externalId, line.itemNumber, line.lot, line.requestId === null, isFree, line.factor, line.unit],
    ...(mayConvert(line) ? [line.requested, line.intake] : [line.requested === 0]),
  ]);

/** Ledger lines that are alike, in their order. */
interface Alike {
  readonly lines: Set<LedgerLine>;
  readonly byAmount: Map<number, Set<LedgerLine>>;
}
type Classes = ReadonlyMap<string | undefined, Alike>;
const noClasses: Classes = new Map();
const allIn = (classes: Classes): LedgerLine[] => [...classes.values()].flatMap(({ lines }) => [...lines]);

const firstOf = ({ lines, byAmount }: Alike, amount: number | null): LedgerLine[] =>
  [lines, amount === null ? undefined : byAmount.get(amount)].flatMap((set) => set?.values().take(1).toArray() ?? []);

const amountsOf = ({ requested, intake }: LedgerLine): number[] =>
  intake === null || intake === requested ? [requested] : [requested, intake];

/** Ledger lines by a name. Lines without that name are in no group. */
function groups(
  lines: readonly LedgerLine[],
  nameOf: (line: LedgerLine) => string | null,
  likeness: ReadonlyMap<LedgerLine, string>,
) {
  const byName = new Map<string, Map<string | undefined, Alike>>();
  for (const line of lines) {
    const name = nameOf(line);
    if (name === null) continue;
    const classes = byName.get(name) ?? new Map<string | undefined, Alike>();
    byName.set(name, classes);
    const alike = classes.get(likeness.get(line)) ?? { lines: new Set(), byAmount: new Map() };
    classes.set(likeness.get(line), alike);
    alike.lines.add(line);
    for (const amount of amountsOf(line))
      alike.byAmount.set(amount, (alike.byAmount.get(amount) ?? new Set<LedgerLine>()).add(line));
  }
  return {
    of: (name: string | null): Classes => (name === null ? noClasses : (byName.get(name) ?? noClasses)),
    take: (line: LedgerLine) => {
      const name = nameOf(line);
      const classes = name === null ? undefined : byName.get(name);
      const alike = classes?.get(likeness.get(line));
      if (alike === undefined) return;
      alike.lines.delete(line);
      for (const amount of amountsOf(line)) alike.byAmount.get(amount)?.delete(line);
      if (alike.lines.size === 0) classes?.delete(likeness.get(line));
    },
  };
}
