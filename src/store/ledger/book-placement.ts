import {
  askedAtWall,
  atPlace,
  type LedgerLine,
  remainingOf,
  roundAmount,
  stillShortPicked,
  takenOf,
} from "./ledger-line.ts";

export interface Placement {
  /** In the unit of the order's lines. */
  readonly amount: number;
  readonly location: string;
  /** How much of a ledger line's open amount is still wanted. */
  readonly wantedOf: (line: LedgerLine) => number;
  /** What is still missing of the order line that a ledger line belongs to, whichever order was to bring it. */
  readonly missingOf: (line: LedgerLine) => Missing | undefined;
}

interface Missing {
  readonly key: string;
  readonly amount: number;
}

/**
 * Books an amount at a put wall, which names the item but no line. Lines are filled in order: first what is wanted of
 * them here; then what is missing of them in total, because goods for a line that was given up belong to it before a
 * line that wants none; then what is open, and what the platform may still have. What no line has room for is booked on
 * the last one as picked beyond the request. If steps were confirmed, the same goods are only being sorted, so they are
 * not counted again. Returns the ledger lines as the wall sees them, and those that changed.
 */
export function bookPlacement(
  ledgerLines: readonly LedgerLine[],
  { amount: completed, location, wantedOf, missingOf }: Placement,
): { readonly lines: readonly LedgerLine[]; readonly booked: readonly LedgerLine[] } {
  const lines = withRoom(ledgerLines, completed).map((line) => asWanted(line, wantedOf(line)));
  const factor = Math.max(1, ...lines.map((line) => line.factor ?? 1));
  const amount = roundAmount(completed * factor);
  // The location belongs to the item, not to a line: the first ledger line that took some keeps it for all.
  const [first = lines[0], ...others] = shareAmount(lines, amount, { wantedOf, missingOf });
  return { lines, booked: first === undefined ? [] : [atPlace(first, location, amount), ...others] };
}

/** A line that nobody has given an amount takes whatever comes. */
function withRoom(lines: readonly LedgerLine[], amount: number): readonly LedgerLine[] {
  const [only] = lines;
  if (lines.length > 1 || only === undefined || only.intake !== null || only.steps > 0) return lines;
  return [{ ...only, requested: Math.max(only.requested, only.picked + only.cancelled + amount) }];
}

/**
 * The wall's order may hold an earlier content of this line, which is wanted again. Without room here, the goods would
 * go to another line.
 */
const asWanted = (line: LedgerLine, wanted: number): LedgerLine =>
  line.factor === null && line.cancelled === 0 && line.steps === 0
    ? { ...line, requested: Math.max(line.requested, Math.min(line.intake ?? 0, roundAmount(line.picked + wanted))) }
    : line;

function shareAmount(
  lines: readonly LedgerLine[],
  amount: number,
  { wantedOf, missingOf }: Pick<Placement, "wantedOf" | "missingOf">,
): readonly LedgerLine[] {
  if (lines.some((line) => line.steps > 0)) return [];
  let left = amount;
  const give = (room: number): number => {
    const share = Math.max(0, Math.min(room, left));
    left = roundAmount(left - share);
    return share;
  };
  const wanted = lines.map((line) => give(Math.min(remainingOf(line), wantedOf(line))));
  const roomOf = (index: number, share: number): number => {
    const line = lines[index];
    return line === undefined ? 0 : roundAmount(remainingOf(askedAtWall(line)) - share);
  };
  const shares = [...wanted];
  for (const { places, amount: missing } of missingByKey(lines, missingOf)) {
    let open = places.reduce((rest, index) => rest - (wanted[index] ?? 0), missing);
    const add = (index: number, most: number) => {
      const more = give(Math.min(open, most));
      open = roundAmount(open - more);
      shares[index] = roundAmount((shares[index] ?? 0) + more);
    };
    // Spread over all ledger lines: with everything on the first, the others would stay open and seem to have room for
    // goods of a follow-up order.
    for (const index of places) add(index, roomOf(index, shares[index] ?? 0));
    for (const index of places.slice(0, 1)) add(index, open);
  }
  // First what the present content asks for, then what only an earlier content had. Otherwise an order whose goods are
  // all there would seem to lack some of one line and stay open.
  const brought = lines.map((line, index) => {
    const first = shares[index] ?? 0;
    return roundAmount(first + give(roundAmount(remainingOf(line) - first)));
  });
  const filled = brought.map((share, index) => roundAmount(share + give(roomOf(index, share))));
  return lines.flatMap((line, index) => {
    const beyond = index === lines.length - 1 ? left : 0;
    return withShare(line, filled[index] ?? 0, beyond) ?? [];
  });
}

/**
 * What is missing of each order line, and the indexes of its ledger lines. Ledger lines that cannot be told apart share
 * the amount.
 */
function missingByKey(lines: readonly LedgerLine[], missingOf: Placement["missingOf"]) {
  const byKey = new Map<string, { readonly amount: number; readonly places: number[] }>();
  for (const [index, line] of lines.entries()) {
    const own = missingOf(line);
    if (own === undefined) continue;
    const known = byKey.get(own.key) ?? { amount: own.amount, places: [] };
    known.places.push(index);
    byKey.set(own.key, known);
  }
  return byKey.values();
}

/** The ledger line with its share, and with the amount that no ledger line has room for. */
function withShare(line: LedgerLine, given: number, beyond: number): LedgerLine | undefined {
  const share = Math.min(given, Math.max(0, remainingOf(line)));
  const over = roundAmount(given - share + beyond);
  if (share === 0 && over === 0) return undefined;
  // Goods that are there are not cancelled: what was given up and arrived later counts as picked.
  const revived = Math.min(line.cancelled, over);
  const cancelled = roundAmount(line.cancelled - revived);
  return {
    ...line,
    picked: roundAmount(line.picked + share + revived),
    cancelled,
    shortPicked: stillShortPicked(line, cancelled),
    overPicked: roundAmount(line.overPicked + over - revived),
  };
}

/**
 * The ledger lines of a line after pieces at the wall are booked to it or, if negative, from it to another line of the
 * item.
 */
export function bookedOver(ledgerLines: readonly LedgerLine[], amount: number): LedgerLine[] {
  let left = amount;
  return ledgerLines.flatMap((ledgerLine, place) => {
    // What no ledger line has room for goes to the last one. Taking away leaves no ledger line below 0.
    const isLast = place === ledgerLines.length - 1;
    const room = Math.max(
      0,
      Math.max(ledgerLine.requested, ledgerLine.intake ?? 0) - ledgerLine.cancelled - takenOf(ledgerLine),
    );
    const share = left < 0 ? Math.max(left, -takenOf(ledgerLine)) : isLast ? left : Math.min(left, room);
    left = roundAmount(left - share);
    return share === 0 ? [] : [withTaken(ledgerLine, roundAmount(takenOf(ledgerLine) + share))];
  });
}

function withTaken(ledgerLine: LedgerLine, taken: number): LedgerLine {
  const requested = Math.max(ledgerLine.requested, Math.min(ledgerLine.intake ?? 0, taken));
  // Goods that are there are not cancelled: what was given up and arrived later counts as picked.
  const cancelled = roundAmount(Math.max(0, Math.min(ledgerLine.cancelled, requested - taken)));
  const picked = Math.min(taken, roundAmount(requested - cancelled));
  const overPicked = roundAmount(taken - picked);
  return {
    ...ledgerLine,
    requested,
    cancelled,
    shortPicked: stillShortPicked(ledgerLine, cancelled),
    picked,
    overPicked,
  };
}
