import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { recentValues } from "../../kit/recent-values.ts";
import { integer, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { LineNames } from "../ledger/line-ref.ts";
import type { OrderStore } from "../order-store.ts";
import { contentWeight, orderText } from "../orders/content-weight.ts";
import { wantedLinesRow, wantedPushRow, wantedRow } from "../store-rows.ts";
import { type ServedContent, servedContent } from "./served/served-content.ts";
import { openServedLines } from "./served/served-lines.ts";
import { openServedTable } from "./served/served-table.ts";
import type { Wanted, WantedLine } from "./wanted.ts";

/** What is stored of an order from its first change on. Most orders never change and have no such record. */
export interface ChangedOrder {
  readonly wanted: Wanted;
  /** Earlier contents of the order, oldest first: the platform may have fetched any of them. */
  readonly served: readonly ServedContent[];
}

/** Offered amounts by the position of the ledger line. */
export type Offered = readonly (readonly [position: number, amount: number])[];

export interface WantedTable {
  /** Whether an order may have a change. Every event asks, so it normally reads no table. */
  readonly has: (orderNumber: string) => boolean;
  readonly find: (orderNumber: string) => ChangedOrder | undefined;
  /** Stores what is wanted of an order. What has not changed since is not written again. */
  readonly save: (orderNumber: string, wanted: Wanted) => void;
  /** Keeps a content of a changed order that is about to be replaced: the platform may have fetched it. */
  readonly addServed: (orderNumber: string, replaced: WorkOrder) => void;
  /**
   * Stores what the latest answer asked the platform to lower. Earlier offers stay open for ledger lines that its model
   * did not list.
   */
  readonly markOffered: (orderNumber: string, offered: Offered, listed: ReadonlySet<number>, at: number) => void;
  /** The offers that are still open. */
  readonly offeredBefore: (orderNumber: string) => Offered;
  /** Clears the open offers of an order, once they are settled. */
  readonly forgetOffered: (orderNumber: string) => void;
  /**
   * Called for a step without a model: open offers stay open and their waiting time starts again. The offer for an
   * ledger line whose step shows the old amount is dropped.
   */
  readonly stillOffered: (
    orderNumber: string,
    at: number,
    shownAsBefore: (offered: Offered[number]) => boolean,
  ) => void;
  /** Orders whose latest offer is older than that time and that got no step since; the oldest few. */
  readonly silentSince: (beforeMs: number) => readonly { readonly orderNumber: string; readonly offered: Offered }[];
  /** Stores whether a line is being picked whose unit is in doubt: a person has to be told. */
  readonly markDoubtful: (orderNumber: string, isDoubtful: boolean) => void;
  /**
   * Returns this line, and lines that cannot be told apart from it, in each content of a changed order, the present one
   * last. Returns nothing for an order without a change.
   */
  readonly servedOf: (orderNumber: string, line: LineNames) => readonly ServedContent[];
  /** Clears what is kept in memory; called after a rollback. */
  readonly forget: () => void;
}

/** With more changed orders than this, every event reads the table. */
const maxRemembered = 50_000;
/** Lines of parsed orders that are kept in memory: enough for the groups being worked on, and for a very long order. */
const mostLinesKept = 100_000;
/**
 * Settling many orders at once must not delay the entry they are settled with; the rest follows with the next entry.
 */
const maxByTime = 50;

const { lines: linesColumn } = wantedLinesRow.columns;
const keptRow = row({
  ...{ pushed: wantedPushRow.columns.pushed, gone: wantedPushRow.columns.gone, lines: linesColumn },
  cancelledSeq: wantedRow.columns.cancelled_seq,
});
const numberRow = row({ orderNumber: wantedRow.columns.order_number });
// The statement leaves out rows without an offer, so the column is never null.
const offeredRow = row({ orderNumber: wantedRow.columns.order_number, offered: text });
const foundRow = row({ found: integer });

/** Released versions have stored `shortPicked` under the name `cut`. */
type StoredLine = Omit<WantedLine, "shortPicked"> & { readonly cut?: number };

/** Lines without a short-picked amount, which are nearly all, are not copied. */
const toStored = (line: WantedLine): StoredLine => {
  if (line.shortPicked === undefined) return line;
  const { shortPicked: cut, ...others } = line;
  return { ...others, cut };
};

const fromStored = (line: StoredLine): WantedLine => {
  if (line.cut === undefined) return line;
  const { cut: shortPicked, ...others } = line;
  return { ...others, shortPicked };
};

/** Reads what is stored of a changed order, on any connection. */
export function readWanted(database: Database): (orderNumber: string) => ChangedOrder | undefined {
  const select = database.query(
    `SELECT pushed, gone, lines, cancelled_seq AS cancelledSeq FROM wanted
     JOIN wanted_push USING (order_number) JOIN wanted_lines USING (order_number) WHERE wanted.order_number = ?`,
    keptRow,
  );
  const served = openServedTable(database);
  return (orderNumber) => {
    const row = select.get(orderNumber);
    if (row === undefined) return undefined;
    // `save` below wrote all three texts.
    const pushed = parseJsonKeepingDigits(row.pushed) as Wanted["pushed"];
    // The same.
    const gone = parseJsonKeepingDigits(row.gone) as Wanted["gone"];
    // The same.
    const lines = (JSON.parse(row.lines) as StoredLine[]).map(fromStored);
    return { wanted: { pushed, gone, lines, cancelledSeq: row.cancelledSeq }, served: served.of(orderNumber) };
  };
}

/** What a place in a further content costs, in lines: the line itself is usually that of the content before. */
const placeWeight = 1 / 16;
/** How many lines of a content are compared with those of the one before, to know how many they share. */
const samples = 64;

function linesIn({ wanted, served }: ChangedOrder): number {
  const { pushed, lines } = wanted;
  const own = pushed === undefined || pushed === null ? 0 : contentWeight(pushed);
  const contents = served.map((content, nth) => servedWeight(content, served[nth - 1]));
  return contents.reduce((sum, weight) => sum + weight, own + lines.length);
}

const servedWeight = (content: readonly unknown[], before: readonly unknown[] | undefined): number =>
  content.length * (before === undefined ? 1 : placeWeight + newPart(content, before));

/** About how many of a content's lines are not those of the one before; lines may have been put in or left out between. */
function newPart<Line>(content: readonly Line[], before: readonly Line[]): number {
  const step = Math.max(1, Math.floor(content.length / samples));
  let own = 0;
  let compared = 0;
  for (let place = 0; place < content.length; place += step) {
    const line = content[place];
    compared++;
    if (line !== before[place] && line !== before[place + before.length - content.length]) own++;
  }
  return compared === 0 ? 0 : own / compared;
}

export function openWantedTable(database: Database, orders: Pick<OrderStore, "find" | "contentVersion">): WantedTable {
  const read = readWanted(database);
  const exists = database.query("SELECT EXISTS (SELECT 1 FROM wanted WHERE order_number = ?) AS found", foundRow);
  const save = database.statement(
    `INSERT INTO wanted (order_number, cancelled_seq) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET cancelled_seq = excluded.cancelled_seq`,
  );
  const savePush = database.statement(
    `INSERT INTO wanted_push (order_number, pushed, gone) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET pushed = excluded.pushed, gone = excluded.gone`,
  );
  const saveLines = database.statement(
    "INSERT INTO wanted_lines (order_number, lines) VALUES (?, ?) ON CONFLICT DO UPDATE SET lines = excluded.lines",
  );
  const served = openServedTable(database);
  const servedLines = openServedLines(orders);
  const markOffered = database.statement("UPDATE wanted SET offered = ?, offered_at = ? WHERE order_number = ?");
  // Repeats the condition of the index word for word: otherwise SQLite does not use the index.
  const silent = database.query(
    `SELECT order_number AS orderNumber, offered FROM wanted WHERE offered_at IS NOT NULL AND offered_at <= ?
     ORDER BY offered_at LIMIT ${maxByTime}`,
    offeredRow,
  );
  const offeredNow = database.query(
    "SELECT order_number AS orderNumber, offered FROM wanted WHERE order_number = ? AND offered_at IS NOT NULL",
    offeredRow,
  );
  const markDoubtful = database.statement("UPDATE wanted SET doubtful = ? WHERE order_number = ? AND doubtful <> ?");
  // Numbers are only ever added. After a rollback the set may name an order without a change, which costs one query; it
  // never lacks an order with one.
  const remembered = new Set(
    database
      .query(`SELECT order_number AS orderNumber FROM wanted LIMIT ${maxRemembered + 1}`, numberRow)
      .all()
      .map(({ orderNumber }) => orderNumber),
  );
  const has = (orderNumber: string): boolean =>
    remembered.size > maxRemembered ? exists.get(orderNumber)?.found === 1 : remembered.has(orderNumber);
  // Each event reads an order and its follow-up orders several times. Without this, all contents would be parsed each
  // time.
  const recent = recentValues<ChangedOrder>(mostLinesKept, linesIn);
  const find = (orderNumber: string): ChangedOrder | undefined => {
    if (!has(orderNumber)) return undefined;
    const known = recent.get(orderNumber);
    if (known !== undefined) return known;
    const found = read(orderNumber);
    if (found !== undefined) recent.set(orderNumber, found);
    return found;
  };
  const offeredBefore = (orderNumber: string): Offered => {
    const row = has(orderNumber) ? offeredNow.get(orderNumber) : undefined;
    // `setOffered` below wrote it.
    return row === undefined ? [] : (JSON.parse(row.offered) as Offered);
  };
  const setOffered = (orderNumber: string, offered: Offered, at: number) => {
    const isOut = offered.length > 0;
    markOffered.run(isOut ? JSON.stringify(offered) : null, isOut ? at : null, orderNumber);
  };

  return {
    has,
    find,
    forget: recent.clear,
    servedOf: (orderNumber, line) => {
      const changed = find(orderNumber);
      return changed === undefined ? [] : servedLines(orderNumber, changed.served, line);
    },
    markOffered: (orderNumber, offered, listed, at) =>
      setOffered(
        orderNumber,
        [...offeredBefore(orderNumber).filter(([position]) => !listed.has(position)), ...offered],
        at,
      ),
    stillOffered: (orderNumber, at, shownAsBefore) => {
      const before = offeredBefore(orderNumber);
      if (before.length > 0)
        setOffered(
          orderNumber,
          before.filter((one) => !shownAsBefore(one)),
          at,
        );
    },
    offeredBefore,
    forgetOffered: (orderNumber) => setOffered(orderNumber, [], 0),
    silentSince: (beforeMs) =>
      silent
        .all(beforeMs)
        // `setOffered` above wrote it.
        .map(({ orderNumber, offered }) => ({ orderNumber, offered: JSON.parse(offered) as Offered })),
    markDoubtful: (orderNumber, isDoubtful) => {
      const value = isDoubtful ? 1 : 0;
      markDoubtful.run(value, orderNumber, value);
    },
    save: (orderNumber, wanted) => {
      const before = find(orderNumber);
      if (remembered.size <= maxRemembered) remembered.add(orderNumber);
      const { pushed, gone, lines, cancelledSeq } = wanted;
      save.run(orderNumber, cancelledSeq);
      const was = before?.wanted;
      if (was?.pushed !== pushed || was.gone !== gone)
        savePush.run(orderNumber, pushed === null ? "null" : orderText(pushed), JSON.stringify(gone));
      recent.set(orderNumber, { wanted, served: before?.served ?? [] });
      if (was?.lines !== lines) saveLines.run(orderNumber, JSON.stringify(lines.map(toStored)));
    },
    addServed: (orderNumber, replaced) => {
      const changed = find(orderNumber);
      if (changed === undefined) return;
      const all = served.add(orderNumber, changed.served, servedContent(replaced.requests));
      if (all !== changed.served) recent.set(orderNumber, { ...changed, served: all });
    },
  };
}
