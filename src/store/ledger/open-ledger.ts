import { UnitOfMeasure } from "../../contract/enums.ts";
import type { RequestLine } from "../../contract/schemas/work-order.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { OrderStore } from "../order-store.ts";
import { openBaseUnits } from "./base-units.ts";
import { openFactorMemory, uncertainFactor } from "./factor-memory.ts";
import type { LedgerLine } from "./ledger-line.ts";
import { type LedgerTable, openLedgerTable } from "./ledger-table.ts";
import {
  type ContentAmounts,
  isShownSeparately,
  type LineNames,
  type LineRef,
  likeliestLine,
  lineKey,
  namesOf,
  type ServedLine,
  sameLine,
  sureLine,
} from "./line-ref.ts";
import { linesInPlace } from "./match/lines-in-place.ts";
import { type LinesLeft, linesLeft } from "./match/lines-left.ts";
import {
  contentAmounts,
  isAsked,
  newLedgerLine,
  openPossibleAmounts,
  servedLedgerLine,
  totalOf,
} from "./new-ledger-line.ts";
import { rebound, refetchOf } from "./refetch.ts";
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

/** A ledger line after its line was seen in an event. */
interface LineMatch {
  /** As it was stored; null when it was opened just now. */
  readonly was: LedgerLine | null;
  readonly line: LedgerLine;
  /** Whether the event showed something that is not stored yet. */
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

  const adopt = (line: LedgerLine, ref: LineRef): LineMatch => {
    const again =
      ref.requestId !== null && line.requestId !== null && line.requestId !== ref.requestId
        ? rebound(line, ref.requestId)
        : line;
    const names = {
      requestId: again.requestId ?? ref.requestId,
      // A line of a pushed order keeps the id and lot that the external system gave it, or none.
      externalId: again.externalId ?? (again.intake === null ? ref.externalId : null),
      lot: again.lot ?? (again.intake === null ? ref.lot : null),
    };
    const matched = units.inBaseUnits({ ...again, ...names }, ref);
    const isNew =
      matched.requestId !== line.requestId || matched.factor !== line.factor || matched.externalId !== line.externalId;
    return { was: line, line: matched, isNew };
  };

  const stored = ({ line, isNew }: LineMatch): LedgerLine => {
    if (isNew) table.bind(line);
    return line;
  };

  /**
   * Opens a ledger line for a line that is not in the present order: it was removed while the order waited, or was
   * never pushed here.
   */
  const addUnknown = (orderNumber: string, ref: LineRef): LineMatch => {
    const { externalId, itemNumber, lot, requestId } = ref;
    const served = servedOf(orderNumber, ref)
      .flat()
      .filter((line) => !isShownSeparately(line, ref));
    const latest = served.at(-1);
    const unit = latest?.unit ?? ref.unit ?? UnitOfMeasure.Piece;
    const item = itemNumber ?? latest?.itemNumber ?? "";
    const [line] = table.add([
      {
        ...{ orderNumber, requestId, itemNumber: item, unit, designatedLocation: latest?.location ?? null },
        ...{ externalId: externalId ?? latest?.externalId ?? null, lot: lot ?? latest?.lot ?? null },
        intake: served.length === 0 ? null : Math.max(...served.map(({ amount }) => amount)),
        factor: served.length === 0 ? units.unknownLineFactor(item, unit, ref.requested) : null,
        requested: latest === undefined ? (ref.requested ?? 0) : latest.amount,
      },
    ]);
    if (line === undefined) throw new Error("the ledger has not opened the requested ledger line");
    const matched = latest === undefined ? { line } : adopt(line, ref);
    return { ...matched, was: null, isNew: latest !== undefined };
  };

  const matchByNames = (
    orderNumber: string,
    ref: LineRef,
    left: readonly LedgerLine[],
    amounts = contentAmounts(needs, orderNumber),
  ): LineMatch => {
    const candidates = left.filter((line) => !isShownSeparately(line, ref));
    const line = indistinguishableInPlace(orderNumber, ref, candidates) ?? likeliestLine(candidates, ref, amounts);
    return adoptOr(orderNumber, ref, line);
  };

  const likeliest = (left: readonly LedgerLine[], ref: LineRef, amounts: ContentAmounts) =>
    likeliestLine(
      left.filter((line) => !isShownSeparately(line, ref)),
      ref,
      amounts,
    );

  /** The match with this ledger line, or with a new one if none was found or the line seen is another one. */
  const adoptOr = (orderNumber: string, ref: LineRef, line: LedgerLine | undefined): LineMatch =>
    line === undefined || hasVanished(orderNumber, ref, line) ? addUnknown(orderNumber, ref) : adopt(line, ref);

  /**
   * Among indistinguishable lines, the ledger line at the same place: reductions are applied in the order of the model.
   */
  const indistinguishableInPlace = (orderNumber: string, ref: LineRef, candidates: readonly LedgerLine[]) => {
    const key = lineKey(ref);
    const isOne = candidates.filter((line) => lineKey(line) === key).length < 2;
    const shown = isOne ? undefined : ref.indistinguishable?.();
    if (shown === undefined || shown.lines < 2) return undefined;
    const known = table.byOrder(orderNumber).filter((line) => lineKey(line) === key);
    const own = known.length === shown.lines ? known[shown.place] : undefined;
    return candidates.find(({ position }) => position === own?.position);
  };

