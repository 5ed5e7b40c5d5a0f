import { UnitOfMeasure } from "../../contract/enums.ts";
import type { RequestLine } from "../../contract/schemas/work-order.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { OrderStore } from "../order-store.ts";
import { learnFactor, openFactorMemory, uncertainFactor } from "./factor-memory.ts";
import { type LedgerLine, roundAmount } from "./ledger-line.ts";
import { type LedgerTable, openLedgerTable } from "./ledger-table.ts";
import {
  isShownBeside,
  type LineNames,
  type LineSight,
  likeliestLine,
  lineKey,
  namesOf,
  type ServedLine,
  sameLine,
  sureLine,
} from "./line-sight.ts";
import { accountOf, contentAmounts, isAsked, openPossibleAmounts, servedAccount, totalOf } from "./new-account.ts";
import { rebound, refetchOf } from "./refetch.ts";
import { rememberAccounts } from "./remember-accounts.ts";

export interface Ledger extends Pick<LedgerTable, "book" | "bind" | "isSettled" | "stepCount" | "remove"> {
  /** The account of one line: opened, bound to the platform's id and converted to base units at first sight. */
  readonly line: (orderNumber: string, sight: LineSight) => LedgerLine;
  /**
   * The same, and what is booked on it right away; null books nothing. At first sight of a line both are written in
   * one go. `beside` are the platform's ids of other lines that it shows together with this one. Returns the account as it
   * was stored, as the sight shows it, and as it was booked.
   */
  readonly bookOn: <Line extends LedgerLine | null>(
    orderNumber: string,
    sight: LineSight,
    book: (line: LedgerLine) => Line,
    beside?: readonly (number | null)[],
  ) => { readonly was: LedgerLine | null; readonly line: LedgerLine; readonly booked: Line };
  /** The accounts of all lines of an update model, in its order; no account stands for two of them. */
  readonly lines: (orderNumber: string, sights: readonly LineSight[]) => LedgerLine[];
  /** All accounts of an order; those of an order in the store are opened if there are none. */
  readonly linesOf: (orderNumber: string) => LedgerLine[];
  /** All accounts of an order that are open already. */
  readonly accountsOf: (orderNumber: string) => LedgerLine[];
  /** An account for a line that the platform fetched the order without: it shows nothing of it. */
  readonly addAbsent: (orderNumber: string, line: ServedLine) => void;
  /** An account for a line that the platform may still have, although nothing of it is wanted any more. */
  readonly addUnasked: (orderNumber: string, line: ServedLine) => void;
  /** Adds the names of the lines to accounts that are older than the order: the platform may not have sent external ids. */
  readonly nameLines: (orderNumber: string, requests: readonly RequestLine[]) => void;
  /** Those of one item. */
  readonly itemLinesOf: (orderNumber: string, itemNumber: string) => LedgerLine[];
  /** After a rollback. */
  readonly forget: () => void;
}

/** An account as it is after a sight of its line. */
interface Seen {
  /** As it was stored; null for one that was opened just now. */
  readonly was: LedgerLine | null;
  readonly line: LedgerLine;
  /** Whether the sight contained something that is not stored yet. */
  readonly isNew: boolean;
}

const nobody: ReadonlySet<number | null> = new Set();

