import type { WorkOrder } from "../contract/schemas/work-order.ts";
import { parseJsonKeepingDigits } from "../kit/json/exact-number.ts";
import { recentValues } from "../kit/recent-values.ts";
import { integer, pick, type Row, row } from "../kit/sqlite/row.ts";
import type { Database } from "../kit/sqlite/sqlite.ts";
import { workOrderRow } from "./store-rows.ts";

/** Expiry is no state: it is the due date seen from today, so that a changed setting counts at once. */
export type OrderState = "waiting" | "started" | "finished" | "cancelled";

/** An order as it was when it was looked up. */
export interface StoredOrder {
  readonly id: number;
  readonly number: string;
  readonly state: OrderState;
  /** Whether there ever was a sign of work. The state does not say it: an order may be cancelled while being picked. */
  readonly worked: boolean;
  /** Parsed at first use: most events need the state only. */
  readonly workOrder: WorkOrder;
}

export interface OrderStore {
  readonly find: (number: string) => StoredOrder | undefined;
  /** The state alone: a fifth of the price of the whole order. */
  readonly stateOf: (number: string) => OrderState | undefined;
  readonly insert: (workOrder: WorkOrder, receivedAt: number) => void;
  /** New content for an order that is there; its state and its place in the list stay. */
  readonly replace: (number: string, workOrder: WorkOrder) => void;
  readonly setState: (number: string, state: OrderState) => void;
  /** A sign of work: a waiting order counts as started and is no longer listed; any other keeps its state. */
  readonly sign: (number: string) => void;
  /** Nobody works on it any more, and nothing was picked: it is offered again as if nobody had begun. */
  readonly release: (number: string) => void;
  /** Numbers that reached the platform by another way, such as an imported file. */
  readonly remember: (numbers: readonly string[]) => void;
  /** Whether the number was ever seen here: as an order or as a remembered number. */
  readonly isKnown: (number: string) => boolean;
  /** What readers say about an order has changed, though the order itself has not. */
  readonly touch: () => void;
  /** Whether answers kept by readers went stale since this was last asked. */
  readonly takeTouched: () => boolean;
  /** Orders that have ended since this was last asked, and are ended still. */
  readonly takeEnded: () => readonly string[];
  /** Another number whenever the content of some order may be another one: what was made from it is made anew then. */
  readonly contentVersion: () => number;
  /** After a rollback: what was remembered may not have happened. */
  readonly forget: () => void;
}

const orderRow = pick(workOrderRow, "id", "number", "state", "worked", "json");
type OrderRow = Row<typeof orderRow>;

/** More orders than are ever worked on at once. */
const rememberedSigns = 10_000;

