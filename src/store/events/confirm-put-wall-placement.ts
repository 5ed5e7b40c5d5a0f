import { type Message, say } from "../../messages/message.ts";
import { ok } from "../../operation/outcome.ts";
import { itemText } from "../changes/offers/operator-text.ts";
import {
  atPlace,
  type LedgerLine,
  type LineAmounts,
  remainingOf,
  roundAmount,
  stillCut,
} from "../ledger/ledger-line.ts";
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
    const shared = shareAmount(lines, amount, wantedOf);
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

/**
 * Books an amount that names only the item: lines are filled in their order, first what is wanted of them, then what the
 * platform may still have of them, and what no line has room for stays on the last one as picked beyond the request.
 * Where steps were confirmed, the same goods are being sorted: they are picked once. Returns what changed.
 */
function shareAmount<Line extends LineAmounts>(
  lines: readonly Line[],
  amount: number,
  wantedOf: (line: Line) => number = remainingOf,
): Line[] {
  if (lines.some((line) => line.steps > 0)) return [];
  let left = amount;
  const give = (room: number): number => {
    const share = Math.max(0, Math.min(room, left));
    left = roundAmount(left - share);
    return share;
  };
  const wanted = lines.map((line) => give(Math.min(remainingOf(line), wantedOf(line))));
  const shares = lines.map((line, index) => {
    const first = wanted[index] ?? 0;
    return first + give(roundAmount(remainingOf(line) - first));
  });
  const last = lines.length - 1;
  return lines.flatMap((line, index): Line[] => {
    const share = shares[index] ?? 0;
    const over = index === last ? left : 0;
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
