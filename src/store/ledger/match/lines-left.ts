import type { LedgerLine } from "../ledger-line.ts";
import { type LineNames, lineKey } from "../line-ref.ts";

/** Ledger lines that no line of a model has taken yet, found by their names without comparing all of them. */
export interface LinesLeft {
  /** All that a line with these names may be, by position: `sameLine` is false for every other. */
  readonly like: (names: LineNames) => LedgerLine[];
  /** Those that cannot be told apart from a line with these names, by position. */
  readonly same: (names: LineNames) => Iterable<LedgerLine>;
  readonly take: (position: number) => void;
}

export function linesLeft(lines: readonly LedgerLine[]): LinesLeft {
  const left = new Map(lines.map((line) => [line.position, line]));
  const byKey = groups(lines, lineKey);
  const byExternalId = groups(lines, ({ externalId }) => externalId);
  const byItem = groups(lines, ({ itemNumber }) => itemNumber);
  const byItemAndLot = groups(lines, itemAndLot);
  const all = [byKey, byExternalId, byItem, byItemAndLot];
  const sameItem = ({ itemNumber, lot }: LineNames): readonly Iterable<LedgerLine>[] => {
    if (lot === null) return [byItem.of(itemNumber)];
    // A ledger line without a lot may have any.
    return [byItemAndLot.of(itemAndLot({ itemNumber, lot })), byItemAndLot.of(itemAndLot({ itemNumber, lot: null }))];
  };
  return {
    like: (names) => {
      const found = new Set([byExternalId.of(names.externalId), ...sameItem(names)].flatMap((group) => [...group]));
      return [...found].sort((one, other) => one.position - other.position);
    },
    same: (names) => byKey.of(lineKey(names)),
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

/** Ledger lines by a name. Lines without that name are in no group. */
function groups(lines: readonly LedgerLine[], nameOf: (line: LedgerLine) => string | null) {
  const byName = new Map<string, Set<LedgerLine>>();
  for (const line of lines) {
    const name = nameOf(line);
    if (name === null) continue;
    const group = byName.get(name);
    if (group === undefined) byName.set(name, new Set([line]));
    else group.add(line);
  }
  return {
    of: (name: string | null): Iterable<LedgerLine> => (name === null ? [] : (byName.get(name) ?? [])),
    take: (line: LedgerLine) => {
      const name = nameOf(line);
      if (name !== null) byName.get(name)?.delete(line);
    },
  };
}
