import { lineKey } from "../ledger/line-sight.ts";
import type { ChangeNeeds } from "./change-needs.ts";
import type { ServedContent } from "./wanted-table.ts";

/**
 * A put wall shows no amounts. Lines that an earlier content had and the present one has not may be in the wall's order all
 * the same: they get accounts with nothing asked for, so that what was served of them counts.
 */
export function beginAtPutWall({ ledger, changed }: ChangeNeeds, orderNumber: string): void {
  const family = changed.read(orderNumber);
  const carrier = family?.carriers.find(({ number }) => number === orderNumber);
  if (carrier === undefined || carrier.accounts.length > 0) return;
  const known = new Set(ledger.linesOf(orderNumber).map(lineKey));
  const gone = new Map(
    carrier.served
      .flatMap(byLine)
      .filter((line) => !known.has(lineKey(line)))
      .toSorted((one, other) => one.amount - other.amount)
      .map((line) => [lineKey(line), line]),
  );
  for (const line of gone.values()) ledger.addUnasked(orderNumber, line);
}

/** The lines of a content, those that nothing tells apart as one. */
function byLine(content: ServedContent): ServedContent {
  return [...Map.groupBy(content, lineKey).values()].flatMap(([first, ...twins]) =>
    first === undefined ? [] : [{ ...first, amount: twins.reduce((sum, { amount }) => sum + amount, first.amount) }],
  );
}
