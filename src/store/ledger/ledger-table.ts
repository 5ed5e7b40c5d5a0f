import { integer, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { quantityRow } from "../store-rows.ts";
import type { LedgerLine } from "./ledger-line.ts";

type NewLine = Omit<
  LedgerLine,
  "position" | "picked" | "cancelled" | "overPicked" | "shortPicked" | "steps" | "lastSteps" | "places" | "refetch"
>;

type MeantLine = Pick<LedgerLine, "requestId" | "externalId"> & { readonly itemNumber: string | null };

export interface LedgerTable {
  /**
   * The ledger line with this platform id, and ledger lines without any that a line with this external id or item may
   * be. One query for both: it reads the order's lines, which are stored next to each other.
   */
  readonly meant: (orderNumber: string, ref: MeantLine) => LedgerLine[];
  readonly byOrder: (orderNumber: string) => readonly LedgerLine[];
  readonly byItem: (orderNumber: string, itemNumber: string) => LedgerLine[];
  readonly isOpened: (orderNumber: string) => boolean;
  /** Deletes the ledger lines of an order that have nothing picked. */
  readonly remove: (orderNumber: string) => void;
  /** Adds ledger lines of one order; `areFirst` when the order is known to have none. */
  readonly add: (lines: readonly NewLine[], areFirst?: boolean) => LedgerLine[];
  /** Stores the amounts and what was learned about a line: the platform's id, its names, its factor. */
  readonly bind: (line: LedgerLine) => void;
  /** Stores only the amounts. */
  readonly book: (line: LedgerLine) => void;
  /** Whether every ledger line of the order is picked or cancelled; false for an order without ledger lines. */
  readonly isSettled: (orderNumber: string) => boolean;
  readonly stepCount: (orderNumber: string) => number;
}

const columns = `order_number AS orderNumber, position, request_id AS requestId, external_id AS externalId,
  item_number AS itemNumber, lot, unit, intake, designated_location AS designatedLocation, factor, requested, picked,
  cancelled, over_picked AS overPicked, cut AS shortPicked, steps, last_steps AS lastSteps, places, refetch`;

const { columns: of } = quantityRow;
const lineRow = row({
  ...{ orderNumber: of.order_number, position: of.position, requestId: of.request_id, externalId: of.external_id },
  ...{ itemNumber: of.item_number, lot: of.lot, unit: of.unit, intake: of.intake, factor: of.factor },
  ...{ designatedLocation: of.designated_location, requested: of.requested, picked: of.picked },
  ...{ cancelled: of.cancelled, overPicked: of.over_picked, shortPicked: of.cut, steps: of.steps },
  ...{ lastSteps: of.last_steps, places: of.places, refetch: of.refetch },
});
const openedRow = row({ opened: integer });
const positionRow = row({ position: integer });
const settledRow = row({ settled: integer });
const stepsRow = row({ steps: integer });

export function openLedgerTable(database: Database): LedgerTable {
  const meant = database.query(
    `SELECT ${columns} FROM quantity WHERE order_number = ?
       AND (request_id = ? OR (request_id IS NULL AND (external_id = ? OR item_number = ?)))`,
    lineRow,
  );
  const byOrder = database.query(`SELECT ${columns} FROM quantity WHERE order_number = ?`, lineRow);
  const byItem = database.query(`SELECT ${columns} FROM quantity WHERE order_number = ? AND item_number = ?`, lineRow);
  const opened = database.query("SELECT EXISTS (SELECT 1 FROM quantity WHERE order_number = ?) AS opened", openedRow);
  const remove = database.statement("DELETE FROM quantity WHERE order_number = ? AND picked + over_picked = 0");
  const nextPosition = database.query(
    "SELECT coalesce(max(position) + 1, 0) AS position FROM quantity WHERE order_number = ?",
    positionRow,
  );
  const insert = database.statement(
    `INSERT INTO quantity (order_number, position, request_id, external_id, item_number, lot, unit, intake,
      designated_location, factor, requested) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const bind = database.statement(
    `UPDATE quantity SET request_id = ?, external_id = ?, lot = ?, factor = ?, refetch = ?, requested = ?, picked = ?,
      cancelled = ?, over_picked = ?, cut = ?, steps = ?, last_steps = ?, places = ?
     WHERE order_number = ? AND position = ?`,
  );
  const book = database.statement(
    `UPDATE quantity SET requested = ?, picked = ?, cancelled = ?, over_picked = ?, cut = ?, steps = ?,
      last_steps = ?, places = ? WHERE order_number = ? AND position = ?`,
  );
  // An order without ledger lines has not been started.
  const settled = database.query(
    "SELECT coalesce(min(requested - picked - cancelled <= 1e-6), 0) AS settled FROM quantity WHERE order_number = ?",
    settledRow,
  );
  const countSteps = database.query(
    "SELECT coalesce(sum(steps), 0) AS steps FROM quantity WHERE order_number = ?",
    stepsRow,
  );

  return {
    meant: (orderNumber, { requestId, externalId, itemNumber }) =>
      meant.all(orderNumber, requestId, externalId, itemNumber),
    byOrder: (orderNumber) => byOrder.all(orderNumber),
    byItem: (orderNumber, itemNumber) => byItem.all(orderNumber, itemNumber),
    isOpened: (orderNumber) => opened.get(orderNumber)?.opened === 1,
    remove: (orderNumber) => {
      remove.run(orderNumber);
    },
    add: (lines, areFirst = false) => {
      const [first] = lines;
      if (first === undefined) return [];
      const start = areFirst ? 0 : (nextPosition.get(first.orderNumber)?.position ?? 0);
      return lines.map((line, index) => {
        const added = { ...line, ...untouched, position: start + index };
        // biome-ignore format: in the order of the columns
        insert.run(line.orderNumber, added.position, line.requestId, line.externalId, line.itemNumber, line.lot, line.unit, line.intake, line.designatedLocation, line.factor, line.requested);
        return added;
      });
    },
    bind: (line) => {
      const { requestId, externalId, lot, factor, refetch, orderNumber, position } = line;
      hit(bind.run(requestId, externalId, lot, factor, refetch, ...amountsOf(line), orderNumber, position));
    },
    book: (line) => {
      hit(book.run(...amountsOf(line), line.orderNumber, line.position));
    },
    isSettled: (orderNumber) => settled.get(orderNumber)?.settled === 1,
    stepCount: (orderNumber) => countSteps.get(orderNumber)?.steps ?? 0,
  };
}

/** The first ledger lines of an order with this name, at most two: that is enough to tell whether it is the only one. */
export type LinesByName = (orderNumber: string, name: keyof MeantLine, value: number | string) => readonly LedgerLine[];

/** Reads ledger lines of orders that may have thousands. */
export function linesByName(database: Database): LinesByName {
  const by = (column: string) =>
    database.query(
      `SELECT ${columns} FROM quantity WHERE order_number = ? AND ${column} = ? ORDER BY position LIMIT 2`,
      lineRow,
    );
  const queries = { requestId: by("request_id"), externalId: by("external_id"), itemNumber: by("item_number") };
  return (orderNumber, name, value) => queries[name].all(orderNumber, value);
}

/** Without this check, amounts booked on a missing ledger line would be lost silently. */
function hit({ changes }: { readonly changes: number }): void {
  if (changes !== 1) throw new Error("a ledger line was booked that is not there");
}

const untouched = {
  ...{ picked: 0, cancelled: 0, overPicked: 0, shortPicked: 0, steps: 0 },
  ...{ lastSteps: null, places: null, refetch: null },
} as const;

const amountsOf = ({ requested, picked, cancelled, overPicked, shortPicked, steps, lastSteps, places }: LedgerLine) =>
  [requested, picked, cancelled, overPicked, shortPicked, steps, lastSteps, places] as const;
