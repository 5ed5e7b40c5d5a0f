import type { LedgerLine } from "../ledger-line.ts";
import { type LineNames, type LineRef, lineKey } from "../line-ref.ts";

/**
 * Finds ledger lines that cannot be told apart by their places, without comparing all of them: a model may have ten
 * thousand such lines.
 */
export interface LinesInPlace {
  /** Whether no line of these names was added or renamed since. Otherwise all have to be compared. */
  readonly isExact: (names: LineNames) => boolean;
  /** The ledger line at the place of this line. Undefined if it has none, or if names have to decide. */
  readonly find: (ref: LineRef) => LedgerLine | undefined;
  /** Called for every ledger line that a line of the model has taken, as it is then. */
  readonly take: (line: LedgerLine) => void;
}

interface Groups {
  /** Ledger lines that cannot be told apart, in their order. */
  readonly byKey: ReadonlyMap<string, readonly LedgerLine[]>;
  readonly keys: ReadonlyMap<number, string>;
  /** Positions that no line of the model has taken. */
  readonly free: Set<number>;
  readonly freeCounts: Map<string, number>;
  readonly renamed: Set<string>;
}

/** The ledger lines of an order before a model is booked; `isFree` tells those that may get another id of the platform. */
export function linesInPlace(lines: readonly LedgerLine[], isFree: (line: LedgerLine) => boolean): LinesInPlace {
  let groups: Groups | undefined;
  const taken: LedgerLine[] = [];

  // Built at first use: usually the platform's ids tell all lines of a model.
  const prepared = (): Groups => {
    if (groups !== undefined) return groups;
    const byKey = Map.groupBy(lines, lineKey);
    groups = {
      byKey,
      keys: new Map(lines.map((line) => [line.position, lineKey(line)])),
      free: new Set(lines.filter(isFree).map(({ position }) => position)),
      freeCounts: new Map([...byKey].map(([key, group]) => [key, group.filter(isFree).length])),
      renamed: new Set(),
    };
    for (const line of taken) leave(groups, line);
    return groups;
  };

  const leave = ({ keys, free, freeCounts, renamed }: Groups, line: LedgerLine) => {
    const [before, after] = [keys.get(line.position), lineKey(line)];
    if (before !== after) {
      renamed.add(after);
      if (before !== undefined) renamed.add(before);
    }
    if (before !== undefined && free.delete(line.position)) freeCounts.set(before, (freeCounts.get(before) ?? 0) - 1);
  };

  return {
    isExact: (names) => !prepared().renamed.has(lineKey(names)),
    find: (ref) => {
      const { byKey, free, freeCounts } = prepared();
      const key = lineKey(ref);
      const group = byKey.get(key) ?? [];
      // Of a single line that is left, the names of others decide as well.
      if (group.length < 2 || (freeCounts.get(key) ?? 0) < 2) return undefined;
      const shown = ref.indistinguishable?.();
      const own = group.length === shown?.lines ? group[shown.place] : undefined;
      return own !== undefined && free.has(own.position) ? own : undefined;
    },
    take: (line) => {
      if (groups === undefined) taken.push(line);
      else leave(groups, line);
    },
  };
}
