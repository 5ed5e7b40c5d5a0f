import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { BaseUnits } from "../base-units.ts";
import type { LedgerLine } from "../ledger-line.ts";
import type { LedgerTable } from "../ledger-table.ts";
import { isShownSeparately, type LineNames, type LineRef, lineKey, type ServedLine } from "../line-ref.ts";
import { rebound } from "../refetch.ts";

/** A ledger line after its line was seen in an event. */
export interface LineMatch {
  /** As it was stored; null when it was opened just now. */
  readonly was: LedgerLine | null;
  readonly line: LedgerLine;
  /** Whether the event showed something that is not stored yet. */
  readonly isNew: boolean;
}

export interface AdoptNeeds {
  readonly table: LedgerTable;
  readonly units: BaseUnits;
  /** A line in each content of a changed order, the present one last: the platform may have fetched any of them. */
  readonly servedOf: (orderNumber: string, line: LineNames) => readonly (readonly ServedLine[])[];
}

/** Makes a ledger line the one of a line that an event shows. */
export interface LineAdoption {
  /** Binds a ledger line to the platform's id and converts it to base units. Nothing is stored yet. */
  readonly adopt: (line: LedgerLine, ref: LineRef) => LineMatch;
  /** Opens a ledger line for a line that no ledger line belongs to. */
  readonly addUnknown: (orderNumber: string, ref: LineRef) => LineMatch;
  /** The match with this ledger line, or with a new one if none was found or the line seen is another one. */
  readonly adoptOr: (orderNumber: string, ref: LineRef, line: LedgerLine | undefined) => LineMatch;
  /** Call this before each event is matched: what was counted for the last one may have changed since. */
  readonly begin: () => void;
}

export function lineAdoption({ table, units, servedOf }: AdoptNeeds): LineAdoption {
  /** How many lines of a key a content had, at most. Counted once, because a model may have thousands of lines. */
  const mostServed = new Map<string, number>();

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

  /**
   * Whether an earlier content had exactly this line, or more indistinguishable lines than have ledger lines. Then the
   * line seen is one of those, and not another line of the item.
   */
  const hasVanished = (orderNumber: string, ref: LineRef, like: LedgerLine): boolean => {
    const key = lineKey(ref);
    if (lineKey(like) === key || ref.itemNumber === null) return false;
    const isOwn = (line: LineNames) => lineKey(line) === key;
    const most =
      mostServed.get(key) ?? Math.max(0, ...servedOf(orderNumber, ref).map((lines) => lines.filter(isOwn).length));
    mostServed.set(key, most);
    return most > 0 && most > table.byOrder(orderNumber).filter(isOwn).length;
  };

  const adoptOr = (orderNumber: string, ref: LineRef, line: LedgerLine | undefined): LineMatch =>
    line === undefined || hasVanished(orderNumber, ref, line) ? addUnknown(orderNumber, ref) : adopt(line, ref);

  return { adopt, addUnknown, adoptOr, begin: () => mostServed.clear() };
}
