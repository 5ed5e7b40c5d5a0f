import type { OrderStore } from "../../order-store.ts";
import { uncertainFactor } from "../factor-memory.ts";
import type { LedgerLine } from "../ledger-line.ts";
import {
  type ContentAmounts,
  isShownSeparately,
  type LineRef,
  likeliestLine,
  lineKey,
  sameLine,
  sureLine,
} from "../line-ref.ts";
import { contentAmounts } from "../new-ledger-line.ts";
import { type AdoptNeeds, type LineMatch, lineAdoption } from "./adopt-line.ts";
import { linesInPlace } from "./lines-in-place.ts";
import { type LinesLeft, linesLeft } from "./lines-left.ts";

interface MatchNeeds extends AdoptNeeds {
  readonly orders: OrderStore;
  /** Opens the ledger lines of an order that has none. */
  readonly open: (orderNumber: string) => LedgerLine[];
  /** All ledger lines of an order, opened if there are none. */
  readonly linesOf: (orderNumber: string) => readonly LedgerLine[];
}

/** Finds the ledger lines of the lines that events show. */
export interface LineMatching {
  /** `shownIds` are the platform's ids of the other lines it shows. What is new is not stored yet. */
  readonly one: (orderNumber: string, ref: LineRef, shownIds?: readonly (number | null)[]) => LineMatch;
  /** The ledger lines of all lines of an update model, stored. No ledger line is used for two of them. */
  readonly all: (orderNumber: string, refs: readonly LineRef[]) => LedgerLine[];
  /** Stores what an event has shown. */
  readonly stored: (match: LineMatch) => LedgerLine;
}

const nobody: ReadonlySet<number | null> = new Set();

export function lineMatching(needs: MatchNeeds): LineMatching {
  const { table, orders, open, linesOf } = needs;
  const { adopt, addUnknown, adoptOr, begin } = lineAdoption(needs);

  const stored = ({ line, isNew }: LineMatch): LedgerLine => {
    if (isNew) table.bind(line);
    return line;
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
    stored,
    one: (orderNumber, ref, shownIds) => {
      begin();
      return matchLine(orderNumber, ref, shownIds === undefined ? nobody : new Set(shownIds));
    },
    all: (orderNumber, refs) => {
      begin();
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
      // A line without an id of the platform may be any that is left.
      const anyInPlace = linesInPlace(known, () => true);
      const matchOne = (ref: LineRef): LineMatch => {
        const { requestId } = ref;
        const first = requestId === null ? undefined : shown.get(requestId);
        if (first !== undefined) return matchRepeatedId(first, ref, left().firstLike(ref));
        const own = requestId === null ? undefined : bound.get(requestId);
        if (own !== undefined) return isAdopted(own) ? { was: own, line: own, isNew: false } : adopt(own, ref);
        if (!inPlace.isExact(ref)) {
          const like = left().like(ref);
          const candidates = requestId === null ? like : mayBeFetchedAgain(isStored, like, shownIds);
          return matchByNames(orderNumber, ref, candidates, amounts);
        }
        const like = () => left().firstLike(ref);
        const line =
          requestId === null
            ? (anyInPlace.find(ref) ?? likeliest(like(), ref, amounts))
            : (inPlace.find(ref) ?? likeliest(mayBeFetchedAgain(isStored, like(), shownIds), ref, amounts));
        return adoptOr(orderNumber, ref, line);
      };
      return refs.map((ref) => {
        const line = stored(matchOne(ref));
        taken.add(line.position);
        grouped?.take(line.position);
        inPlace.take(line);
        anyInPlace.take(line);
        if (ref.requestId !== null && !shown.has(ref.requestId)) shown.set(ref.requestId, line);
        return line;
      });
    },
  };
}

/** Whether a line that is shown under the id of its ledger line tells nothing new about its names and its unit. */
const isAdopted = ({ factor, intake, externalId, lot }: LedgerLine): boolean =>
  factor !== null && factor !== uncertainFactor && (intake !== null || (externalId !== null && lot !== null));

/** Whether a ledger line without a platform id may belong to the line; the same condition as in the table's query. */
const mayMean = ({ externalId, itemNumber }: LedgerLine, ref: LineRef): boolean =>
  (ref.externalId !== null && externalId === ref.externalId) || itemNumber === ref.itemNumber;
