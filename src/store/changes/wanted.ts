import { RequestType } from "../../contract/enums.ts";
import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { concerns, isWholeOrder, type LineNames, lineKey, namesOf } from "../ledger/line-sight.ts";

/** What the external system wants of one line, by its latest word on it. */
export interface WantedLine extends LineNames {
  /** In the line's own unit. */
  readonly amount: number;
  /** The entry of the latest word that changed it. */
  readonly seq: number;
  /** Given to several lines of an item together: how it is split depends on what is picked of each. */
  readonly shared?: SharedWord;
  /** What the floor had cut short of it when it gave the order back, in the line's own unit. */
  readonly cut?: number;
}

interface SharedWord {
  readonly seq: number;
  readonly total: number;
  /** Of the line among those that share it. A later push that changes none of them may list them in another order. */
  readonly place?: number;
  /** The line that gets what is more than all of them had. */
  readonly isRaised?: true;
}

/** Everything the external system has said about an order that still counts. */
export interface Wanted {
  /** The order as it was pushed last; null for an order that was never pushed here. */
  readonly pushed: WorkOrder | null;
  /** Lines that a later push no longer had; a cancellation may still give them an amount. */
  readonly gone: readonly RequestLine[];
  readonly lines: readonly WantedLine[];
  /** The entry that cancelled the whole order, lines nobody has named included. */
  readonly cancelledSeq: number | null;
}

export const nothingSaid: Wanted = { pushed: null, gone: [], lines: [], cancelledSeq: null };

/** A word on some lines of an order: a cancellation or reduction. */
export interface Word extends LineNames {
  /** Where it is about one line only: its names may be those of other lines too. */
  readonly lineKey?: string;
  readonly amount: number;
}

/** Whether a word is about a line. */
export const isAbout = (word: Omit<Word, "amount">, line: LineNames): boolean =>
  word.lineKey === undefined ? concerns(word, line) : word.lineKey === lineKey(line);

export const isPicked = (line: RequestLine): boolean => line.requestType !== RequestType.Ignored;

/** The amounts of an order's content by line, twins together. */
export function linesOf(requests: readonly RequestLine[]): (LineNames & { readonly amount: number })[] {
  const lines = new Map<string, LineNames & { amount: number }>();
  for (const request of requests.filter(isPicked)) {
    const names = namesOf(request);
    const line = lines.get(lineKey(names));
    if (line === undefined) lines.set(lineKey(names), { ...names, amount: request.requestedAmount });
    else line.amount += request.requestedAmount;
  }
  return [...lines.values()];
}

/** Stands for the entry of the first push. */
const firstSeq = 0;

export const wantedByPush = (workOrder: WorkOrder): Wanted => ({
  pushed: workOrder,
  gone: [],
  lines: linesOf(workOrder.requests).map((line) => ({ ...line, seq: firstSeq })),
  cancelledSeq: null,
});

/** Whether the external system has never said anything but its first push. */
export const isUnchanged = ({ pushed, lines, cancelledSeq }: Wanted): boolean =>
  pushed !== null && cancelledSeq === null && lines.every(({ seq }) => seq === firstSeq);

/** Picked so far of each line, by its key, in the line's own unit. */
export type PickedByKey = ReadonlyMap<string, number>;

/** What is wanted of each line, with amounts that several lines share split up by what is picked of them. */
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
 * Splits an amount over lines: earlier lines keep first, none less than what is picked of it. What is more than all of
 * them had goes to the last one that is wanted. Where more is picked than is wanted, the later lines are the ones with too much.
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

