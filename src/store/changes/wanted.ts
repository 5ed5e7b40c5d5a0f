import { RequestType } from "../../contract/enums.ts";
import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { concerns, isWholeOrder, type LineNames, lineKey, namesOf } from "../ledger/line-ref.ts";

/** What the external system wants of one line, by its latest change. */
export interface WantedLine extends LineNames {
  /** In the line's own unit. */
  readonly amount: number;
  /** Sequence number of the journal entry that last changed it. */
  readonly seq: number;
  /** Set when one amount was given to several lines of an item: how it is split depends on what is picked of each. */
  readonly shared?: SharedAmount;
  /** What was short-picked of the line when the order was given back, in the line's own unit. */
  readonly shortPicked?: number;
  /** Nothing was wanted of it before the order was cancelled: the cancellation took nothing away from it. */
  readonly wasNothing?: true;
}

interface SharedAmount {
  readonly seq: number;
  readonly total: number;
  /**
   * Index of the line among those that share the amount. A later push that changes none of them may list them in
   * another order.
   */
  readonly place?: number;
  /** Marks the line that gets whatever exceeds the earlier amounts of all lines. */
  readonly isRaised?: true;
}

/** All that the external system currently wants of an order. */
export interface Wanted {
  /** The order as last pushed; null when it was never pushed here. */
  readonly pushed: WorkOrder | null;
  /** Lines that a later push no longer had. A later reduction may still give them an amount. */
  readonly gone: readonly RequestLine[];
  readonly lines: readonly WantedLine[];
  /** Sequence number of the entry that cancelled the whole order, including lines nobody has named. */
  readonly cancelledSeq: number | null;
}

export const neverPushed: Wanted = { pushed: null, gone: [], lines: [], cancelledSeq: null };

/** A cancellation or reduction of some lines of an order. */
export interface LineChange extends LineNames {
  /** Set when it is about one line only: other lines may have the same names. */
  readonly lineKey?: string;
  readonly amount: number;
}

/** Whether a change is about a line. */
export const isAbout = (change: Omit<LineChange, "amount">, line: LineNames): boolean =>
  change.lineKey === undefined ? concerns(change, line) : change.lineKey === lineKey(line);

export const isPicked = (line: RequestLine): boolean => line.requestType !== RequestType.Ignored;

/** The amounts of an order's content by line; lines that cannot be told apart are added up. */
export const linesOf = (requests: readonly RequestLine[]): readonly PushedLine[] => [...linesByKey(requests).values()];

type PushedLine = LineNames & { readonly amount: number };

function linesByKey(requests: readonly RequestLine[]): ReadonlyMap<string, PushedLine> {
  const lines = new Map<string, LineNames & { amount: number }>();
  for (const request of requests) {
    if (!isPicked(request)) continue;
    const { externalId, itemNumber, lot } = namesOf(request);
    const own = { externalId, itemNumber, lot, amount: request.requestedAmount };
    const key = lineKey(own);
    const line = lines.get(key);
    if (line === undefined) lines.set(key, own);
    else line.amount += request.requestedAmount;
  }
  return lines;
}

/** Stands for the entry of the first push. */
const firstSeq = 0;

export const wantedByPush = (workOrder: WorkOrder): Wanted => ({
  pushed: workOrder,
  gone: [],
  lines: linesOf(workOrder.requests).map((line) => ({ ...line, seq: firstSeq })),
  cancelledSeq: null,
});

/** Whether the external system has only ever sent its first push. */
export const isUnchanged = ({ pushed, lines, cancelledSeq }: Wanted): boolean =>
  pushed !== null && cancelledSeq === null && lines.every(({ seq }) => seq === firstSeq);

/** The picked amount of each line by its key, in the line's own unit. */
export type PickedByKey = Pick<ReadonlyMap<string, number>, "get">;

