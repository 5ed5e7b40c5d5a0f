import { type Message, say } from "../../messages/message.ts";
import { ok } from "../../operation/outcome.ts";
import { itemText } from "../changes/offers/operator-text.ts";
import { askedAtWall, atPlace, type LedgerLine, remainingOf, roundAmount, stillCut } from "../ledger/ledger-line.ts";
import { type EventHandler, type EventNeeds, itemLines, openWanted } from "./event-handler.ts";

/** Always booked: two equal placements are two pieces, and only the way in can tell a retry from a repeat. */
export const confirmPutWallPlacement =
  (needs: EventNeeds): EventHandler<"confirmPutWallPlacement"> =>
  (placement, entry) => {
    const { orders, ledger, changes } = needs;
    const { workOrderNumber: orderNumber, itemNumber, completedAmount } = placement;
    orders.sign(orderNumber);
    changes.beginAtPutWall(orderNumber);

    const wantedOf = openWanted(needs, orderNumber);
    const lines = withRoom(itemLines(needs, orderNumber, itemNumber), completedAmount).map((line) =>
      asWanted(line, wantedOf(line)),
    );
    const factor = Math.max(1, ...lines.map((line) => line.factor ?? 1));
    const amount = roundAmount(completedAmount * factor);
    const shared = shareAmount(lines, amount, wantedOf, openShort(needs, orderNumber));
    const booked = placed(shared, lines, placement.confirmedLocationName ?? "", amount);
    for (const line of booked) ledger.book(line);

    const family = changes.read(orderNumber);
    if (family !== undefined || booked.some((line) => remainingOf(line) === 0)) changes.settle(orderNumber, entry);
    const message = family === undefined ? overPlaced(lines, booked) : itemText(family, orderNumber, itemNumber);
    return ok(null, message === undefined ? {} : { message });
  };

/** The location is of the item and not of a line: the first that took some keeps it for all of them. */
function placed(
  shared: readonly LedgerLine[],
  lines: readonly LedgerLine[],
  location: string,
  amount: number,
): LedgerLine[] {
  const [first = lines[0], ...others] = shared;
  return first === undefined ? [] : [atPlace(first, location, amount), ...others];
}

/** A line nobody ever named an amount for takes whatever comes. */
function withRoom(lines: LedgerLine[], amount: number): LedgerLine[] {
  const [only] = lines;
  if (lines.length > 1 || only === undefined || only.intake !== null || only.steps > 0) return lines;
  return [{ ...only, requested: Math.max(only.requested, only.picked + only.cancelled + amount) }];
}

/** What an earlier content had may be in the wall's order, and is wanted again: without room for it, it would go to another line. */
const asWanted = (line: LedgerLine, wanted: number): LedgerLine =>
  line.factor === null && line.cancelled === 0 && line.steps === 0
    ? { ...line, requested: Math.max(line.requested, Math.min(line.intake ?? 0, roundAmount(line.picked + wanted))) }
    : line;

function overPlaced(before: readonly LedgerLine[], after: readonly LedgerLine[]): Message | undefined {
  // What was picked by steps is sorted here: the same goods are seen twice and nothing is too much.
  if (before.some((line) => line.steps > 0)) return undefined;
  const over = after.find((line) => line.overPicked > 0);
  return over && say("events.over-picked", { item: over.itemNumber, over: over.overPicked });
}

/** What is still missing of a line of the order in all, and the accounts that it has here. */
interface Short {
  readonly positions: ReadonlySet<number>;
  readonly amount: number;
}

/** Whichever order was to bring it: goods that lie here are not put aside while a line of the item is short of them. */
function openShort({ changes }: EventNeeds, orderNumber: string): (account: LedgerLine) => Short | undefined {
  const family = changes.read(orderNumber);
  const index = family?.carriers.findIndex(({ number }) => number === orderNumber) ?? 0;
  return (account) => {
    const line = family?.lines.find((own) =>
      own.accounts[index]?.some(({ position }) => position === account.position),
    );
    if (line === undefined || line.decision === null || line.facts.wanted === null) return undefined;
    const scale = account.factor === null ? (line.factor ?? 1) : 1;
    const positions = new Set(line.accounts[index]?.map(({ position }) => position));
    return { positions, amount: roundAmount(line.decision.short / scale) };
  };
}

/**
 * Books an amount that names only the item: lines are filled in their order, first what is wanted of them here, then what
 * another order was to bring of them, then what the platform may still have of them, and what no line has room for stays on
 * the last one as picked beyond the request.
 * Where steps were confirmed, the same goods are being sorted: they are picked once. Returns what changed.
 */
function shareAmount(
  lines: readonly LedgerLine[],
  amount: number,
  wantedOf: (line: LedgerLine) => number,
  shortOf: (line: LedgerLine) => Short | undefined,
): LedgerLine[] {
  if (lines.some((line) => line.steps > 0)) return [];
  let left = amount;
  const give = (room: number): number => {
    const share = Math.max(0, Math.min(room, left));
    left = roundAmount(left - share);
    return share;
  };
  const wanted = lines.map((line) => give(Math.min(remainingOf(line), wantedOf(line))));
  const short = lines.map(() => 0);
  for (const [index, line] of lines.entries()) {
    const own = shortOf(line);
    const given = lines.map(({ position }, place) =>
      own?.positions.has(position) === true ? (wanted[place] ?? 0) + (short[place] ?? 0) : 0,
    );
    short[index] = give(roundAmount((own?.amount ?? 0) - given.reduce((sum, share) => sum + share, 0)));
  }
  const shares = lines.map((line, index) => {
    const first = roundAmount((wanted[index] ?? 0) + (short[index] ?? 0));
    return first + give(roundAmount(remainingOf(askedAtWall(line)) - first));
  });
  const last = lines.length - 1;
  return lines.flatMap((line, index): LedgerLine[] => {
    const room = Math.max(0, remainingOf(line));
    const share = Math.min(shares[index] ?? 0, room);
    const over = roundAmount((shares[index] ?? 0) - share + (index === last ? left : 0));
    if (share === 0 && over === 0) return [];
    // Goods that are there are not cancelled: what was given up and came after all is picked.
    const revived = Math.min(line.cancelled, over);
    const cancelled = roundAmount(line.cancelled - revived);
    return [
      {
        ...line,
        picked: roundAmount(line.picked + share + revived),
        cancelled,
        cut: stillCut(line, cancelled),
        overPicked: roundAmount(line.overPicked + over - revived),
      },
    ];
  });
}
