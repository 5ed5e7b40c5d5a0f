import { askedAtWall, atPlace, type LedgerLine, remainingOf, roundAmount, stillCut, takenOf } from "./ledger-line.ts";

export interface Placement {
  /** In the unit of the order's lines. */
  readonly amount: number;
  readonly location: string;
  /** How much of what is open of an account somebody still wants. */
  readonly wantedOf: (line: LedgerLine) => number;
  /** What is still missing of the order's line that an account belongs to, whichever order was to bring it. */
  readonly missingOf: (line: LedgerLine) => Missing | undefined;
}

interface Missing {
  readonly key: string;
  readonly amount: number;
}

/**
 * Books an amount at a put wall, which names the item and no line: lines are filled in their order, first what is wanted of
 * them here, then what is missing of them in all (of a line that the floor had given up nothing is wanted here, but the goods
 * are for it before they are for a line that wants none), then what is open of them and what the platform may still have, and what no line has
 * room for stays on the last one as picked beyond the request. Where steps were confirmed, the same goods are being sorted:
 * they are picked once. Gives the accounts as they were for the wall, and those that changed.
 */
export function bookPlacement(
  accounts: readonly LedgerLine[],
  { amount: completed, location, wantedOf, missingOf }: Placement,
): { readonly lines: readonly LedgerLine[]; readonly booked: readonly LedgerLine[] } {
  const lines = withRoom(accounts, completed).map((line) => asWanted(line, wantedOf(line)));
  const factor = Math.max(1, ...lines.map((line) => line.factor ?? 1));
  const amount = roundAmount(completed * factor);
  // The location is of the item and not of a line: the first that took some keeps it for all of them.
  const [first = lines[0], ...others] = shareAmount(lines, amount, { wantedOf, missingOf });
  return { lines, booked: first === undefined ? [] : [atPlace(first, location, amount), ...others] };
}

/** A line nobody ever named an amount for takes whatever comes. */
function withRoom(lines: readonly LedgerLine[], amount: number): readonly LedgerLine[] {
  const [only] = lines;
  if (lines.length > 1 || only === undefined || only.intake !== null || only.steps > 0) return lines;
  return [{ ...only, requested: Math.max(only.requested, only.picked + only.cancelled + amount) }];
}

/** What an earlier content had may be in the wall's order, and is wanted again: without room for it, it would go to another line. */
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
    // All on the first one, the others would stay open for ever, and seem to have room for what a follow-up order is to bring.
    for (const index of places) add(index, roomOf(index, shares[index] ?? 0));
    for (const index of places.slice(0, 1)) add(index, open);
  }
  // What the wall is to bring lies there before anything counts that only an earlier content had: otherwise an order whose
  // goods are all there would seem to lack some of one line and stay open.
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

/** What is missing of each line of the order, and where its accounts are: those that nothing tells apart bring it together. */
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

/** The account with its share, and with what no account has room for. */
function withShare(line: LedgerLine, given: number, beyond: number): LedgerLine | undefined {
  const share = Math.min(given, Math.max(0, remainingOf(line)));
  const over = roundAmount(given - share + beyond);
  if (share === 0 && over === 0) return undefined;
  // Goods that are there are not cancelled: what was given up and came after all is picked.
  const revived = Math.min(line.cancelled, over);
  const cancelled = roundAmount(line.cancelled - revived);
  return {
    ...line,
    picked: roundAmount(line.picked + share + revived),
    cancelled,
    cut: stillCut(line, cancelled),
    overPicked: roundAmount(line.overPicked + over - revived),
  };
}

/** The accounts of a line after pieces at the wall count for it, or (below 0) for another line of the item. */
export function bookedOver(accounts: readonly LedgerLine[], amount: number): LedgerLine[] {
  let left = amount;
  return accounts.flatMap((account, place) => {
    // What no account has room for stays on the last one; what is taken away leaves none below nothing.
    const isLast = place === accounts.length - 1;
    const room = Math.max(0, Math.max(account.requested, account.intake ?? 0) - account.cancelled - takenOf(account));
    const share = left < 0 ? Math.max(left, -takenOf(account)) : isLast ? left : Math.min(left, room);
    left = roundAmount(left - share);
    return share === 0 ? [] : [withTaken(account, roundAmount(takenOf(account) + share))];
  });
}

function withTaken(account: LedgerLine, taken: number): LedgerLine {
  const requested = Math.max(account.requested, Math.min(account.intake ?? 0, taken));
  // Goods that are there are not cancelled: what was given up and came after all is picked.
  const cancelled = roundAmount(Math.max(0, Math.min(account.cancelled, requested - taken)));
  const picked = Math.min(taken, roundAmount(requested - cancelled));
  const overPicked = roundAmount(taken - picked);
  return { ...account, requested, cancelled, cut: stillCut(account, cancelled), picked, overPicked };
}
