import type { LedgerLine } from "../ledger-line.ts";
import { type LineNames, type LineRef, lineKey, mayConvert } from "../line-ref.ts";

/** Ledger lines that no line of a model has taken yet, found by their names without comparing all of them. */
export interface LinesLeft {
  /** All that a line with these names may be, by position: `sameLine` is false for every other. */
  readonly like: (names: LineNames) => LedgerLine[];
  /**
   * The same, but of lines that are alike only the first, and the first that has the amount of this line: none of the
   * others could be preferred to them. Of thousands that are not alike, only the first ones and those with the amount.
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
  const groupsOf = ({ externalId, itemNumber, lot }: LineNames): readonly Group[] => {
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
    firstLike: (ref) => inOrder(groupsOf(ref).flatMap((group) => firstIn(group, ref.requested))),
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
/** The ledger lines of a name, by everything that makes them alike. */
interface Group {
  readonly classes: Map<string | undefined, Alike>;
  readonly byAmount: Map<number, Set<LedgerLine>>;
}
const noLines: Group = { classes: new Map(), byAmount: new Map() };
const allIn = ({ classes }: Group): LedgerLine[] => [...classes.values()].flatMap(({ lines }) => [...lines]);

/**
 * So many are compared with one line. A model of ten thousand lines of one item may leave out what tells them apart;
 * compared all with all, they would take minutes.
 */
const mostCompared = 250;

function firstIn({ classes, byAmount }: Group, amount: number | null): LedgerLine[] {
  const first = classes
    .values()
    .take(mostCompared)
    .flatMap((alike) => firstOf(alike, amount));
  if (amount === null || classes.size <= mostCompared) return first.toArray();
  return [...first, ...(byAmount.get(amount)?.values().take(mostCompared) ?? [])];
}

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
  const byName = new Map<string, Group>();
  const addTo = (byAmount: Map<number, Set<LedgerLine>>, line: LedgerLine) => {
    for (const amount of amountsOf(line))
      byAmount.set(amount, (byAmount.get(amount) ?? new Set<LedgerLine>()).add(line));
  };
  for (const line of lines) {
    const name = nameOf(line);
    if (name === null) continue;
    const group = byName.get(name) ?? { classes: new Map<string | undefined, Alike>(), byAmount: new Map() };
    byName.set(name, group);
    const alike = group.classes.get(likeness.get(line)) ?? { lines: new Set(), byAmount: new Map() };
    group.classes.set(likeness.get(line), alike);
    alike.lines.add(line);
    addTo(alike.byAmount, line);
    addTo(group.byAmount, line);
  }
  return {
    of: (name: string | null): Group => (name === null ? noLines : (byName.get(name) ?? noLines)),
    take: (line: LedgerLine) => {
      const name = nameOf(line);
      const group = name === null ? undefined : byName.get(name);
      const alike = group?.classes.get(likeness.get(line));
      if (group === undefined || alike === undefined) return;
      alike.lines.delete(line);
      for (const amount of amountsOf(line)) {
        alike.byAmount.get(amount)?.delete(line);
        group.byAmount.get(amount)?.delete(line);
      }
      if (alike.lines.size === 0) group.classes.delete(likeness.get(line));
    },
  };
}