/** What is wanted of each line. Amounts that several lines share are split by what is picked of each. */
export function resolveWanted(wanted: Wanted, picked: PickedByKey): WantedLine[] {
  const split = new Map<number, ReadonlyMap<string, number>>();
  return wanted.lines.map((line) => {
    const { shared } = line;
    if (shared === undefined) return line;
    let amounts = split.get(shared.seq);
    if (amounts === undefined) {
      const group = wanted.lines
        .filter((other) => other.shared?.seq === shared.seq)
        .toSorted((one, other) => (one.shared?.place ?? 0) - (other.shared?.place ?? 0));
      const shares = shareOut(group, shared.total, picked);
      amounts = new Map(group.map((own, place) => [lineKey(own), shares[place] ?? own.amount]));
      split.set(shared.seq, amounts);
    }
    return { ...line, amount: amounts.get(lineKey(line)) ?? line.amount };
  });
}

/**
 * Splits an amount over lines: earlier lines get theirs first, and none gets less than is picked of it. Whatever
 * exceeds the earlier amounts goes to the marked line, otherwise to the last. If more is picked than wanted, the later
 * lines have the excess.
 */
function shareOut(group: readonly WantedLine[], total: number, picked: PickedByKey): number[] {
  const lines = group.map((line) => {
    const own = picked.get(lineKey(line)) ?? 0;
    return { live: Math.max(line.amount, own), picked: own };
  });
  let spare = total;
  const amounts = keepAmounts(lines, total).map((kept) => {
    const amount = Math.min(kept, spare);
    spare -= amount;
    return amount;
  });
  const marked = group.findIndex(({ shared }) => shared?.isRaised === true);
  const raised = marked < 0 ? amounts.length - 1 : marked;
  if (spare > 0 && raised >= 0) amounts[raised] = (amounts[raised] ?? 0) + spare;
  return amounts;
}

/**
 * Applies a cancellation or reduction. If no known line matches, it is stored all the same: the platform may have such
 * a line.
 */
export function applyChange(wanted: Wanted, change: LineChange, seq: number, picked: PickedByKey): Wanted {
  // A line that leaves a shared amount takes its part with it; the other lines keep what they have by now.
  const lines = resolveWanted(wanted, picked);
  const isMeant = (line: LineNames) => isAbout(change, line);
  const meant = lines.filter(isMeant);
  const places = new Map(meant.map((line, place) => [line, place]));
  const sharing = meant.length > 1 && change.amount > 0 ? { seq, total: change.amount } : undefined;
  const raised = sharing === undefined ? undefined : lastWanted(wanted, meant);
  const touched = new Set(meant.flatMap((line) => (line.shared === undefined ? [] : [line.shared.seq])));
  const frozen = (line: WantedLine, original: WantedLine | undefined): WantedLine => {
    if (line.shared === undefined || !touched.has(line.shared.seq)) return original ?? line;
    const { shared: _, ...alone } = line;
    return alone;
  };
  const next = lines.map((line, index): WantedLine => {
    const place = places.get(line);
    if (place === undefined) return frozen(line, wanted.lines[index]);
    const { shared: _, wasNothing: __, ...alone } = line;
    if (sharing !== undefined) {
      const more = line === raised ? ({ isRaised: true } as const) : {};
      return { ...alone, seq, shared: { ...sharing, place, ...more } };
    }
    const isNothingMore = isWholeOrder(change) && line.amount === 0;
    return { ...alone, seq, amount: change.amount, ...(isNothingMore ? { wasNothing: true as const } : {}) };
  });
  if (meant.length === 0 && !isWholeOrder(change)) {
    const { externalId, itemNumber, lot, amount } = change;
    next.push({ externalId, itemNumber, lot, amount, seq });
  }
  return { ...wanted, lines: next, cancelledSeq: isWholeOrder(change) ? seq : wanted.cancelledSeq };
}

/** Applies changes that each name one known line by its key: the lines get these amounts in one pass. */
export function applyLineChanges(
  wanted: Wanted,
  changes: readonly LineChange[],
  seq: number,
  picked: PickedByKey,
): Wanted {
  const amounts = new Map(changes.map(({ lineKey: key, amount }) => [key, amount]));
  const lines = resolveWanted(wanted, picked);
  const touched = new Set(
    lines.flatMap((line) => (line.shared !== undefined && amounts.has(lineKey(line)) ? [line.shared.seq] : [])),
  );
  const next = lines.map((line, index): WantedLine => {
    const { shared, wasNothing: _, ...alone } = line;
    const amount = amounts.get(lineKey(line));
    if (amount !== undefined) return { ...alone, seq, amount };
    if (shared === undefined || !touched.has(shared.seq)) return wanted.lines[index] ?? line;
    // A line that leaves a shared amount takes its part with it; the other lines keep what they have by now.
    return line.wasNothing === undefined ? alone : { ...alone, wasNothing: line.wasNothing };
  });
  return { ...wanted, lines: next };
}

