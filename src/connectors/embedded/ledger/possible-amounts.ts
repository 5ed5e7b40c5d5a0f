import type { OrderStore } from "../order-store.ts";
import type { LedgerLine } from "./ledger-line.ts";
import { type LineNames, type LineSight, lineKey, namesOf, type ServedLine } from "./line-sight.ts";
import { isAsked, totalOf } from "./new-account.ts";

/** What the platform shows of a line, and the amounts of contents that it may stand for. */
interface PossibleAmounts {
  readonly base: number;
  readonly amounts: readonly number[];
}

export function openPossibleAmounts(needs: {
  readonly orders: Pick<OrderStore, "find">;
  readonly servedOf: (orderNumber: string, line: LineNames) => readonly (readonly ServedLine[])[];
}) {
  const { orders, servedOf } = needs;
  /** The lines of the order as it stands that nothing tells apart from this one. */
  const presentOf = (line: LedgerLine): readonly { readonly amount: number }[] =>
    (orders.find(line.orderNumber)?.workOrder.requests ?? [])
      .filter((request) => isAsked(request) && lineKey(namesOf(request)) === lineKey(line))
      .map((request) => ({ amount: request.requestedAmount }));

  return (line: LedgerLine, base: number, together: LineSight["together"]): PossibleAmounts => {
    const served = servedOf(line.orderNumber, line);
    const contents = served.length > 0 ? served : [presentOf(line)];
    if (contents.every((lines) => lines.length < 2)) {
      const amounts = served.flat().map(({ amount }) => amount);
      return { base, amounts: line.intake === null ? amounts : [line.requested, line.intake, ...amounts] };
    }
    // Which of them is which nobody can tell; what they come to together can be told, where all of them are shown.
    const shown = together?.();
    if (shown !== undefined && shown.requested !== null && contents.some(({ length }) => length === shown.lines)) {
      return { base: shown.requested, amounts: contents.map(totalOf) };
    }
    return { base, amounts: contents.flat().map(({ amount }) => amount) };
  };
}
