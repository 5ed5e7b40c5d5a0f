import type { UpdateWorkOrderRequest } from "../../../contract/schemas/update-work-order.ts";
import type { Database } from "../../../kit/sqlite.ts";
import type { LedgerLine } from "../ledger/ledger-line.ts";
import type { Family } from "./family.ts";

/** How a line of an order stood when a step had been booked, in base units. */
export interface LineAmounts {
  readonly line: string;
  readonly wanted: number | null;
  readonly shown: number | null;
  readonly picked: number;
  /** What the answer asked the platform to lower it to; null where it asked for nothing. */
  readonly offered: number | null;
}

export interface StepAmountsTable {
  readonly add: (orderNumber: string, entryId: string, lines: readonly LineAmounts[]) => void;
}

/** Steps of one order whose amounts are kept: a history longer than that is no longer read by anybody. */
const maxSteps = 200;

export function openStepAmounts(database: Database): StepAmountsTable {
  const insert = database.statement("INSERT INTO step_amounts (order_number, entry_id, lines) VALUES (?, ?, ?)");
  const trim = database.statement(
    `DELETE FROM step_amounts WHERE order_number = ? AND id <= (
      SELECT id FROM step_amounts WHERE order_number = ? ORDER BY id DESC LIMIT 1 OFFSET ${maxSteps})`,
  );
  return {
    add: (orderNumber, entryId, lines) => {
      insert.run(orderNumber, entryId, JSON.stringify(lines));
      trim.run(orderNumber, orderNumber);
    },
  };
}

/** The amounts of an order's lines side by side, with what an answer offers of the lines its model had. */
export function amountsAtStep(
  family: Family,
  orderNumber: string,
  offer: { readonly update: UpdateWorkOrderRequest | null; readonly accounts: readonly LedgerLine[] },
): LineAmounts[] {
  const index = family.carriers.findIndex(({ number }) => number === orderNumber);
  const offered = new Map(
    offer.accounts.map(({ position }, place) => [position, offer.update?.itemRequests?.[place]] as const),
  );
  return family.lines.flatMap((line) =>
    (line.facts.carriers[index]?.rows ?? []).map((row, place): LineAmounts => {
      const account = line.accounts[index]?.[place];
      const asked = account === undefined ? undefined : offered.get(account.position);
      const target = line.decision?.targets[index]?.[place] ?? row.picked;
      const isLowered = offer.update !== null && asked !== undefined && (row.shown ?? 0) > target;
      return {
        line: line.externalId ?? line.itemNumber ?? line.key,
        wanted: line.facts.wanted,
        shown: row.shown,
        picked: row.picked,
        offered: isLowered ? target : null,
      };
    }),
  );
}
