import type { InputOf } from "../../contract/operations.ts";
import type { Report } from "../../contract/schemas/queries.ts";
import { integer, pick, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { say } from "../../messages/message.ts";
import { type Outcome, ok, refuse } from "../../operation/outcome.ts";
import { placesOf, roundAmount } from "../ledger/ledger-line.ts";
import { fold } from "../order-store.ts";
import { workOrderRow } from "../store-rows.ts";
import { shownCodes } from "./find-work-order-by-code.ts";

export interface OpenReport {
  readonly answer: (input: InputOf<"getReport">) => Outcome<"getReport">;
  /**
   * Whether adding up would take so long that other requests would wait. Takes a fraction of the time of the answer.
   */
  readonly isLong: (input: InputOf<"getReport">) => boolean;
}

/** Limits for a report that takes only a few milliseconds. */
const mostLines = 1_000;
const mostPlaceBytes = 64 * 1024;

const numberRow = pick(workOrderRow, "number");

/** Answers GetReport from the quantity ledger, on a read-only connection. */
export function openReport({ database }: { readonly database: Database }): OpenReport {
  // An order that nobody pushed or imported is known too, once the floor has booked something for it.
  const exact = database.query(
    `SELECT number FROM work_order WHERE number = ?
     UNION ALL SELECT number FROM known_order WHERE number = ?
     UNION ALL SELECT order_number FROM quantity WHERE order_number = ? LIMIT 1`,
    numberRow,
  );
  const folded = database.query(
    `SELECT number FROM work_order WHERE number_folded = ?
     UNION ALL SELECT number FROM known_order WHERE folded = ? LIMIT 1`,
    numberRow,
  );
  const placed = database.query(
    "SELECT item_number AS itemNumber, places FROM quantity WHERE order_number = ? AND places IS NOT NULL",
    row({ itemNumber: text, places: text }),
  );
  const placements = (number: string): Placement[] =>
    placed
      .all(number)
      .flatMap(({ itemNumber, places }) =>
        placesOf(places).map(([locationName, amount]) => ({ itemNumber, locationName, amount })),
      );

  const numberOf = (given: string): string | undefined => {
    const found = exact.get(given, given, given) ?? folded.get(fold(given), fold(given));
    return found?.number;
  };

  // SQLite stores the lengths before the texts: the texts themselves are not read.
  const measured = database.query(
    `SELECT count(*) AS lines, coalesce(sum(bytes), 0) AS bytes
     FROM (SELECT octet_length(places) AS bytes FROM quantity WHERE order_number = ? LIMIT ${mostLines + 1})`,
    row({ lines: integer, bytes: integer }),
  );
  const isLong: OpenReport["isLong"] = ({ workOrdersNumbers }) => {
    let lines = 0;
    let bytes = 0;
    for (const given of workOrdersNumbers) {
      const found = measured.get(numberOf(given) ?? given);
      lines += found?.lines ?? 0;
      bytes += found?.bytes ?? 0;
      if (lines > mostLines || bytes > mostPlaceBytes) return true;
    }
    return false;
  };

  const answer: OpenReport["answer"] = ({ workOrdersNumbers, remainingRequests }) => {
    const unknown: string[] = [];
    const known = new Set<string>();
    for (const given of workOrdersNumbers) {
      const number = numberOf(given);
      if (number === undefined) unknown.push(given);
      else known.add(number);
    }
    const orders = shownCodes(unknown);
    if (unknown.length > 0 && known.size === 0) {
      return refuse("WorkOrderDoesNotExist", say("events.report-all-unknown", { orders }));
    }
    const report: Report = {
      missingQuantities: positive(remainingRequests),
      placements: summed([...known].flatMap(placements)),
    };
    return ok(report, unknown.length === 0 ? {} : { message: say("events.report-some-unknown", { orders }) });
  };
  return { answer, isLong };
}

type Placement = Report["placements"][number];

/** Adds up the amounts per item and location over all orders. */
function summed(placements: readonly Placement[]): Placement[] {
  const sums = new Map<string, Placement>();
  for (const { itemNumber, locationName, amount } of placements) {
    const key = JSON.stringify([itemNumber, locationName]);
    const sum = roundAmount(amount + (sums.get(key)?.amount ?? 0));
    sums.set(key, { itemNumber, locationName, amount: sum });
  }
  return [...sums.values()];
}

/** A null prototype, so that an item named __proto__ stays a member. */
function positive(remaining: Readonly<Record<string, number>>): Record<string, number> {
  const missing: Record<string, number> = Object.create(null);
  for (const [item, amount] of Object.entries(remaining)) if (amount > 0) missing[item] = amount;
  return missing;
}