/**
 * The last line with a wanted amount; if none has one, the last line of the latest push, because other lines may not
 * exist.
 */
function lastWanted({ pushed }: Wanted, lines: readonly WantedLine[]): WantedLine | undefined {
  const named = new Set(linesOf(pushed?.requests ?? []).map(lineKey));
  return lines.findLast(({ amount }) => amount > 0) ?? lines.findLast((line) => named.has(lineKey(line)));
}

/** Applies an order that was pushed again: each line whose amount it changes counts as changed by this entry. */
export function applyPush(wanted: Wanted, workOrder: WorkOrder, seq: number, picked: PickedByKey): Wanted {
  const before = new Map(resolveWanted(wanted, picked).map((line) => [lineKey(line), line]));
  const pushed = linesByKey(workOrder.requests);
  const isSame = (line: LineNames) => before.get(lineKey(line))?.amount === (pushed.get(lineKey(line))?.amount ?? 0);
  // A shared amount stays shared as long as the push changes none of its lines.
  const sharing = wanted.lines.filter(({ shared }) => shared !== undefined);
  const ended = new Set(sharing.filter((line) => !isSame(line)).map(({ shared }) => shared?.seq));
  const kept = new Map(
    sharing.filter(({ shared }) => !ended.has(shared?.seq)).map((line) => [lineKey(line), line] as const),
  );
  const lines: WantedLine[] = [];
  for (const [key, line] of pushed) {
    const old = before.get(key);
    const isUnchanged = old !== undefined && old.amount === line.amount;
    const shared = kept.get(key);
    if (isUnchanged && shared?.shared !== undefined) lines.push(shared);
    else if (isUnchanged && isPlain(old, line)) lines.push(old);
    else lines.push({ ...line, ...keptShortPicked(old), seq: isUnchanged ? old.seq : seq });
  }
  const wantedCount = lines.length;
  for (const [key, old] of before) {
    if (pushed.has(key)) continue;
    const { shared, ...line } = old;
    // Nothing was left for this line before: the push does not change the amount it shares.
    const own = shared === undefined ? undefined : kept.get(key);
    lines.push(line.amount === 0 ? (own ?? line) : { ...line, amount: 0, seq });
  }
  // Every known line is a wanted one: where none of those has vanished, no known line is gone either.
  const isAnyGone = lines.length > wantedCount || wanted.gone.length > 0;
  const known = isAnyGone ? [...(wanted.pushed?.requests ?? []), ...wanted.gone] : [];
  const gone = known.filter((line) => isPicked(line) && !pushed.has(lineKey(namesOf(line))));
  return { pushed: workOrder, gone, lines, cancelledSeq: null };
}

/** Whether a wanted line says no more than its names and what was short-picked. Then it stays the same object. */
const isPlain = (old: WantedLine, line: PushedLine): boolean =>
  old.shared === undefined &&
  old.wasNothing === undefined &&
  old.externalId === line.externalId &&
  old.itemNumber === line.itemNumber &&
  old.lot === line.lot;

/** The short-picked amount stays until a changed amount for the line is stored: then it is asked for again. */
const keptShortPicked = (line: WantedLine | undefined) =>
  line?.shortPicked === undefined ? {} : { shortPicked: line.shortPicked };

/** A line as the platform has it: what it still wants, and what is picked. */
interface RunningLine {
  readonly live: number;
  readonly picked: number;
}

/**
 * How much of each line stays when all of them together are lowered to an amount: never less than is picked, never more
 * than before, earlier lines first.
 */
function keepAmounts(lines: readonly RunningLine[], wanted: number): number[] {
  let spare = wanted - lines.reduce((sum, line) => sum + line.picked, 0);
  return lines.map(({ live, picked }) => {
    const extra = Math.max(0, Math.min(live - picked, spare));
    spare -= extra;
    return picked + extra;
  });
}