/** Takes in a cancellation or reduction. One of a line that is not known is kept: the platform may have such a line. */
export function takeWord(wanted: Wanted, word: Word, seq: number, picked: PickedByKey): Wanted {
  // A line that leaves a shared amount takes its part with it: the others keep what they have by now.
  const lines = resolveWanted(wanted, picked);
  const isMeant = (line: LineNames) => isAbout(word, line);
  const meant = lines.filter(isMeant);
  const sharing = meant.length > 1 && word.amount > 0 ? { seq, total: word.amount } : undefined;
  const raised = sharing === undefined ? undefined : lastWanted(wanted, meant);
  const touched = new Set(meant.flatMap((line) => (line.shared === undefined ? [] : [line.shared.seq])));
  const frozen = (line: WantedLine, original: WantedLine | undefined): WantedLine => {
    if (line.shared === undefined || !touched.has(line.shared.seq)) return original ?? line;
    const { shared: _, ...alone } = line;
    return alone;
  };
  const next = lines.map((line, index): WantedLine => {
    if (!isMeant(line)) return frozen(line, wanted.lines[index]);
    const { shared: _, ...alone } = line;
    if (sharing !== undefined) {
      const more = line === raised ? ({ isRaised: true } as const) : {};
      return { ...alone, seq, shared: { ...sharing, place: meant.indexOf(line), ...more } };
    }
    return { ...alone, seq, amount: word.amount };
  });
  if (meant.length === 0 && !isWholeOrder(word)) {
    const { externalId, itemNumber, lot, amount } = word;
    next.push({ externalId, itemNumber, lot, amount, seq });
  }
  return { ...wanted, lines: next, cancelledSeq: isWholeOrder(word) ? seq : wanted.cancelledSeq };
}

/** The last line that something is wanted of; without any, the last one of the latest push: others may not be there at all. */
function lastWanted({ pushed }: Wanted, lines: readonly WantedLine[]): WantedLine | undefined {
  const named = new Set(linesOf(pushed?.requests ?? []).map(lineKey));
  return lines.findLast(({ amount }) => amount > 0) ?? lines.findLast((line) => named.has(lineKey(line)));
}

/** Takes in an order pushed again: a word on every line whose amount it changes. */
export function takePush(wanted: Wanted, workOrder: WorkOrder, seq: number, picked: PickedByKey): Wanted {
  const before = new Map(resolveWanted(wanted, picked).map((line) => [lineKey(line), line]));
  const pushed = linesOf(workOrder.requests);
  const keys = new Set(pushed.map(lineKey));
  const amounts = new Map(pushed.map((line) => [lineKey(line), line.amount]));
  const isSame = (line: LineNames) => before.get(lineKey(line))?.amount === (amounts.get(lineKey(line)) ?? 0);
  // An amount that lines share stays shared as long as the push changes none of them.
  const kept = new Map(
    wanted.lines
      .filter((line) => wanted.lines.every((other) => other.shared?.seq !== line.shared?.seq || isSame(other)))
      .map((line) => [lineKey(line), line]),
  );
  const lines = pushed.map((line): WantedLine => {
    const old = before.get(lineKey(line));
    const isUnchanged = old !== undefined && old.amount === line.amount;
    const shared = kept.get(lineKey(line));
    if (isUnchanged && shared?.shared !== undefined) return shared;
    return { ...line, ...cutOf(old), seq: isUnchanged ? old.seq : seq };
  });
  const vanished = [...before.values()].filter((line) => !keys.has(lineKey(line)));
  for (const { shared, ...line } of vanished) {
    // Nothing was left for it before: the push says nothing new about the amount that it shares.
    const own = shared === undefined ? undefined : kept.get(lineKey(line));
    lines.push(line.amount === 0 ? (own ?? line) : { ...line, amount: 0, seq });
  }
  const known = [...(wanted.pushed?.requests ?? []), ...wanted.gone];
  const gone = known.filter((line) => isPicked(line) && !keys.has(lineKey(namesOf(line))));
  return { pushed: workOrder, gone, lines, cancelledSeq: null };
}

/** Stays until a new word on the line is stored: then it is asked for again. */
const cutOf = (line: WantedLine | undefined) => (line?.cut === undefined ? {} : { cut: line.cut });

/** A line as the platform has it: what it still wants of it and what is picked. */
interface RunningLine {
  readonly live: number;
  readonly picked: number;
}

/**
 * How much of each line stays when all of them together are lowered to an amount: never less than what is
 * picked, never more than before, earlier lines first.
 */
function keepAmounts(lines: readonly RunningLine[], wanted: number): number[] {
  let spare = wanted - lines.reduce((sum, line) => sum + line.picked, 0);
  return lines.map(({ live, picked }) => {
    const extra = Math.max(0, Math.min(live - picked, spare));
    spare -= extra;
    return picked + extra;
  });
}
