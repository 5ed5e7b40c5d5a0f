import type { Database } from "../../../kit/sqlite.ts";
import type { LedgerLine } from "./ledger-line.ts";

type NewLine = Omit<LedgerLine, "position" | "picked" | "cancelled" | "overPicked" | "steps" | "lastSteps" | "places">;

export interface LedgerTable {
  readonly byRequest: (orderNumber: string, requestId: number) => LedgerLine | undefined;
  readonly byOrder: (orderNumber: string) => LedgerLine[];
  readonly byItem: (orderNumber: string, itemNumber: string) => LedgerLine[];
  /** Accounts not bound to an id of the platform yet that a line with this external id or item may mean. */
  readonly unbound: (orderNumber: string, externalId: string | null, itemNumber: string | null) => LedgerLine[];
  readonly isOpened: (orderNumber: string) => boolean;
  /** Accounts of one order. */
  readonly add: (lines: readonly NewLine[]) => LedgerLine[];
  /** Stores the amounts and what was learned about a line: the platform's id, its names, its factor. */
  readonly bind: (before: LedgerLine, line: LedgerLine) => void;
  /** Stores the amounts alone. */
  readonly book: (line: LedgerLine) => void;
  readonly isSettled: (orderNumber: string) => boolean;
  readonly stepCount: (orderNumber: string) => number;
}

const columns = `order_number AS orderNumber, position, iif(bound, slot, NULL) AS requestId, external_id AS externalId,
  item_number AS itemNumber, lot, unit, intake, designated_location AS designatedLocation, factor, requested, picked,
  cancelled, over_picked AS overPicked, steps, last_steps AS lastSteps, places`;

export function openLedgerTable(database: Database): LedgerTable {
  const byRequest = database.statement(
    `SELECT ${columns} FROM quantity WHERE order_number = ? AND bound = 1 AND slot = ?`,
  );
  const byOrder = database.statement(`SELECT ${columns} FROM quantity WHERE order_number = ?`);
  const byItem = database.statement(`SELECT ${columns} FROM quantity WHERE order_number = ? AND item_number = ?`);
  const unbound = database.statement(
    `SELECT ${columns} FROM quantity
     WHERE order_number = ? AND bound = 0 AND (external_id = ? OR item_number = ?) ORDER BY slot`,
  );
  const opened = database.statement("SELECT EXISTS (SELECT 1 FROM quantity WHERE order_number = ?) AS opened");
  const nextPosition = database.statement(
    "SELECT coalesce(max(position) + 1, 0) AS position FROM quantity WHERE order_number = ?",
  );
  const insert = database.statement(
    `INSERT INTO quantity (order_number, bound, slot, position, external_id, item_number, lot, unit, intake,
      designated_location, factor, requested) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const bind = database.statement(
    `UPDATE quantity SET bound = ?, slot = ?, external_id = ?, lot = ?, factor = ?, requested = ?, picked = ?,
      cancelled = ?, over_picked = ?, steps = ?, last_steps = ?, places = ?
     WHERE order_number = ? AND bound = ? AND slot = ?`,
  );
  const book = database.statement(
    `UPDATE quantity SET requested = ?, picked = ?, cancelled = ?, over_picked = ?, steps = ?, last_steps = ?,
      places = ? WHERE order_number = ? AND bound = ? AND slot = ?`,
  );
  const open = database.statement(
    `SELECT EXISTS (SELECT 1 FROM quantity
      WHERE order_number = ? AND requested - picked - cancelled > 1e-6) AS open`,
  );
  const countSteps = database.statement("SELECT coalesce(sum(steps), 0) AS steps FROM quantity WHERE order_number = ?");

  return {
    byRequest: (orderNumber, requestId) => byRequest.get<LedgerLine>(orderNumber, requestId),
    byOrder: (orderNumber) => byOrder.all<LedgerLine>(orderNumber).sort(inOrder),
    byItem: (orderNumber, itemNumber) => byItem.all<LedgerLine>(orderNumber, itemNumber).sort(inOrder),
    unbound: (orderNumber, externalId, itemNumber) => unbound.all<LedgerLine>(orderNumber, externalId, itemNumber),
    isOpened: (orderNumber) => opened.get<{ opened: number }>(orderNumber)?.opened === 1,
    add: (lines) => {
      const [first] = lines;
      if (first === undefined) return [];
      const start = nextPosition.get<{ position: number }>(first.orderNumber)?.position ?? 0;
      return lines.map((line, index) => {
        const added = { ...line, ...untouched, position: start + index };
        // biome-ignore format: in the order of the columns
        insert.run(line.orderNumber, ...slotOf(added), added.position, line.externalId, line.itemNumber, line.lot, line.unit, line.intake, line.designatedLocation, line.factor, line.requested);
        return added;
      });
    },
    bind: (before, line) => {
      const { externalId, lot, factor } = line;
      hit(bind.run(...slotOf(line), externalId, lot, factor, ...amountsOf(line), line.orderNumber, ...slotOf(before)));
    },
    book: (line) => {
      hit(book.run(...amountsOf(line), line.orderNumber, ...slotOf(line)));
    },
    isSettled: (orderNumber) => open.get<{ open: number }>(orderNumber)?.open === 0,
    stepCount: (orderNumber) => countSteps.get<{ steps: number }>(orderNumber)?.steps ?? 0,
  };
}

/** An account that has moved since it was read is not where it is looked for: its amounts would be lost without a word. */
function hit({ changes }: { readonly changes: number }): void {
  if (changes !== 1) throw new Error("an account was booked that is not where it was read");
}

const untouched = { picked: 0, cancelled: 0, overPicked: 0, steps: 0, lastSteps: null, places: null } as const;

/** Sorted here: mostly it is one line, and SQLite would build a table for it. */
const inOrder = (a: LedgerLine, b: LedgerLine): number => a.position - b.position;

/** Where the account is kept; it moves once, when its line is named. */
const slotOf = ({ requestId, position }: Pick<LedgerLine, "requestId" | "position">) =>
  requestId === null ? ([0, position] as const) : ([1, requestId] as const);

const amountsOf = ({ requested, picked, cancelled, overPicked, steps, lastSteps, places }: LedgerLine) =>
  [requested, picked, cancelled, overPicked, steps, lastSteps, places] as const;
