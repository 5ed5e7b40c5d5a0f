import { oncePer } from "../../../kit/recent-values.ts";
import { roundAmount } from "../../ledger/ledger-line.ts";
import { lineKey } from "../../ledger/line-ref.ts";
import type { GroupLine, OrderGroup } from "../order-group.ts";
import { linesLatestFirst } from "../served/served-content.ts";
import { baseFactor } from "./line-facts.ts";
import type { MemberOrder } from "./member-order.ts";

/** What is picked of an item beyond what all its lines want together, in the lines' own unit. */
export const tooMuchOf = (group: OrderGroup, itemNumber: string): number =>
  tooMuchIn(group.lines.filter((line) => line.itemNumber === itemNumber));

/** The same for every item of the order, in one pass over its lines. */
export function tooMuchByItem(group: OrderGroup): ReadonlyMap<string, number> {
  const byItem = Map.groupBy(group.lines, ({ itemNumber }) => itemNumber);
  return new Map([...byItem].flatMap(([item, own]) => (item === null ? [] : [[item, tooMuchIn(own)]])));
}

function tooMuchIn(own: readonly GroupLine[]): number {
  // A line without a wanted amount may take any number of pieces. A line whose unit is in doubt cannot be counted.
  if (own.some(({ wanted, factor }) => wanted === null || factor === null)) return 0;
  const beyond = own.reduce((sum, line) => sum + (line.decision?.excessAmount ?? 0) / baseFactor(line), 0);
  return roundAmount(Math.max(0, beyond));
}

/**
 * Whether the external system wants nothing of the order any more. Changes to a line that no order has do not count. A
 * line the external system has never named is still wanted, and so is its order.
 */
export function isCalledOff({ members, lines }: OrderGroup): boolean {
  const isHad = ({ key, ledgerLines }: GroupLine) =>
    ledgerLines.some(({ length }) => length > 0) || members.some(({ served }) => keysIn(served).has(key));
  return lines.every((line) => line.wanted === 0 || !isHad(line)) && lines.some(isHad);
}

const keysIn = oncePer(
  (served: MemberOrder["served"]): ReadonlySet<string> => new Set(linesLatestFirst(served).map(lineKey)),
);
