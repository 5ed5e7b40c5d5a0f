import type { WorkOrder } from "../contract/schemas/work-order.ts";
import { parseJsonKeepingDigits } from "../kit/json/exact-number.ts";
import { recentValues } from "../kit/recent-values.ts";
import { integer, pick, type Row, row } from "../kit/sqlite/row.ts";
import type { Database } from "../kit/sqlite/sqlite.ts";
import { orderText } from "./orders/content-weight.ts";
import { workOrderRow } from "./store-rows.ts";

/** Expiry is not a state: it is computed from the due date, so that a changed setting takes effect at once. */
export type OrderState = "waiting" | "started" | "finished" | "cancelled";

/** An order as it was when it was read. */
export interface StoredOrder {
  readonly id: number;
  readonly number: string;
  readonly state: OrderState;
  /**
   * Whether there was ever a sign of work. The state does not tell: an order may be cancelled while it is being picked.
   */
  readonly worked: boolean;
  /** Parsed at first use: most events need only the state. */
  readonly workOrder: WorkOrder;
}

export interface OrderStore {
  readonly find: (number: string) => StoredOrder | undefined;
  /** Reads an order without its content. */
  readonly headOf: (number: string) => Omit<StoredOrder, "workOrder"> | undefined;
  /** Reads only the state, which takes a fifth of the time of reading the whole order. */
  readonly stateOf: (number: string) => OrderState | undefined;
  readonly insert: (workOrder: WorkOrder, receivedAt: number) => void;
  /** Replaces the content of a stored order; its state and its place in the list stay. */
  readonly replace: (number: string, workOrder: WorkOrder) => void;
  readonly setState: (number: string, state: OrderState) => void;
  /** Records a sign of work: a waiting order becomes started and is no longer listed; any other keeps its state. */
  readonly recordWork: (number: string) => void;
  /** Makes a started order wait again as if nobody had begun, because nobody works on it and nothing was picked. */
  readonly release: (number: string) => void;
  /** Stores numbers that reached the platform by another way, such as an imported file. */
  readonly remember: (numbers: readonly string[]) => void;
  /** Whether the number was ever seen here, as an order or as a remembered number. */
  readonly isKnown: (number: string) => boolean;
  /** Called when answers about an order have changed although the order itself has not. */
  readonly markCachesOutdated: () => void;
  /** Whether cached answers became outdated since the last call. */
  readonly drainCachesOutdated: () => boolean;
  /** Orders that have ended since the last call and are still ended. */
  readonly drainEnded: () => readonly string[];
  /**
   * A number that changes whenever the content of any order may have changed: what was derived from it is outdated
   * then.
   */
  readonly contentVersion: () => number;
  /** Clears what is kept in memory; called after a rollback. */
  readonly forget: () => void;
}

const orderRow = pick(workOrderRow, "id", "number", "state", "worked", "json");
type OrderRow = Row<typeof orderRow>;
const headRow = pick(workOrderRow, "id", "number", "state", "worked");

/** More orders than are ever worked on at once. */
const rememberedOrders = 10_000;

export function openOrderStore(database: Database): OrderStore {
  const select = database.query("SELECT id, number, state, worked, json FROM work_order WHERE number = ?", orderRow);
  const selectHead = database.query("SELECT id, number, state, worked FROM work_order WHERE number = ?", headRow);
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
  // Matches only at the first sign of work: later ones write nothing.
  const recordWork = database.statement(
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
  /** Orders whose first sign of work is stored: later signs need no query. */
  const recorded = recentValues<true>(rememberedOrders);
  // Readers drop their caches by it after the commit. It is not stored, so a rolled-back batch may leave it set.
  let areCachesOutdated = false;
  let ended: string[] = [];
  let version = 0;

  return {
    find: (number) => {
      const row = select.get(number);
      return row === undefined ? undefined : storedOrder(row, parse);
    },
    headOf: (number) => {
      const row = selectHead.get(number);
      return row === undefined ? undefined : headOf(row);
    },
    stateOf: (number) => stateOf.get(number)?.state,
    insert: (workOrder, receivedAt) => {
      insert.run(...columnsOf(workOrder), receivedAt);
      version++;
      // The floor may have worked on the order before it was pushed.
      recorded.delete(workOrder.number);
      areCachesOutdated = true;
    },
    replace: (number, workOrder) => {
      replace.run(...columnsOf(workOrder), number);
      version++;
      areCachesOutdated = true;
    },
    setState: (number, state) => {
      const isEnd = state === "finished" || state === "cancelled";
      const worked = state === "started" || state === "finished" ? 1 : 0;
      if (setState.run(state, isEnd ? 1 : 0, worked, number, state).changes === 0) return;
      areCachesOutdated = true;
      if (isEnd) ended.push(number);
    },
    // Readers cache no list, and a scan answers the same for started and waiting orders: no cache becomes outdated.
    recordWork: (number) => {
      if (recorded.get(number)) return;
      recordWork.run(number);
      recorded.set(number, true);
    },
    release: (number) => {
      if (release.run(number).changes === 0) return;
      recorded.delete(number);
      areCachesOutdated = true;
    },
    remember: (numbers) => {
      for (const number of numbers) remember.run(number, fold(number));
    },
    isKnown: (number) => isKnown.get(number, number)?.known === 1,
    markCachesOutdated: () => {
      areCachesOutdated = true;
    },
    drainCachesOutdated: () => {
      const was = areCachesOutdated;
      areCachesOutdated = false;
      return was;
    },
    drainEnded: () => {
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
      recorded.clear();
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
    orderText(workOrder),
  ] as const;
}

/**
 * A blank identifier counts as none: it must not match an empty scan, and a blank storage binds an order to no storage.
 */
function withFolded(text: string | null | undefined): readonly [string | null, string | null] {
  if (text === null || text === undefined || text.trim() === "") return [null, null];
  return [text, fold(text)];
}

/** How many parsed orders are kept: an order and its follow-up orders are read several times in a row. */
const mostParsed = 4;
/** In characters, about a thousand lines. Longer orders are not kept, so that they do not fill the memory. */
const longestKept = 1_000_000;

/** Parses an order's text and keeps the latest ones. The result is shared: never change it in place. */
function openParser(): (row: OrderRow) => WorkOrder {
  const recent = recentValues<{ readonly json: string; readonly workOrder: WorkOrder }>(mostParsed);
  return ({ number, json }) => {
    const known = recent.get(number);
    if (known?.json === json) return known.workOrder;
    // This file wrote the text from a WorkOrder.
    const workOrder = parseJsonKeepingDigits(json) as WorkOrder;
    if (json.length <= longestKept) recent.set(number, { json, workOrder });
    return workOrder;
  };
}

const headOf = ({ id, number, state, worked }: Row<typeof headRow>) => ({ id, number, state, worked: worked === 1 });

const storedOrder = (row: OrderRow, parse: (row: OrderRow) => WorkOrder): StoredOrder => ({
  ...headOf(row),
  get workOrder() {
    return parse(row);
  },
});

/** Normalises codes and names for comparison without letter case. Stored beside the original. */
export const fold = (text: string): string => text.trim().normalize("NFC").toLowerCase();
