import type { RequestLine } from "../../contract/schemas/work-order.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { OrderStore } from "../order-store.ts";
import { openBaseUnits } from "./base-units.ts";
import { openFactorMemory } from "./factor-memory.ts";
import type { LedgerLine } from "./ledger-line.ts";
import { type LedgerTable, openLedgerTable } from "./ledger-table.ts";
import { type LineNames, type LineRef, likeliestLine, namesOf, type ServedLine } from "./line-ref.ts";
import { linesLeft } from "./match/lines-left.ts";
import { lineMatching } from "./match/match-lines.ts";
import { isAsked, newLedgerLine, openPossibleAmounts, servedLedgerLine, totalOf } from "./new-ledger-line.ts";
import { refetchOf, wasShownAs } from "./refetch.ts";
import { rememberLedgerLines } from "./remember-ledger-lines.ts";

export interface Ledger extends Pick<LedgerTable, "book" | "bind" | "isSettled" | "stepCount" | "remove"> {
  /**
   * Returns the ledger line of one line. At its first event it is opened, bound to the platform's id and converted to
   * base units.
   */
  readonly line: (orderNumber: string, ref: LineRef) => LedgerLine;
  /**
   * Like line, and books on the ledger line right away; null books nothing. At the first event of a line, both are one
   * write. `shownIds` are the platform's ids of the other lines it shows. Returns the ledger line as it was stored, as
   * the event shows it, and as booked.
   */
  readonly bookOn: <Line extends LedgerLine | null>(
    orderNumber: string,
    ref: LineRef,
    book: (line: LedgerLine) => Line,
    shownIds?: readonly (number | null)[],
  ) => { readonly was: LedgerLine | null; readonly line: LedgerLine; readonly booked: Line };
  /** The ledger lines of all lines of an update model, in its order. No ledger line is used for two of them. */
  readonly lines: (orderNumber: string, refs: readonly LineRef[]) => LedgerLine[];
  /** All ledger lines of an order. If there are none and the order is stored, they are opened. */
  readonly linesOf: (orderNumber: string) => readonly LedgerLine[];
  /** The ledger lines of an order that are already open. */
  readonly ledgerLinesOf: (orderNumber: string) => readonly LedgerLine[];
  /** Adds a ledger line for a line that was not in the order when the platform fetched it. */
  readonly addAbsent: (orderNumber: string, line: ServedLine) => void;
  /** Adds a ledger line for a line that the platform may still have although nothing of it is wanted any more. */
  readonly addUnasked: (orderNumber: string, line: ServedLine) => void;
  /**
   * Adds the names of the lines to ledger lines opened before the order was pushed: the platform may not have sent
   * external ids.
   */
  readonly nameLines: (orderNumber: string, requests: readonly RequestLine[]) => void;
  /** Like linesOf, for one item. */
  readonly itemLinesOf: (orderNumber: string, itemNumber: string) => LedgerLine[];
  /** Clears what is kept in memory; called after a rollback. */
  readonly forget: () => void;
}

export function openLedger(needs: {
  readonly database: Database;
  readonly orders: OrderStore;
  /** A line in each content of a changed order, the present one last: the platform may have fetched any of them. */
  readonly servedOf: (orderNumber: string, line: LineNames) => readonly (readonly ServedLine[])[];
}): Ledger {
  const { database, orders, servedOf } = needs;
  const table = rememberLedgerLines(openLedgerTable(database));
  const possibleAmounts = openPossibleAmounts({ orders, servedOf });
  const units = openBaseUnits({ factors: openFactorMemory(database), possibleAmounts });

  /** Opens the ledger lines of an order that has none. */
  const open = (orderNumber: string): LedgerLine[] => {
    const order = orders.find(orderNumber);
    if (order === undefined) return [];
    const requests = order.workOrder.requests.filter(isAsked);
    const mostByNames = new Map<string, number>();
    const mostOf = (names: LineNames): number => {
      const key = JSON.stringify(names);
      const most = mostByNames.get(key) ?? Math.max(0, ...servedOf(orderNumber, names).map(totalOf));
      mostByNames.set(key, most);
      return most;
    };
    return table.add(
      requests.map((request) => newLedgerLine(orderNumber, request, mostOf(namesOf(request)), requests)),
      true,
    );
  };

  const linesOf = (orderNumber: string): readonly LedgerLine[] => {
    const lines = table.byOrder(orderNumber);
    return lines.length > 0 ? lines : open(orderNumber);
  };

  const matching = lineMatching({ table, units, orders, servedOf, open, linesOf });

  return {
    line: (orderNumber, ref) => matching.stored(matching.one(orderNumber, ref)),
    bookOn: (orderNumber, ref, book, shownIds) => {
      const { was, line, isNew } = matching.one(orderNumber, ref, shownIds);
      const booked = book(line);
      // A step that came again under an earlier id says nothing of the present one.
      if (booked === null && was !== null && wasShownAs(was, ref.requestId)) return { was, line: was, booked };
      const isRebound = refetchOf(line) !== null;
      if (isNew || isRebound) table.bind(booked ?? line);
      else if (booked !== null) table.book(booked);
      return { was, line, booked };
    },
    lines: matching.all,
    linesOf,
    ledgerLinesOf: table.byOrder,
    nameLines: (orderNumber, requests) => {
      const left = linesLeft(table.byOrder(orderNumber));
      const isOwn = (request: RequestLine) => {
        const [own] = left.same(namesOf(request));
        if (own !== undefined) left.take(own.position);
        return own !== undefined;
      };
      const others = requests.filter((request) => !isOwn(request));
      for (const request of others) {
        const names = namesOf(request);
        const ref = { ...names, requestId: null, unit: null, requested: request.requestedAmount };
        const line = likeliestLine(
          left.like(ref).filter(({ externalId }) => externalId === null),
          ref,
        );
        if (line === undefined) continue;
        left.take(line.position);
        table.bind({ ...line, externalId: names.externalId, lot: line.lot ?? names.lot });
      }
    },
    addAbsent: (orderNumber, line) => {
      for (const added of table.add([servedLedgerLine(orderNumber, line, line.amount)])) {
        table.book({ ...added, cancelled: line.amount });
      }
    },
    addUnasked: (orderNumber, line) => {
      table.add([servedLedgerLine(orderNumber, line, 0)]);
    },
    itemLinesOf: (orderNumber, itemNumber) => {
      const lines = table.byItem(orderNumber, itemNumber);
      // If there are none, the ledger lines may not have been opened yet.
      return lines.length > 0 ? lines : linesOf(orderNumber).filter((line) => line.itemNumber === itemNumber);
    },
    book: table.book,
    bind: table.bind,
    remove: table.remove,
    isSettled: table.isSettled,
    stepCount: table.stepCount,
    forget: () => {
      units.forget();
      table.forget();
    },
  };
}