  /**
   * Whether an earlier content had exactly this line, or more indistinguishable lines than have ledger lines. Then the
   * line seen is one of those, and not another line of the item.
   */
  const hasVanished = (orderNumber: string, ref: LineRef, like: LedgerLine): boolean => {
    const key = lineKey(ref);
    if (lineKey(like) === key || ref.itemNumber === null) return false;
    const isOwn = (line: LineNames) => lineKey(line) === key;
    const most = Math.max(0, ...servedOf(orderNumber, ref).map((lines) => lines.filter(isOwn).length));
    return most > 0 && most > table.byOrder(orderNumber).filter(isOwn).length;
  };

  /**
   * One model shows the same id twice, but only one ledger line can have it. The second line is found by its names, or
   * is the same line.
   */
  const matchRepeatedId = (first: LedgerLine, shown: LineRef, left: readonly LedgerLine[]): LineMatch => {
    const ref = { ...shown, requestId: null };
    const unbound = left.filter((line) => line.requestId === null);
    const line = likeliestLine(unbound, ref);
    if (line !== undefined) return adopt(line, ref);
    const isNamed = ref.externalId !== null || ref.itemNumber !== null;
    if (isNamed && !sameLine(first, ref)) return addUnknown(first.orderNumber, ref);
    return { was: first, line: first, isNew: false };
  };

  /**
   * Ledger lines whose line may have got a new platform id. For a stored order: all but those shown under their own id.
   */
  const mayBeFetchedAgain = (isStored: boolean, lines: readonly LedgerLine[], shownIds: ReadonlySet<number | null>) =>
    !isStored
      ? lines.filter((line) => line.requestId === null)
      : lines.filter((line) => line.requestId === null || !shownIds.has(line.requestId));

  const matchLine = (orderNumber: string, ref: LineRef, shownIds: ReadonlySet<number | null>): LineMatch => {
    if (ref.requestId === null) return matchByNames(orderNumber, ref, linesOf(orderNumber));
    const found = table.meant(orderNumber, ref);
    const known = found.find((line) => line.requestId === ref.requestId);
    if (known !== undefined) {
      const isCertain = known.factor !== null && known.factor !== uncertainFactor;
      return isCertain ? { was: known, line: known, isNew: false } : adopt(known, ref);
    }
    // If none was found, the ledger lines may not have been opened yet.
    if (found.length === 0 && !table.isOpened(orderNumber)) {
      return matchByNames(
        orderNumber,
        ref,
        open(orderNumber).filter((line) => mayMean(line, ref)),
      );
    }
    const sure = sureLine(found, ref);
    if (sure !== undefined) return adopt(sure, ref);
    const isStored = orders.stateOf(orderNumber) !== undefined;
    return matchByNames(orderNumber, ref, mayBeFetchedAgain(isStored, table.byOrder(orderNumber), shownIds));
  };

  return {
    line: (orderNumber, ref) => stored(matchLine(orderNumber, ref, nobody)),
    bookOn: (orderNumber, ref, book, shownIds) => {
      const { was, line, isNew } = matchLine(orderNumber, ref, shownIds === undefined ? nobody : new Set(shownIds));
      const booked = book(line);
      const isRebound = refetchOf(line) !== null;
      if (isNew || isRebound) table.bind(booked ?? line);
      else if (booked !== null) table.book(booked);
      return { was, line, booked };
    },
    lines: (orderNumber, refs) => {
      const known = linesOf(orderNumber);
      const isStored = orders.stateOf(orderNumber) !== undefined;
      const shownIds = new Set(refs.map(({ requestId }) => requestId));
      const isFree = (line: LedgerLine) => mayBeFetchedAgain(isStored, [line], shownIds).length > 0;
      // Grouped at first use: usually the platform's ids tell all lines of a model.
      let grouped: LinesLeft | undefined;
      const taken = new Set<number>();
      const left = () => {
        grouped ??= linesLeft(
          known.filter(({ position }) => !taken.has(position)),
          isFree,
        );
        return grouped;
      };
      const bound = new Map(known.map((line) => [line.requestId, line]));
      const amounts = contentAmounts(needs, orderNumber);
      const shown = new Map<number, LedgerLine>();
      const inPlace = linesInPlace(known, isFree);
      const matchOne = (ref: LineRef): LineMatch => {
        const { requestId } = ref;
        const first = requestId === null ? undefined : shown.get(requestId);
        if (first !== undefined) return matchRepeatedId(first, ref, left().firstLike(ref));
        const own = requestId === null ? undefined : bound.get(requestId);
        if (own !== undefined) return isAdopted(own) ? { was: own, line: own, isNew: false } : adopt(own, ref);
        if (requestId === null || !inPlace.isExact(ref)) {
          const like = left().like(ref);
          const candidates = requestId === null ? like : mayBeFetchedAgain(isStored, like, shownIds);
          return matchByNames(orderNumber, ref, candidates, amounts);
        }
        const line =
          inPlace.find(ref) ?? likeliest(mayBeFetchedAgain(isStored, left().firstLike(ref), shownIds), ref, amounts);
        return adoptOr(orderNumber, ref, line);
      };
      return refs.map((ref) => {
        const line = stored(matchOne(ref));
        taken.add(line.position);
        grouped?.take(line.position);
        inPlace.take(line);
        if (ref.requestId !== null && !shown.has(ref.requestId)) shown.set(ref.requestId, line);
        return line;
      });
    },
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

/** Whether a line that is shown under the id of its ledger line tells nothing new about its names and its unit. */
const isAdopted = ({ factor, intake, externalId, lot }: LedgerLine): boolean =>
  factor !== null && factor !== uncertainFactor && (intake !== null || (externalId !== null && lot !== null));

/** Whether a ledger line without a platform id may belong to the line; the same condition as in the table's query. */
const mayMean = ({ externalId, itemNumber }: LedgerLine, ref: LineRef): boolean =>
  (ref.externalId !== null && externalId === ref.externalId) || itemNumber === ref.itemNumber;
