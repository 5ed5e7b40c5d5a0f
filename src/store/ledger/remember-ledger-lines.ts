import { recentValues } from "../../kit/recent-values.ts";
import type { LedgerLine } from "./ledger-line.ts";
import type { LedgerTable } from "./ledger-table.ts";

/** More lines than are picked at once, or a few very long orders: some ten megabytes at most. */
const rememberedLines = 32_000;
/** A line with longer texts counts as several. */
const charactersPerLine = 500;

/** The ledger lines of one order. */
interface KnownLines {
  /** In the order of their positions. Changed in place: copying ten thousand lines for each of them takes seconds. */
  readonly lines: LedgerLine[];
  /** The index of each line, by its position. */
  readonly places: Map<number, number>;
  readonly weight: number;
  /** The list that was given out; null once a line has changed since. */
  given: readonly LedgerLine[] | null;
}

/**
 * Keeps the ledger lines of orders being picked in memory: each step reads its ledger line and whether the order is
 * done. All writes go through here, so memory and table are equal.
 */
export function rememberLedgerLines(table: LedgerTable): LedgerTable & { readonly forget: () => void } {
  const recent = recentValues<KnownLines>(rememberedLines, ({ weight }) => weight);

  const keep = (orderNumber: string, lines: readonly LedgerLine[]): void => {
    if (lines.length === 0) {
      recent.delete(orderNumber);
      return;
    }
    recent.set(orderNumber, {
      lines: [...lines],
      places: new Map(lines.map(({ position }, place) => [position, place])),
      weight: lines.reduce((sum, line) => sum + weightOf(line), 0),
      given: null,
    });
  };

  /** `stored` are the members that the statement has written. */
  const update = ({ orderNumber, position }: LedgerLine, stored: Partial<LedgerLine>): void => {
    const known = recent.get(orderNumber);
    const place = known?.places.get(position);
    const before = place === undefined ? undefined : known?.lines[place];
    if (known === undefined || place === undefined || before === undefined) return;
    const line = { ...before, ...stored };
    known.lines[place] = line;
    known.given = null;
    const more = weightOf(line) - weightOf(before);
    // Weighed again, because only a value that is set anew counts with its new weight.
    if (more !== 0) recent.set(orderNumber, { ...known, weight: known.weight + more });
  };

  const byOrder = (orderNumber: string): readonly LedgerLine[] => {
    const known = recent.get(orderNumber);
    if (known !== undefined) {
      known.given ??= [...known.lines];
      return known.given;
    }
    const lines = table.byOrder(orderNumber);
    keep(orderNumber, lines);
    return lines;
  };

  return {
    byOrder,
    meant: (orderNumber, ref) => recent.get(orderNumber)?.lines.filter(isMeant(ref)) ?? table.meant(orderNumber, ref),
    byItem: (orderNumber, itemNumber) =>
      recent.get(orderNumber)?.lines.filter((line) => line.itemNumber === itemNumber) ??
      table.byItem(orderNumber, itemNumber),
    isOpened: (orderNumber) => recent.get(orderNumber) !== undefined || table.isOpened(orderNumber),
    remove: (orderNumber) => {
      table.remove(orderNumber);
      recent.delete(orderNumber);
    },
    add: (lines, areFirst) => {
      const added = table.add(lines, areFirst);
      const [first] = added;
      if (first === undefined) return added;
      const known = recent.get(first.orderNumber);
      // Position 0 is the first ledger line of its order: there are no others.
      if (known === undefined) {
        if (first.position === 0) keep(first.orderNumber, added);
        return added;
      }
      for (const line of added) {
        known.places.set(line.position, known.lines.length);
        known.lines.push(line);
      }
      const more = added.reduce((sum, line) => sum + weightOf(line), 0);
      recent.set(first.orderNumber, { ...known, weight: known.weight + more, given: null });
      return added;
    },
    bind: (line) => {
      table.bind(line);
      const { requestId, externalId, lot, factor, refetch } = line;
      update(line, { requestId, externalId, lot, factor, refetch, ...amountsOf(line) });
    },
    book: (line) => {
      table.book(line);
      update(line, amountsOf(line));
    },
    isSettled: (orderNumber) => recent.get(orderNumber)?.lines.every(isDone) ?? table.isSettled(orderNumber),
    stepCount: (orderNumber) => {
      const known = recent.get(orderNumber);
      return known?.lines.reduce((sum, { steps }) => sum + steps, 0) ?? table.stepCount(orderNumber);
    },
    forget: recent.clear,
  };
}

/** The other texts of a line are names, which the contract limits in length. */
const weightOf = ({ places, lastSteps }: LedgerLine): number =>
  1 + Math.floor(((places?.length ?? 0) + (lastSteps?.length ?? 0)) / charactersPerLine);

/** The same condition as in the table's query: null equals nothing. */
const isMeant =
  ({ requestId, externalId, itemNumber }: Parameters<LedgerTable["meant"]>[1]) =>
  (line: LedgerLine): boolean =>
    line.requestId === null
      ? (externalId !== null && line.externalId === externalId) || line.itemNumber === itemNumber
      : line.requestId === requestId;

const isDone = ({ requested, picked, cancelled }: LedgerLine): boolean => requested - picked - cancelled <= 1e-6;

function amountsOf({ requested, picked, cancelled, overPicked, shortPicked, steps, lastSteps, places }: LedgerLine) {
  return { requested, picked, cancelled, overPicked, shortPicked, steps, lastSteps, places };
}
