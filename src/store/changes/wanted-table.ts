import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { recentValues } from "../../kit/recent-values.ts";
import { integer, pick, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { filled, type LineNames, lineKey, namesOf, type ServedLine, sameLine } from "../ledger/line-ref.ts";
import type { OrderStore } from "../order-store.ts";
import { contentWeight } from "../orders/content-weight.ts";
import { wantedRow } from "../store-rows.ts";
import { isPicked, type Wanted, type WantedLine } from "./wanted.ts";

/** The lines of one content that the platform may have fetched. */
export type ServedContent = readonly ServedLine[];

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
  readonly save: (orderNumber: string, changed: ChangedOrder) => void;
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
/** An order changed more often than this keeps its first content and the latest ones. */
const maxServed = 64;
/** Lines of parsed orders that are kept in memory: enough for the groups being worked on, and for a very long order. */
const mostLinesKept = 100_000;
/**
 * Settling many orders at once must not delay the entry they are settled with; the rest follows with the next entry.
 */
const maxByTime = 50;

const keptRow = pick(wantedRow, "wanted", "served");
const numberRow = row({ orderNumber: wantedRow.columns.order_number });
// The statement leaves out rows without an offer, so the column is never null.
const offeredRow = row({ orderNumber: wantedRow.columns.order_number, offered: text });
const foundRow = row({ found: integer });

export const servedContent = (requests: readonly RequestLine[]): ServedContent =>
  requests.filter(isPicked).map((line) => ({
    ...namesOf(line),
    unit: line.unitOfMeasure ?? 0,
    amount: line.requestedAmount,
    ...(filled(line.designatedLocationName) === null ? {} : { location: filled(line.designatedLocationName) ?? "" }),
  }));

/** Adds a content that is about to be replaced, unless it equals the latest one. */
export function withServed(served: readonly ServedContent[], replaced: WorkOrder): readonly ServedContent[] {
  const content = sharing(servedContent(replaced.requests), served.at(-1));
  if (JSON.stringify(served.at(-1)) === JSON.stringify(content)) return served;
  const [first, ...others] = [...served, content];
  return first === undefined ? [] : [first, ...others.slice(-(maxServed - 1))];
}

/** The content with the lines of the one before where they are equal: most orders are changed in a few lines. */
const sharing = (content: ServedContent, before: ServedContent | undefined): ServedContent =>
  before === undefined ? content : content.map((line, nth) => (isSameServed(line, before[nth]) ? before[nth] : line));

const isSameServed = (line: ServedLine, before: ServedLine | undefined): before is ServedLine =>
  before !== undefined &&
  line.externalId === before.externalId &&
  line.itemNumber === before.itemNumber &&
  line.lot === before.lot &&
  line.unit === before.unit &&
  line.amount === before.amount &&
  line.location === before.location;

/** Released versions have stored `shortPicked` under the name `cut`. */
type StoredLine = Omit<WantedLine, "shortPicked"> & { readonly cut?: number };
type StoredWanted = Omit<Wanted, "lines"> & { readonly lines: readonly StoredLine[] };

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
  const select = database.query("SELECT wanted, served FROM wanted WHERE order_number = ?", keptRow);
  return (orderNumber) => {
    const row = select.get(orderNumber);
    if (row === undefined) return undefined;
    // `save` below wrote both texts.
    const wanted = parseJsonKeepingDigits(row.wanted) as StoredWanted;
    // The same.
    const served = JSON.parse(row.served) as ServedContent[];
    for (const [nth, content] of served.entries()) served[nth] = sharing(content, served[nth - 1]);
    return { wanted: { ...wanted, lines: wanted.lines.map(fromStored) }, served };
  };
}

/** All contents that an order was served with, also grouped by line. */
interface ServedLines {
  readonly orderNumber: string;
  readonly version: string;
  /** Per line key: the contents that have the line, with only that line in them. */
  readonly byKey: ReadonlyMap<string, readonly ServedContent[]>;
  /** Per item, in the same way. */
  readonly byItem: () => ReadonlyMap<string, readonly ServedContent[]>;
}

/** A further content costs little: it shares nearly all its lines with the one before. */
const contentsPerLine = 16;

function linesIn({ wanted, served }: ChangedOrder): number {
  const [first = []] = served;
  const { pushed } = wanted;
  let count = pushed === undefined || pushed === null ? 0 : contentWeight(pushed);
  const lists = [wanted.lines, first];
  for (const { length } of lists) count += length;
  for (const { length } of served.slice(1)) count += length / contentsPerLine;
  return count;
}

const having = (contents: readonly ServedContent[], isMeant: (served: ServedLine) => boolean): ServedContent[] =>
  contents.map((content) => content.filter(isMeant)).filter((lines) => lines.length > 0);

function grouped(
  contents: readonly ServedContent[],
  nameOf: (line: ServedLine) => string,
): ReadonlyMap<string, readonly ServedContent[]> {
  const found = new Map<string, ServedContent[]>();
  for (const content of contents) {
    for (const [name, lines] of Map.groupBy(content, nameOf)) {
      const known = found.get(name);
      if (known === undefined) found.set(name, [lines]);
      else known.push(lines);
    }
  }
  return found;
}

const itemOf = ({ itemNumber }: LineNames): string => itemNumber ?? "";

/** Computed at first use. */
function once<Value>(find: () => Value): () => Value {
  let found: { readonly value: Value } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}

export function openWantedTable(database: Database, orders: Pick<OrderStore, "find" | "contentVersion">): WantedTable {
  const read = readWanted(database);
  const exists = database.query("SELECT EXISTS (SELECT 1 FROM wanted WHERE order_number = ?) AS found", foundRow);
  const save = database.statement(
    `INSERT INTO wanted (order_number, wanted, served) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET wanted = excluded.wanted, served = excluded.served`,
  );
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
  let saved = 0;
  /**
   * The contents of the latest order. A step asks for each line of its model; reading all contents for each would take
   * minutes.
   */
  let latest: ServedLines | null = null;
  const servedLines = (orderNumber: string): ServedLines => {
    const version = `${saved} ${orders.contentVersion()}`;
    if (latest?.orderNumber === orderNumber && latest.version === version) return latest;
    const changed = find(orderNumber);
    const present = changed === undefined ? undefined : orders.find(orderNumber)?.workOrder;
    const contents = [...(changed?.served ?? []), ...(present === undefined ? [] : [servedContent(present.requests)])];
    const byItem = once(() => grouped(contents, itemOf));
    latest = { orderNumber, version, byKey: grouped(contents, lineKey), byItem };
    return latest;
  };

  return {
    has,
    find,
    forget: () => {
      saved++;
      recent.clear();
    },
    servedOf: (orderNumber, line) => {
      const { byKey, byItem } = servedLines(orderNumber);
      const own = byKey.get(lineKey(line));
      if (own !== undefined) return own;
      // A line seen without its external id is found by its item and lot. One with an id that no content has may be one
      // without an id.
      return having(byItem().get(itemOf(line)) ?? [], (served) => sameLine(served, line));
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
    save: (orderNumber, changed) => {
      const { wanted, served } = changed;
      if (remembered.size <= maxRemembered) remembered.add(orderNumber);
      saved++;
      recent.set(orderNumber, changed);
      const stored: StoredWanted = { ...wanted, lines: wanted.lines.map(toStored) };
      save.run(orderNumber, JSON.stringify(stored), JSON.stringify(served));
    },
  };
}
