import { recentValues } from "../../kit/recent-values.ts";
import type { LedgerLine } from "./ledger-line.ts";
import type { LedgerTable } from "./ledger-table.ts";

/** More orders than are picked at once, each of a size that one person picks: a few megabytes at most. */
const rememberedOrders = 1_000;
const mostLines = 32;
const mostCharacters = 500;

/**
 * Keeps the ledger lines of orders being picked in memory: each step reads its ledger line and whether the order is
 * done. All writes go through here, so memory and table are equal. Larger orders are read from the table.
 */
export function rememberLedgerLines(table: LedgerTable): LedgerTable & { readonly forget: () => void } {
  const recent = recentValues<readonly LedgerLine[]>(rememberedOrders);

  const keep = (orderNumber: string, lines: readonly LedgerLine[]): void => {
    if (lines.length > 0 && lines.length <= mostLines && lines.every(isShort)) recent.set(orderNumber, lines);
    else recent.delete(orderNumber);
  };

  /** `stored` are the members that the statement has written. */
  const update = ({ orderNumber, position }: LedgerLine, stored: Partial<LedgerLine>): void => {
    const known = recent.get(orderNumber);
    if (known === undefined) return;
    keep(
      orderNumber,
      known.map((line) => (line.position === position ? { ...line, ...stored } : line)),
    );
  };

  const byOrder = (orderNumber: string): LedgerLine[] => {
    const known = recent.get(orderNumber);
    // A copy, so that the caller may change the list.
    if (known !== undefined) return [...known];
    const lines = table.byOrder(orderNumber);
    keep(orderNumber, lines);
    return [...lines];
  };

  return {
    byOrder,
    meant: (orderNumber, ref) => recent.get(orderNumber)?.filter(isMeant(ref)) ?? table.meant(orderNumber, ref),
    byItem: (orderNumber, itemNumber) =>
      recent.get(orderNumber)?.filter((line) => line.itemNumber === itemNumber) ??
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
      if (known !== undefined || first.position === 0) keep(first.orderNumber, [...(known ?? []), ...added]);
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
    isSettled: (orderNumber) => recent.get(orderNumber)?.every(isDone) ?? table.isSettled(orderNumber),
    stepCount: (orderNumber) => {
      const known = recent.get(orderNumber);
      return known?.reduce((sum, { steps }) => sum + steps, 0) ?? table.stepCount(orderNumber);
    },
    forget: recent.clear,
  };
}

/** The other texts of a line are names, which the contract limits in length. */
const isShort = ({ places, lastSteps }: LedgerLine): boolean =>
  (places?.length ?? 0) + (lastSteps?.length ?? 0) <= mostCharacters;

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