export function openOrderStore(database: Database): OrderStore {
  const select = database.query("SELECT id, number, state, worked, json FROM work_order WHERE number = ?", orderRow);
  const insert = database.statement(
    `INSERT INTO work_order (number, number_folded, external_identifier, external_identifier_folded, alternative_start,
      alternative_start_folded, delivery_number, delivery_number_folded, storage, storage_folded, due_at, json,
      state, received_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?)`,
  );
  const replace = database.statement(
    `UPDATE work_order SET number = ?, number_folded = ?, external_identifier = ?, external_identifier_folded = ?,
      alternative_start = ?, alternative_start_folded = ?, delivery_number = ?, delivery_number_folded = ?,
      storage = ?, storage_folded = ?, due_at = ?, json = ?
     WHERE number = ?`,
  );
  const stateOf = database.query("SELECT state FROM work_order WHERE number = ?", pick(workOrderRow, "state"));
  const setState = database.statement(
    "UPDATE work_order SET state = ?, ended = ?, worked = worked OR ? WHERE number = ? AND state <> ?",
  );
  // Matches at the first sign only: those that follow write nothing.
  const sign = database.statement(
    `UPDATE work_order SET worked = 1, state = CASE state WHEN 'waiting' THEN 'started' ELSE state END
     WHERE number = ? AND worked = 0`,
  );
  const release = database.statement(
    "UPDATE work_order SET worked = 0, state = 'waiting' WHERE number = ? AND state = 'started'",
  );
  const remember = database.statement("INSERT OR IGNORE INTO known_order (number, folded) VALUES (?, ?)");
  const isKnown = database.query(
    `SELECT EXISTS (SELECT 1 FROM work_order WHERE number = ?)
         OR EXISTS (SELECT 1 FROM known_order WHERE number = ?) AS known`,
    row({ known: integer }),
  );

  const parse = openParser();
  /** Orders whose first sign is stored: the many that follow need not look. */
  const signed = recentValues<true>(rememberedSigns);
  // Told to the readers after the commit and of no meaning to what is stored, so a rolled-back batch may leave it set.
  let touched = false;
  let ended: string[] = [];
  let version = 0;

  return {
    find: (number) => {
      const row = select.get(number);
      return row === undefined ? undefined : storedOrder(row, parse);
    },
    stateOf: (number) => stateOf.get(number)?.state,
    insert: (workOrder, receivedAt) => {
      insert.run(...columnsOf(workOrder), receivedAt);
      version++;
      // The floor may have spoken of it before it came.
      signed.delete(workOrder.number);
      touched = true;
    },
    replace: (number, workOrder) => {
      replace.run(...columnsOf(workOrder), number);
      version++;
      touched = true;
    },
    setState: (number, state) => {
      const isEnd = state === "finished" || state === "cancelled";
      const worked = state === "started" || state === "finished" ? 1 : 0;
      if (setState.run(state, isEnd ? 1 : 0, worked, number, state).changes === 0) return;
      touched = true;
      if (isEnd) ended.push(number);
    },
    // Readers keep no list, and a scan answers the same for a started order as for a waiting one: nothing goes stale.
    sign: (number) => {
      if (signed.get(number)) return;
      sign.run(number);
      signed.set(number, true);
    },
    release: (number) => {
      if (release.run(number).changes === 0) return;
      signed.delete(number);
      touched = true;
    },
    remember: (numbers) => {
      for (const number of numbers) remember.run(number, fold(number));
    },
    isKnown: (number) => isKnown.get(number, number)?.known === 1,
    touch: () => {
      touched = true;
    },
    takeTouched: () => {
      const was = touched;
      touched = false;
      return was;
    },
    takeEnded: () => {
      if (ended.length === 0) return ended;
      const given = ended;
      ended = [];
      return given.filter((number) => {
        const state = stateOf.get(number)?.state;
        return state === "finished" || state === "cancelled";
      });
    },
    contentVersion: () => version,
    forget: () => {
      version++;
      signed.clear();
    },
  };
}

function columnsOf(workOrder: WorkOrder) {
  return [
    workOrder.number,
    fold(workOrder.number),
    ...withFolded(workOrder.externalIdentifier),
    ...withFolded(workOrder.alternativeStartNumber),
    ...withFolded(workOrder.deliveryNumber),
    ...withFolded(workOrder.designatedStorageName),
    Date.parse(workOrder.dueDate),
    JSON.stringify(workOrder),
  ] as const;
}

/** A blank identifier is none: it must not match an empty scan, and a blank storage binds an order to no storage. */
function withFolded(text: string | null | undefined): readonly [string | null, string | null] {
  if (text === null || text === undefined || text.trim() === "") return [null, null];
  return [text, fold(text)];
}

/** An order and its follow-ups are read several times in a row. */
const mostParsed = 4;
/** In characters, some thousand lines: no order that is longer fills the memory. */
const longestKept = 1_000_000;

/** The order of a text; the latest ones are not parsed again. Never changed in place: it may be somebody else's too. */
function openParser(): (row: OrderRow) => WorkOrder {
  const recent = recentValues<{ readonly json: string; readonly workOrder: WorkOrder }>(mostParsed);
  return ({ number, json }) => {
    const known = recent.get(number);
    if (known?.json === json) return known.workOrder;
    // The text was written by this file from a WorkOrder.
    const workOrder = parseJsonKeepingDigits(json) as WorkOrder;
    if (json.length <= longestKept) recent.set(number, { json, workOrder });
    return workOrder;
  };
}

const storedOrder = (row: OrderRow, parse: (row: OrderRow) => WorkOrder): StoredOrder => ({
  id: row.id,
  number: row.number,
  state: row.state,
  worked: row.worked === 1,
  get workOrder() {
    return parse(row);
  },
});

/** How codes and names are compared when their letter case does not matter. Stored beside the original. */
export const fold = (text: string): string => text.trim().normalize("NFC").toLowerCase();
