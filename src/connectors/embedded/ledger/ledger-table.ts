import type { Database } from "../../../kit/sqlite.ts";
import type { LedgerLine } from "./ledger-line.ts";

type NewLine = Omit<LedgerLine, "id" | "picked" | "cancelled" | "overPicked" | "steps" | "lastSteps">;

export interface LedgerTable {
  readonly byRequest: (orderNumber: string, requestId: number) => LedgerLine | undefined;
  readonly byOrder: (orderNumber: string) => LedgerLine[];
  readonly byItem: (orderNumber: string, itemNumber: string) => LedgerLine[];
  /** Accounts not bound to an id of the platform yet that a line with this external id or item may mean. */
  readonly unbound: (orderNumber: string, externalId: string | null, itemNumber: string | null) => LedgerLine[];
  readonly isOpened: (orderNumber: string) => boolean;
  readonly add: (line: NewLine) => LedgerLine;
  /** Stores the amounts and what was learned about a line: the platform's id, its names, its factor. */
  readonly bind: (line: LedgerLine) => void;
  /** Stores the amounts alone: an update of an indexed column costs twice as much. */
  readonly book: (line: LedgerLine) => void;
  readonly isSettled: (orderNumber: string) => boolean;
  readonly stepCount: (orderNumber: string) => number;
}

const columns = `id, order_number AS orderNumber, request_id AS requestId, external_id AS externalId,
  item_number AS itemNumber, lot, unit, intake, designated_location AS designatedLocation, factor, requested, picked,
  cancelled, over_picked AS overPicked, steps, last_steps AS lastSteps`;

export function openLedgerTable(database: Database): LedgerTable {
  const byRequest = database.statement(
    `SELECT ${columns} FROM quantity WHERE order_number = ? AND request_id = ? LIMIT 1`,
  );
  const byOrder = database.statement(`SELECT ${columns} FROM quantity WHERE order_number = ? ORDER BY id`);
  const byItem = database.statement(
    `SELECT ${columns} FROM quantity WHERE order_number = ? AND item_number = ? ORDER BY id`,
  );
  const unbound = database.statement(
    `SELECT ${columns} FROM quantity
     WHERE order_number = ? AND request_id IS NULL AND (external_id = ? OR item_number = ?) ORDER BY id`,
  );
  const opened = database.statement("SELECT EXISTS (SELECT 1 FROM quantity WHERE order_number = ?) AS opened");
  const insert = database.statement(
    `INSERT INTO quantity (order_number, request_id, external_id, item_number, lot, unit, intake, designated_location,
      factor, requested) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const bind = database.statement(
    `UPDATE quantity SET request_id = ?, external_id = ?, lot = ?, factor = ?, requested = ?, picked = ?, cancelled = ?,
      over_picked = ?, steps = ?, last_steps = ? WHERE id = ?`,
  );
  const book = database.statement(
    `UPDATE quantity SET requested = ?, picked = ?, cancelled = ?, over_picked = ?, steps = ?, last_steps = ?
     WHERE id = ?`,
  );
  const open = database.statement(
    `SELECT EXISTS (SELECT 1 FROM quantity
      WHERE order_number = ? AND requested - picked - cancelled > 1e-6) AS open`,
  );
  const countSteps = database.statement("SELECT coalesce(sum(steps), 0) AS steps FROM quantity WHERE order_number = ?");

  return {
    byRequest: (orderNumber, requestId) => byRequest.get<LedgerLine>(orderNumber, requestId),
    byOrder: (orderNumber) => byOrder.all<LedgerLine>(orderNumber),
    byItem: (orderNumber, itemNumber) => byItem.all<LedgerLine>(orderNumber, itemNumber),
    unbound: (orderNumber, externalId, itemNumber) => unbound.all<LedgerLine>(orderNumber, externalId, itemNumber),
    isOpened: (orderNumber) => opened.get<{ opened: number }>(orderNumber)?.opened === 1,
    add: (line) => {
      const { lastRowId } = insert.run(
        line.orderNumber,
        line.requestId,
        line.externalId,
        line.itemNumber,
        line.lot,
        line.unit,
        line.intake,
        line.designatedLocation,
        line.factor,
        line.requested,
      );
      return { ...line, id: lastRowId, picked: 0, cancelled: 0, overPicked: 0, steps: 0, lastSteps: null };
    },
    bind: (line) => {
      const { requestId, externalId, lot, factor, requested, picked, cancelled, overPicked, steps, lastSteps, id } =
        line;
      bind.run(requestId, externalId, lot, factor, requested, picked, cancelled, overPicked, steps, lastSteps, id);
    },
    book: (line) => {
      book.run(line.requested, line.picked, line.cancelled, line.overPicked, line.steps, line.lastSteps, line.id);
    },
    isSettled: (orderNumber) => open.get<{ open: number }>(orderNumber)?.open === 0,
    stepCount: (orderNumber) => countSteps.get<{ steps: number }>(orderNumber)?.steps ?? 0,
  };
}