export function openLedger(needs: {
  readonly database: Database;
  readonly orders: OrderStore;
  /** A line in each content of a changed order, the present one last: the platform may have fetched any of them. */
  readonly servedOf: (orderNumber: string, line: LineNames) => readonly (readonly ServedLine[])[];
}): Ledger {
  const { database, orders, servedOf } = needs;
  const table = rememberAccounts(openLedgerTable(database));
  const possibleAmounts = openPossibleAmounts({ orders, servedOf });
  const factors = openFactorMemory(database);

  /** For an order without accounts. */
  const open = (orderNumber: string): LedgerLine[] => {
    const order = orders.find(orderNumber);
    if (order === undefined) return [];
    const requests = order.workOrder.requests.filter(isAsked);
    return table.add(
      requests.map((request) => {
        const most = Math.max(0, ...servedOf(orderNumber, namesOf(request)).map(totalOf));
        return accountOf(orderNumber, request, most, requests);
      }),
      true,
    );
  };

  const linesOf = (orderNumber: string): LedgerLine[] => {
    const lines = table.byOrder(orderNumber);
    return lines.length > 0 ? lines : open(orderNumber);
  };

  /** Turns an account from the order line's unit into base units, once the platform has shown an amount in them. */
  const inBaseUnits = (line: LedgerLine, { requested: base, together }: LineSight): LedgerLine => {
    if (base === null) return line;
    if (line.factor === uncertainFactor) return { ...line, factor: laterFactor(line, base, together) };
    if (line.factor !== null) return line;
    const factor = factorOf(line, base, together);
    const scale = factor === uncertainFactor ? 1 : factor;
    const picked = roundAmount(line.picked * scale);
    const requested = Math.max(base, picked);
    // A line that an earlier model had left out, and nobody cut short, is there after all.
    const gone = line.cut === 0 ? 0 : roundAmount(line.cancelled * scale);
    const cancelled = Math.min(gone, roundAmount(requested - picked));
    const cut = Math.min(roundAmount(line.cut * scale), cancelled);
    return { ...line, factor, requested, picked, cancelled, cut, overPicked: roundAmount(line.overPicked * scale) };
  };

  const factorOf = (line: LedgerLine, shown: number, together: LineSight["together"]): number => {
    if (line.unit === UnitOfMeasure.Piece) return 1;
    const { base, amounts } = possibleAmounts(line, shown, together);
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

  /** Of a line that was in doubt when it was first shown: other orders may have shown its factor since. */
  const laterFactor = (line: LedgerLine, shown: number, together: LineSight["together"]): number => {
    const carried = factors.recall(line.itemNumber, line.unit);
    if (carried === null) return uncertainFactor;
    // What it is asked for is in base units by now, and no amount that was served.
    const { base, amounts } = possibleAmounts({ ...line, requested: line.intake ?? 0 }, shown, together);
    return learnFactor({ base, amounts, unit: line.unit, carried });
  };

  const adopt = (line: LedgerLine, sight: LineSight): Seen => {
    const again =
      sight.requestId !== null && line.requestId !== null && line.requestId !== sight.requestId
        ? rebound(line, sight.requestId)
        : line;
    const names = {
      requestId: again.requestId ?? sight.requestId,
      // A line of ours has the id and the lot that the external system gave it, or none.
      externalId: again.externalId ?? (again.intake === null ? sight.externalId : null),
      lot: again.lot ?? (again.intake === null ? sight.lot : null),
    };
    const seen = inBaseUnits({ ...again, ...names }, sight);
    const isNew =
      seen.requestId !== line.requestId || seen.factor !== line.factor || seen.externalId !== line.externalId;
    return { was: line, line: seen, isNew };
  };

  const stored = ({ line, isNew }: Seen): LedgerLine => {
    if (isNew) table.bind(line);
    return line;
  };

  /** A line that is not in the order as it stands: removed while the order was waiting, or never ours. */
  const addUnknown = (orderNumber: string, sight: LineSight): Seen => {
    const { externalId, itemNumber, lot, requestId } = sight;
    const served = servedOf(orderNumber, sight)
      .flat()
      .filter((line) => !isShownBeside(line, sight));
    const latest = served.at(-1);
    const unit = latest?.unit ?? sight.unit ?? UnitOfMeasure.Piece;
    const item = itemNumber ?? latest?.itemNumber ?? "";
    const [line] = table.add([
      {
        ...{ orderNumber, requestId, itemNumber: item, unit, designatedLocation: latest?.location ?? null },
        ...{ externalId: externalId ?? latest?.externalId ?? null, lot: lot ?? latest?.lot ?? null },
        intake: served.length === 0 ? null : Math.max(...served.map(({ amount }) => amount)),
        factor: served.length === 0 ? strangerFactor(item, unit, sight.requested) : null,
        requested: latest === undefined ? (sight.requested ?? 0) : latest.amount,
      },
    ]);
    if (line === undefined) throw new Error("the ledger has not opened the requested account");
    const seen = latest === undefined ? { line } : adopt(line, sight);
    return { ...seen, was: null, isNew: latest !== undefined };
  };

  /** For a line that none of our contents ever had. */
  const strangerFactor = (item: string, unit: number, base: number | null): number | null => {
    if (unit === UnitOfMeasure.Piece) return 1;
    // Named without an amount in base units, as at a put wall: it is in its own unit.
    return base === null ? null : (factors.recall(item, unit) ?? uncertainFactor);
  };

  const settle = (orderNumber: string, sight: LineSight, left: readonly LedgerLine[]): Seen => {
    const candidates = left.filter((line) => !isShownBeside(line, sight));
    const line =
      twinInPlace(orderNumber, sight, candidates) ??
      likeliestLine(candidates, sight, contentAmounts(needs, orderNumber));
    if (line === undefined || hasVanished(orderNumber, sight, line)) return addUnknown(orderNumber, sight);
    return adopt(line, sight);
  };

  /** Of indistinguishable lines, the one at the same position: reductions are applied in the order of the model. */
  const twinInPlace = (orderNumber: string, sight: LineSight, candidates: readonly LedgerLine[]) => {
    const isOne = candidates.filter((line) => lineKey(line) === lineKey(sight)).length < 2;
    const together = isOne ? undefined : sight.together?.();
    if (together === undefined || together.lines < 2) return undefined;
    const twins = table.byOrder(orderNumber).filter((line) => lineKey(line) === lineKey(sight));
    const twin = twins.length === together.lines ? twins[together.place] : undefined;
    return candidates.find(({ position }) => position === twin?.position);
  };

  /**
   * Whether an earlier content had exactly this line, or more of them that nothing tells apart than have accounts: then it
   * is not another line of the item.
   */
  const hasVanished = (orderNumber: string, sight: LineSight, like: LedgerLine): boolean => {
    const key = lineKey(sight);
    if (lineKey(like) === key || sight.itemNumber === null) return false;
    const isOwn = (line: LineNames) => lineKey(line) === key;
    const most = Math.max(0, ...servedOf(orderNumber, sight).map((lines) => lines.filter(isOwn).length));
    return most > 0 && most > table.byOrder(orderNumber).filter(isOwn).length;
  };

  /** An id that one model shows twice is kept with one account: the second line goes by its names, or is the same. */
  const seeTwin = (twin: LedgerLine, shown: LineSight, left: readonly LedgerLine[]): Seen => {
    const sight = { ...shown, requestId: null };
    const unbound = left.filter((line) => line.requestId === null);
    const line = likeliestLine(unbound, sight);
    if (line !== undefined) return adopt(line, sight);
    const isNamed = sight.externalId !== null || sight.itemNumber !== null;
    if (isNamed && !sameLine(twin, sight)) return addUnknown(twin.orderNumber, sight);
    return { was: twin, line: twin, isNew: false };
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
    if (known !== undefined) {
      const isCertain = known.factor !== null && known.factor !== uncertainFactor;
      return isCertain ? { was: known, line: known, isNew: false } : adopt(known, sight);
    }
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
      const { was, line, isNew } = see(orderNumber, sight, beside === undefined ? nobody : new Set(beside));
      const booked = book(line);
      const isRebound = refetchOf(line) !== null;
      if (isNew || isRebound) table.bind(booked ?? line);
      else if (booked !== null) table.book(booked);
      return { was, line, booked };
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
    nameLines: (orderNumber, requests) => {
      const left = table.byOrder(orderNumber);
      const isOwn = (request: RequestLine) => {
        const own = left.findIndex((line) => lineKey(line) === lineKey(namesOf(request)));
        if (own >= 0) left.splice(own, 1);
        return own >= 0;
      };
      const others = requests.filter((request) => !isOwn(request));
      for (const request of others) {
        const names = namesOf(request);
        const sight = { ...names, requestId: null, unit: null, requested: request.requestedAmount };
        const line = likeliestLine(
          left.filter(({ externalId }) => externalId === null),
          sight,
        );
        if (line === undefined) continue;
        left.splice(left.indexOf(line), 1);
        table.bind({ ...line, externalId: names.externalId, lot: line.lot ?? names.lot });
      }
    },
    addAbsent: (orderNumber, line) => {
      for (const added of table.add([servedAccount(orderNumber, line, line.amount)])) {
        table.book({ ...added, cancelled: line.amount });
      }
    },
    addUnasked: (orderNumber, line) => {
      table.add([servedAccount(orderNumber, line, 0)]);
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
    forget: () => {
      factors.forget();
      table.forget();
    },
  };
}

/** Whether an account without an id of the platform may be the line's; what the table asks in its own words. */
const mayMean = ({ externalId, itemNumber }: LedgerLine, sight: LineSight): boolean =>
  (sight.externalId !== null && externalId === sight.externalId) || itemNumber === sight.itemNumber;
