import { RequestType, UnitOfMeasure } from "../../../contract/enums.ts";
import type { RequestLine } from "../../../contract/schemas/work-order.ts";
import type { Database } from "../../../kit/sqlite.ts";
import type { OrderStore } from "../order-store.ts";
import { openFactorMemory } from "./factor-memory.ts";
import { learnFactor, uncertainFactor } from "./learn-factor.ts";
import { type LedgerLine, roundAmount } from "./ledger-line.ts";
import { type LedgerTable, openLedgerTable } from "./ledger-table.ts";
import { likeliestLine } from "./likeliest-line.ts";
import { filled, type LineSight, namesOf, sameLine } from "./line-sight.ts";

export interface Ledger extends Pick<LedgerTable, "book" | "isSettled" | "stepCount"> {
  /** The account of one line: opened, bound to the platform's id and converted to base units at first sight. */
  readonly line: (orderNumber: string, sight: LineSight) => LedgerLine;
  /**
   * The same, and what is booked on it right away; null books nothing. At first sight of a line both are written in
   * one go.
   */
  readonly bookOn: <Line extends LedgerLine | null>(
    orderNumber: string,
    sight: LineSight,
    book: (line: LedgerLine) => Line,
  ) => { readonly line: LedgerLine; readonly booked: Line };
  /** The accounts of all lines of an update model, in its order; no account stands for two of them. */
  readonly lines: (orderNumber: string, sights: readonly LineSight[]) => LedgerLine[];
  /** All accounts of an order; those of an order in the store are opened if there are none. */
  readonly linesOf: (orderNumber: string) => LedgerLine[];
  /** Those of one item. */
  readonly itemLinesOf: (orderNumber: string, itemNumber: string) => LedgerLine[];
  /** After a rollback. */
  readonly forget: () => void;
}

/** An account as it is after a sight of its line. */
interface Seen {
  readonly line: LedgerLine;
  /** Whether the sight told something that is not stored yet. */
  readonly isNew: boolean;
}

