import { RequestType, UnitOfMeasure } from "../../../contract/enums.ts";
import type { RequestLine } from "../../../contract/schemas/work-order.ts";
import type { Database } from "../../../kit/sqlite.ts";
import type { OrderStore } from "../order-store.ts";
import { openFactorMemory } from "./factor-memory.ts";
import { learnFactor, uncertainFactor } from "./learn-factor.ts";
import { type LedgerLine, roundAmount } from "./ledger-line.ts";
import { type LedgerTable, openLedgerTable } from "./ledger-table.ts";
import { likeliestLine, sureLine } from "./likeliest-line.ts";
import { filled, type LineNames, type LineSight, namesOf, type ServedLine, sameLine } from "./line-sight.ts";
import { rebound, refetchOf } from "./refetch.ts";

export interface Ledger extends Pick<LedgerTable, "book" | "bind" | "isSettled" | "stepCount" | "remove"> {
  /** The account of one line: opened, bound to the platform's id and converted to base units at first sight. */
  readonly line: (orderNumber: string, sight: LineSight) => LedgerLine;
  /**
   * The same, and what is booked on it right away; null books nothing. At first sight of a line both are written in
   * one go. `beside` are the platform's ids of other lines that it shows together with this one.
   */
  readonly bookOn: <Line extends LedgerLine | null>(
    orderNumber: string,
    sight: LineSight,
    book: (line: LedgerLine) => Line,
    beside?: readonly (number | null)[],
  ) => { readonly line: LedgerLine; readonly booked: Line };
  /** The accounts of all lines of an update model, in its order; no account stands for two of them. */
  readonly lines: (orderNumber: string, sights: readonly LineSight[]) => LedgerLine[];
  /** All accounts of an order; those of an order in the store are opened if there are none. */
  readonly linesOf: (orderNumber: string) => LedgerLine[];
  /** All accounts of an order that are open already. */
  readonly accountsOf: (orderNumber: string) => LedgerLine[];
  /** An account for a line that the platform fetched the order without: it shows nothing of it. */
  readonly addAbsent: (orderNumber: string, line: ServedLine) => void;
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

const nobody: ReadonlySet<number | null> = new Set();

export function openLedger(needs: {
  readonly database: Database;
  readonly orders: OrderStore;
  /** A line in contents that the order had before its present one: the platform may have fetched any of them. */
  readonly servedBefore: (orderNumber: string, line: LineNames) => readonly ServedLine[];
}): Ledger {
  const { database, orders, servedBefore } = needs;
  const table = openLedgerTable(database);
  const factors = openFactorMemory(database);

  const open = (orderNumber: string): LedgerLine[] => {
    const order = orders.find(orderNumber);
    if (order === undefined) return [];
    return table.add(
      order.workOrder.requests
        .filter((request) => request.requestType !== RequestType.Ignored)
        .map((request) => accountOf(orderNumber, request, servedBefore(orderNumber, namesOf(request)))),
    );
  };

  const linesOf = (orderNumber: string): LedgerLine[] => {
    const lines = table.byOrder(orderNumber);
    return lines.length > 0 ? lines : open(orderNumber);
  };

  /** Turns an account from the order line's unit into base units, once the platform has shown an amount in them. */
  const inBaseUnits = (line: LedgerLine, base: number | null): LedgerLine => {
    if (line.factor !== null || base === null) return line;
    const factor = factorOf(line, base);
    const scale = factor === uncertainFactor ? 1 : factor;
    const picked = roundAmount(line.picked * scale);
    const requested = Math.max(base, picked);
    // A line that an earlier model had left out, and nobody cut short, is there after all.
    const gone = line.cut === 0 ? 0 : roundAmount(line.cancelled * scale);
    const cancelled = Math.min(gone, roundAmount(requested - picked));
    const cut = Math.min(roundAmount(line.cut * scale), cancelled);
    return { ...line, factor, requested, picked, cancelled, cut, overPicked: roundAmount(line.overPicked * scale) };
  };

  const factorOf = (line: LedgerLine, base: number): number => {
    if (line.unit === UnitOfMeasure.Piece) return 1;
    const served = servedBefore(line.orderNumber, line).map(({ amount }) => amount);
    const amounts = line.intake === null ? served : [line.requested, line.intake, ...served];
    const carried = factors.recall(line.itemNumber, line.unit);
    const factor = learnFactor({ base, amounts, unit: line.unit, carried });
    const distinct = new Set(amounts);
    if (factor === uncertainFactor) {
      if (carried !== null) factors.contradict(line.itemNumber, line.unit);
    } else if (distinct.size === 1) {
      factors.observe(line.itemNumber, line.unit, { factor, amount: base / factor });
    }
    return factor;
  };

  const adopt = (line: LedgerLine, sight: LineSight): Seen => {
    const again =
      sight.requestId !== null && line.requestId !== null && line.requestId !== sight.requestId
        ? rebound(line, sight.requestId)
        : line;
    const names = {
      requestId: again.requestId ?? sight.requestId,
      externalId: again.externalId ?? sight.externalId,
      lot: again.lot ?? sight.lot,
    };
    const seen = inBaseUnits({ ...again, ...names }, sight.requested);
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
    const served = servedBefore(orderNumber, sight);
    const latest = served.at(-1);
    const unit = latest?.unit ?? sight.unit ?? UnitOfMeasure.Piece;
    const item = itemNumber ?? latest?.itemNumber ?? "";
    const [line] = table.add([
      {
        ...{ orderNumber, requestId, itemNumber: item, unit, designatedLocation: null },
        ...{ externalId: externalId ?? latest?.externalId ?? null, lot: lot ?? latest?.lot ?? null },
        intake: served.length === 0 ? null : Math.max(...served.map(({ amount }) => amount)),
        factor: served.length === 0 ? strangerFactor(item, unit) : null,
        requested: latest === undefined ? (sight.requested ?? 0) : latest.amount,
      },
    ]);
    if (line === undefined) throw new Error("the ledger has not opened the account it was asked for");
    return latest === undefined ? { line, isNew: false } : { ...adopt(line, sight), isNew: true };
  };

  /** Of a line that no content of ours ever had. */
  const strangerFactor = (item: string, unit: number): number =>
    unit === UnitOfMeasure.Piece ? 1 : (factors.recall(item, unit) ?? uncertainFactor);

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

  /** Lines that may have got another id since: those of an order of ours, unless they are shown under their own id. */
  const mayBeFetchedAgain = (orderNumber: string, lines: readonly LedgerLine[], beside: ReadonlySet<number | null>) =>
    orders.stateOf(orderNumber) === undefined
      ? lines.filter((line) => line.requestId === null)
      : lines.filter((line) => line.requestId === null || !beside.has(line.requestId));

  const see = (orderNumber: string, sight: LineSight, beside: ReadonlySet<number | null>): Seen => {
    if (sight.requestId === null) return settle(orderNumber, sight, linesOf(orderNumber));
    const found = table.meant(orderNumber, sight);
    const known = found.find((line) => line.requestId === sight.requestId);
    if (known !== undefined) return known.factor === null ? adopt(known, sight) : { line: known, isNew: false };
    // Without any, the accounts may not have been opened yet.
    if (found.length === 0 && !table.isOpened(orderNumber)) {
      return settle(
        orderNumber,
        sight,
        open(orderNumber).filter((line) => mayMean(line, sight)),
      );
    }
    const sure = sureLine(found, sight);
    if (sure !== undefined) return adopt(sure, sight);
    return settle(orderNumber, sight, mayBeFetchedAgain(orderNumber, table.byOrder(orderNumber), beside));
  };

  return {
    line: (orderNumber, sight) => stored(see(orderNumber, sight, nobody)),
    bookOn: (orderNumber, sight, book, beside) => {
      const { line, isNew } = see(orderNumber, sight, beside === undefined ? nobody : new Set(beside));
      const booked = book(line);
      const isRebound = refetchOf(line) !== null;
      if (isNew || isRebound) table.bind(booked ?? line);
      else if (booked !== null) table.book(booked);
      return { line, booked };
    },
    lines: (orderNumber, sights) => {
      const left = new Map(linesOf(orderNumber).map((line) => [line.position, line]));
      const bound = new Map([...left.values()].map((line) => [line.requestId, line]));
      const beside = new Set(sights.map(({ requestId }) => requestId));
      const shown = new Map<number, LedgerLine>();
      const seeLine = (sight: LineSight): Seen => {
        const { requestId } = sight;
        const twin = requestId === null ? undefined : shown.get(requestId);
        if (twin !== undefined) return seeTwin(twin, sight, [...left.values()]);
        const known = requestId === null ? undefined : bound.get(requestId);
        if (known !== undefined) return adopt(known, sight);
        if (requestId === null) return settle(orderNumber, sight, [...left.values()]);
        return settle(orderNumber, sight, mayBeFetchedAgain(orderNumber, [...left.values()], beside));
      };
      return sights.map((sight) => {
        const line = stored(seeLine(sight));
        left.delete(line.position);
        if (sight.requestId !== null && !shown.has(sight.requestId)) shown.set(sight.requestId, line);
        return line;
      });
    },
    linesOf,
    accountsOf: table.byOrder,
    addAbsent: (orderNumber, { externalId, itemNumber, lot, unit, amount }) => {
      const names = { externalId, itemNumber: itemNumber ?? "", lot };
      const amounts = { unit, factor: null, intake: amount, requested: amount };
      const added = table.add([{ orderNumber, requestId: null, ...names, ...amounts, designatedLocation: null }]);
      for (const line of added) table.book({ ...line, cancelled: amount });
    },
    itemLinesOf: (orderNumber, itemNumber) => {
      const lines = table.byItem(orderNumber, itemNumber);
      // Without any, the accounts may not have been opened yet.
      return lines.length > 0 ? lines : linesOf(orderNumber).filter((line) => line.itemNumber === itemNumber);
    },
    book: table.book,
    bind: table.bind,
    remove: table.remove,
    isSettled: table.isSettled,
    stepCount: table.stepCount,
    forget: factors.forget,
  };
}

/** Whether an account without an id of the platform may be the line's; what the table asks in its own words. */
const mayMean = ({ externalId, itemNumber }: LedgerLine, sight: LineSight): boolean =>
  (sight.externalId !== null && externalId === sight.externalId) || itemNumber === sight.itemNumber;

/** What is known of a line before the platform has shown it. */
function accountOf(orderNumber: string, request: RequestLine, served: readonly ServedLine[]) {
  return {
    orderNumber,
    requestId: null,
    ...namesOf(request),
    unit: request.unitOfMeasure ?? UnitOfMeasure.Piece,
    intake: Math.max(request.requestedAmount, ...served.map(({ amount }) => amount)),
    designatedLocation: filled(request.designatedLocationName),
    factor: null,
    requested: request.requestedAmount,
  };
}
