import type { Database } from "../../../kit/sqlite.ts";
import type { LedgerLine } from "./ledger-line.ts";

type NewLine = Omit<LedgerLine, "position" | "picked" | "cancelled" | "overPicked" | "steps" | "lastSteps" | "places">;

type MeantLine = Pick<LedgerLine, "requestId" | "externalId"> & { readonly itemNumber: string | null };

export interface LedgerTable {
  /**
   * The account with this id of the platform, and those without any that a line with this external id or item may mean.
   * One look for both: it goes through the order's lines, which lie side by side.
   */
  readonly meant: (orderNumber: string, sight: MeantLine) => LedgerLine[];
  readonly byOrder: (orderNumber: string) => LedgerLine[];
  readonly byItem: (orderNumber: string, itemNumber: string) => LedgerLine[];
  readonly isOpened: (orderNumber: string) => boolean;
  /** Accounts of one order. */
  readonly add: (lines: readonly NewLine[]) => LedgerLine[];
  /** Stores the amounts and what was learned about a line: the platform's id, its names, its factor. */
  readonly bind: (line: LedgerLine) => void;
  /** Stores the amounts alone. */
  readonly book: (line: LedgerLine) => void;
  readonly isSettled: (orderNumber: string) => boolean;
  readonly stepCount: (orderNumber: string) => number;
}

const columns = `order_number AS orderNumber, position, request_id AS requestId, external_id AS externalId,
  item_number AS itemNumber, lot, unit, intake, designated_location AS designatedLocation, factor, requested, picked,
  cancelled, over_picked AS overPicked, steps, last_steps AS lastSteps, places`;

export function openLedgerTable(database: Database): LedgerTable {
  const meant = database.statement(
    `SELECT ${columns} FROM quantity WHERE order_number = ?
       AND (request_id = ? OR (request_id IS NULL AND (external_id = ? OR item_number = ?)))`,
  );
  const byOrder = database.statement(`SELECT ${columns} FROM quantity WHERE order_number = ?`);
  const byItem = database.statement(`SELECT ${columns} FROM quantity WHERE order_number = ? AND item_number = ?`);
  const opened = database.statement("SELECT EXISTS (SELECT 1 FROM quantity WHERE order_number = ?) AS opened");
  const nextPosition = database.statement(
    "SELECT coalesce(max(position) + 1, 0) AS position FROM quantity WHERE order_number = ?",
  );
  const insert = database.statement(
    `INSERT INTO quantity (order_number, position, request_id, external_id, item_number, lot, unit, intake,
      designated_location, factor, requested) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const bind = database.statement(
    `UPDATE quantity SET request_id = ?, external_id = ?, lot = ?, factor = ?, requested = ?, picked = ?,
      cancelled = ?, over_picked = ?, steps = ?, last_steps = ?, places = ?
     WHERE order_number = ? AND position = ?`,
  );
  const book = database.statement(
    `UPDATE quantity SET requested = ?, picked = ?, cancelled = ?, over_picked = ?, steps = ?, last_steps = ?,
      places = ? WHERE order_number = ? AND position = ?`,
  );
  const open = database.statement(
    `SELECT EXISTS (SELECT 1 FROM quantity
      WHERE order_number = ? AND requested - picked - cancelled > 1e-6) AS open`,
  );
  const countSteps = database.statement("SELECT coalesce(sum(steps), 0) AS steps FROM quantity WHERE order_number = ?");

  return {
    meant: (orderNumber, { requestId, externalId, itemNumber }) =>
      meant.all<LedgerLine>(orderNumber, requestId, externalId, itemNumber),
    byOrder: (orderNumber) => byOrder.all<LedgerLine>(orderNumber),
    byItem: (orderNumber, itemNumber) => byItem.all<LedgerLine>(orderNumber, itemNumber),
    isOpened: (orderNumber) => opened.get<{ opened: number }>(orderNumber)?.opened === 1,
    add: (lines) => {
      const [first] = lines;
      if (first === undefined) return [];
      const start = nextPosition.get<{ position: number }>(first.orderNumber)?.position ?? 0;
      return lines.map((line, index) => {
        const added = { ...line, ...untouched, position: start + index };
        // biome-ignore format: in the order of the columns
        insert.run(line.orderNumber, added.position, line.requestId, line.externalId, line.itemNumber, line.lot, line.unit, line.intake, line.designatedLocation, line.factor, line.requested);
        return added;
      });
    },
    bind: (line) => {
      const { requestId, externalId, lot, factor, orderNumber, position } = line;
      hit(bind.run(requestId, externalId, lot, factor, ...amountsOf(line), orderNumber, position));
    },
    book: (line) => {
      hit(book.run(...amountsOf(line), line.orderNumber, line.position));
    },
    isSettled: (orderNumber) => open.get<{ open: number }>(orderNumber)?.open === 0,
    stepCount: (orderNumber) => countSteps.get<{ steps: number }>(orderNumber)?.steps ?? 0,
  };
}

/** Amounts booked on an account that is not there would be lost without a word. */
function hit({ changes }: { readonly changes: number }): void {
  if (changes !== 1) throw new Error("an account was booked that is not there");
}

const untouched = { picked: 0, cancelled: 0, overPicked: 0, steps: 0, lastSteps: null, places: null } as const;

const amountsOf = ({ requested, picked, cancelled, overPicked, steps, lastSteps, places }: LedgerLine) =>
  [requested, picked, cancelled, overPicked, steps, lastSteps, places] as const;