export function openLedger({ database, orders }: { database: Database; orders: OrderStore }): Ledger {
  const table = openLedgerTable(database);
  const factors = openFactorMemory(database);

  const open = (orderNumber: string): LedgerLine[] => {
    const order = orders.find(orderNumber);
    if (order === undefined) return [];
    const firsts = order.originalWorkOrder.requests;
    return table.add(
      order.workOrder.requests
        .map((request, index) => ({ request, first: firstContent(firsts, request, index) }))
        .filter(({ request }) => request.requestType !== RequestType.Ignored)
        .map(({ request, first }) => accountOf(orderNumber, request, first)),
    );
  };

  const linesOf = (orderNumber: string): LedgerLine[] => {
    const lines = table.byOrder(orderNumber);
    return lines.length > 0 ? lines : open(orderNumber);
  };

  /** Turns an account from the order line's unit into base units, once the platform has shown an amount in them. */
  const inBaseUnits = (line: LedgerLine, base: number | null): LedgerLine => {
    if (line.factor !== null || base === null) return line;
    const amounts = line.intake === null ? [line.requested] : [line.requested, line.intake];
    const remembered = factors.recall(line.itemNumber, line.unit);
    const factor = learnFactor({ base, amounts, unit: line.unit, remembered });
    if (factor !== uncertainFactor && factor !== remembered) factors.remember(line.itemNumber, line.unit, factor);
    const scale = factor === uncertainFactor ? 1 : factor;
    const picked = roundAmount(line.picked * scale);
    const requested = Math.max(base, picked);
    const cancelled = Math.min(roundAmount(line.cancelled * scale), roundAmount(requested - picked));
    return { ...line, factor, requested, picked, cancelled, overPicked: roundAmount(line.overPicked * scale) };
  };

  const adopt = (line: LedgerLine, sight: LineSight): Seen => {
    const names = {
      requestId: line.requestId ?? sight.requestId,
      externalId: line.externalId ?? sight.externalId,
      lot: line.lot ?? sight.lot,
    };
    const seen = inBaseUnits({ ...line, ...names }, sight.requested);
    const isNew =
      seen.requestId !== line.requestId || seen.factor !== line.factor || seen.externalId !== line.externalId;
    return { line: seen, isNew };
  };

  const stored = ({ line, isNew }: Seen): LedgerLine => {
    if (isNew) table.bind(line);
    return line;
  };

  /** A line that is not in the order as it stands: removed while the order was waiting, or never ours. */
  const addUnknown = (orderNumber: string, sight: LineSight): Seen => {
    const { externalId, itemNumber, lot, requestId } = sight;
    const first = orders
      .find(orderNumber)
      ?.originalWorkOrder.requests.find((request) => sameLine(namesOf(request), { externalId, itemNumber, lot }));
    const item = itemNumber ?? "";
    const unit = sight.unit ?? UnitOfMeasure.Piece;
    const unknown = {
      orderNumber,
      requestId,
      externalId,
      itemNumber: item,
      lot,
      unit,
      intake: null,
      designatedLocation: null,
      factor: unit === UnitOfMeasure.Piece ? 1 : (factors.recall(item, unit) ?? uncertainFactor),
      requested: sight.requested ?? 0,
    };
    const [line] = table.add([first === undefined ? unknown : accountOf(orderNumber, first, first)]);
    if (line === undefined) throw new Error("the ledger has not opened the account it was asked for");
    return first === undefined ? { line, isNew: false } : adopt(line, sight);
  };

  const settle = (orderNumber: string, sight: LineSight, candidates: readonly LedgerLine[]): Seen => {
    const line = likeliestLine(candidates, sight);
    return line === undefined ? addUnknown(orderNumber, sight) : adopt(line, sight);
  };

  /** An id that one model shows twice is kept with one account: the second line goes by its names, or is the same. */
  const seeTwin = (twin: LedgerLine, shown: LineSight, left: readonly LedgerLine[]): Seen => {
    const sight = { ...shown, requestId: null };
    const unbound = left.filter((line) => line.requestId === null);
    const line = likeliestLine(unbound, sight);
    if (line !== undefined) return adopt(line, sight);
    const isNamed = sight.externalId !== null || sight.itemNumber !== null;
    if (isNamed && !sameLine(twin, sight)) return addUnknown(twin.orderNumber, sight);
    return { line: twin, isNew: false };
  };

  const see = (orderNumber: string, sight: LineSight): Seen => {
    if (sight.requestId === null) return settle(orderNumber, sight, linesOf(orderNumber));
    const found = table.meant(orderNumber, sight);
    const known = found.find((line) => line.requestId === sight.requestId);
    if (known !== undefined) return known.factor === null ? adopt(known, sight) : { line: known, isNew: false };
    // Without any, the accounts may not have been opened yet.
    const isFirst = found.length === 0 && !table.isOpened(orderNumber);
    return settle(orderNumber, sight, isFirst ? open(orderNumber).filter((line) => mayMean(line, sight)) : found);
  };

  return {
    line: (orderNumber, sight) => stored(see(orderNumber, sight)),
    bookOn: (orderNumber, sight, book) => {
      const { line, isNew } = see(orderNumber, sight);
      const booked = book(line);
      if (isNew) table.bind(booked ?? line);
      else if (booked !== null) table.book(booked);
      return { line, booked };
    },
    lines: (orderNumber, sights) => {
      const left = new Map(linesOf(orderNumber).map((line) => [line.position, line]));
      const bound = new Map([...left.values()].map((line) => [line.requestId, line]));
      const shown = new Map<number, LedgerLine>();
      const seeLine = (sight: LineSight): Seen => {
        const { requestId } = sight;
        const twin = requestId === null ? undefined : shown.get(requestId);
        if (twin !== undefined) return seeTwin(twin, sight, [...left.values()]);
        const known = requestId === null ? undefined : bound.get(requestId);
        if (known !== undefined) return adopt(known, sight);
        const free = [...left.values()].filter((line) => line.requestId === null || requestId === null);
        return settle(orderNumber, sight, free);
      };
      return sights.map((sight) => {
        const line = stored(seeLine(sight));
        left.delete(line.position);
        if (sight.requestId !== null && !shown.has(sight.requestId)) shown.set(sight.requestId, line);
        return line;
      });
    },
    linesOf,
    itemLinesOf: (orderNumber, itemNumber) => {
      const lines = table.byItem(orderNumber, itemNumber);
      // Without any, the accounts may not have been opened yet.
      return lines.length > 0 ? lines : linesOf(orderNumber).filter((line) => line.itemNumber === itemNumber);
    },
    book: table.book,
    isSettled: table.isSettled,
    stepCount: table.stepCount,
    forget: factors.forget,
  };
}

/** Whether an account without an id of the platform may be the line's; what the table asks in its own words. */
const mayMean = ({ externalId, itemNumber }: LedgerLine, sight: LineSight): boolean =>
  (sight.externalId !== null && externalId === sight.externalId) || itemNumber === sight.itemNumber;

/** What is known of a line before the platform has shown it. */
function accountOf(orderNumber: string, request: RequestLine, first: RequestLine | undefined) {
  return {
    orderNumber,
    requestId: null,
    ...namesOf(request),
    itemNumber: request.itemNumber,
    unit: request.unitOfMeasure ?? UnitOfMeasure.Piece,
    intake: first?.requestedAmount ?? request.requestedAmount,
    designatedLocation: filled(request.designatedLocationName),
    factor: null,
    requested: request.requestedAmount,
  };
}

/** The line as first accepted. Mostly it stands at the same place: looking there first keeps long orders linear. */
function firstContent(firsts: readonly RequestLine[], request: RequestLine, index: number): RequestLine | undefined {
  const names = namesOf(request);
  const samePlace = firsts[index];
  if (samePlace !== undefined && sameLine(namesOf(samePlace), names)) return samePlace;
  return firsts.find((first) => sameLine(namesOf(first), names));
}
