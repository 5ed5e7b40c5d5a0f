import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import { parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { recentValues } from "../../kit/recent-values.ts";
import { integer, pick, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { filled, type LineNames, lineKey, namesOf, type ServedLine, sameLine } from "../ledger/line-sight.ts";
import type { OrderStore } from "../order-store.ts";
import { wantedRow } from "../store-rows.ts";
import { isPicked, type Wanted } from "./wanted.ts";

/** The lines of one content that the platform may have fetched. */
export type ServedContent = readonly ServedLine[];

/** What is kept of an order from its first change on. Most orders are never changed and have none of this. */
export interface ChangedOrder {
  readonly wanted: Wanted;
  /** Contents the order had before its present one, oldest first: the platform may have fetched any of them. */
  readonly served: readonly ServedContent[];
}

/** Amounts by the position of the account. */
export type Offered = readonly (readonly [position: number, amount: number])[];

export interface WantedTable {
  /** Whether an order may be under change. Asked by every event, so it reads no table. */
  readonly has: (orderNumber: string) => boolean;
  readonly find: (orderNumber: string) => ChangedOrder | undefined;
  readonly save: (orderNumber: string, changed: ChangedOrder) => void;
  /**
   * What the latest answer asked the platform to lower, by the position of the account. What was offered before is still
   * out for the accounts that its model did not list.
   */
  readonly markOffered: (orderNumber: string, offered: Offered, listed: ReadonlySet<number>, at: number) => void;
  /** What was offered and is still out. */
  readonly offeredBefore: (orderNumber: string) => Offered;
  /** What was offered last is settled. */
  readonly forgetOffered: (orderNumber: string) => void;
  /**
   * A step without a model: what was offered before is still out, and silence begins again. Without the account whose
   * step shows it as before.
   */
  readonly stillOffered: (
    orderNumber: string,
    at: number,
    shownAsBefore: (offered: Offered[number]) => boolean,
  ) => void;
  /** Orders whose latest answer asked for something before that time, and no step came after; the oldest few. */
  readonly silentSince: (beforeMs: number) => readonly { readonly orderNumber: string; readonly offered: Offered }[];
  /** Whether something of it is being picked whose unit is in doubt: a person has to know. */
  readonly markDoubtful: (orderNumber: string, isDoubtful: boolean) => void;
  /**
   * This line in each content of a changed order, the present one last, with those that nothing tells apart from it;
   * nothing of an order that never changed.
   */
  readonly servedOf: (orderNumber: string, line: LineNames) => readonly ServedContent[];
  /** After a rollback. */
  readonly forget: () => void;
}

/** With more orders than this under change, every event asks the table. */
const maxRemembered = 50_000;
/** An order changed more often than this keeps its first content and the latest ones. */
const maxServed = 64;
/** The families that are being worked on one after the other; not those with contents that would fill the memory. */
const mostParsed = 4;
const mostLinesKept = 10_000;
/** Many at once must not hold up the entry they are settled with; the rest comes with the next. */
const maxByTime = 50;

const keptRow = pick(wantedRow, "wanted", "served");
const numberRow = row({ orderNumber: wantedRow.columns.order_number });
// The statement leaves out rows without an offer.
const offeredRow = row({ orderNumber: wantedRow.columns.order_number, offered: text });
const foundRow = row({ found: integer });

export const servedContent = (requests: readonly RequestLine[]): ServedContent =>
  requests.filter(isPicked).map((line) => ({
    ...namesOf(line),
    unit: line.unitOfMeasure ?? 0,
    amount: line.requestedAmount,
    ...(filled(line.designatedLocationName) === null ? {} : { location: filled(line.designatedLocationName) ?? "" }),
  }));

/** Adds a content that is about to be replaced. The same as the latest is no other content. */
export function withServed(served: readonly ServedContent[], replaced: WorkOrder): readonly ServedContent[] {
  const content = servedContent(replaced.requests);
  if (JSON.stringify(served.at(-1)) === JSON.stringify(content)) return served;
  const [first, ...others] = [...served, content];
  return first === undefined ? [] : [first, ...others.slice(-(maxServed - 1))];
}

/** Looks up what is kept of a changed order; on any connection. */
export function readWanted(database: Database): (orderNumber: string) => ChangedOrder | undefined {
  const select = database.query("SELECT wanted, served FROM wanted WHERE order_number = ?", keptRow);
  return (orderNumber) => {
    const row = select.get(orderNumber);
    // Both texts were written below.
    return (
      row && { wanted: parseJsonKeepingDigits(row.wanted) as Wanted, served: JSON.parse(row.served) as ServedContent[] }
    );
  };
}

/** All lines that an order was served with, and the same by their names. */
interface ServedLines {
  readonly orderNumber: string;
  readonly version: string;
  readonly contents: readonly ServedContent[];
  /** Of each line: the contents that have it, reduced to it. */
  readonly byKey: ReadonlyMap<string, readonly ServedContent[]>;
}

const linesIn = ({ wanted, served }: ChangedOrder): number => [wanted.lines, ...served].flat().length;

const having = (contents: readonly ServedContent[], isMeant: (served: ServedLine) => boolean): ServedContent[] =>
  contents.map((content) => content.filter(isMeant)).filter((lines) => lines.length > 0);

function byLine(contents: readonly ServedContent[]): ReadonlyMap<string, readonly ServedContent[]> {
  const found = new Map<string, ServedContent[]>();
  for (const content of contents) {
    for (const [key, lines] of Map.groupBy(content, lineKey)) found.set(key, [...(found.get(key) ?? []), lines]);
  }
  return found;
}

export function openWantedTable(database: Database, orders: Pick<OrderStore, "find" | "contentVersion">): WantedTable {
  const read = readWanted(database);
  const exists = database.query("SELECT EXISTS (SELECT 1 FROM wanted WHERE order_number = ?) AS found", foundRow);
  const save = database.statement(
    `INSERT INTO wanted (order_number, wanted, served) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET wanted = excluded.wanted, served = excluded.served`,
  );
  const markOffered = database.statement("UPDATE wanted SET offered = ?, offered_at = ? WHERE order_number = ?");
  // The condition of the index word for word: otherwise SQLite would not use it.
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
  // Only ever added to: after a rollback it may name an order that is not under change, which costs a look, but it never
  // lacks one.
  const remembered = new Set(
    database
      .query(`SELECT order_number AS orderNumber FROM wanted LIMIT ${maxRemembered + 1}`, numberRow)
      .all()
      .map(({ orderNumber }) => orderNumber),
  );
  const has = (orderNumber: string): boolean =>
    remembered.size > maxRemembered ? exists.get(orderNumber)?.found === 1 : remembered.has(orderNumber);
  // An order and its follow-ups are read several times with each of their events, and each time all contents were parsed.
  const recent = recentValues<ChangedOrder>(mostParsed);
  const find = (orderNumber: string): ChangedOrder | undefined => {
    if (!has(orderNumber)) return undefined;
    const known = recent.get(orderNumber);
    if (known !== undefined) return known;
    const found = read(orderNumber);
    if (found !== undefined && linesIn(found) <= mostLinesKept) recent.set(orderNumber, found);
    return found;
  };
  const offeredBefore = (orderNumber: string): Offered => {
    const row = has(orderNumber) ? offeredNow.get(orderNumber) : undefined;
    // Written below.
    return row === undefined ? [] : (JSON.parse(row.offered) as Offered);
  };
  const setOffered = (orderNumber: string, offered: Offered, at: number) => {
    const isOut = offered.length > 0;
    markOffered.run(isOut ? JSON.stringify(offered) : null, isOut ? at : null, orderNumber);
  };
  let saved = 0;
  /** Of the latest order: a step asks for each line of its model, and to read all of them for each would take minutes. */
  let latest: ServedLines | null = null;
  const servedLines = (orderNumber: string): ServedLines => {
    const version = `${saved} ${orders.contentVersion()}`;
    if (latest?.orderNumber === orderNumber && latest.version === version) return latest;
    const changed = find(orderNumber);
    const present = changed === undefined ? undefined : orders.find(orderNumber)?.workOrder;
    const contents = [...(changed?.served ?? []), ...(present === undefined ? [] : [servedContent(present.requests)])];
    latest = { orderNumber, version, contents, byKey: byLine(contents) };
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
      const { contents, byKey } = servedLines(orderNumber);
      // Seen without its external id, a line is known by its item and lot.
      return byKey.get(lineKey(line)) ?? having(contents, (served) => sameLine(served, line));
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
        // Written above.
        .map(({ orderNumber, offered }) => ({ orderNumber, offered: JSON.parse(offered) as Offered })),
    markDoubtful: (orderNumber, isDoubtful) => {
      const value = isDoubtful ? 1 : 0;
      markDoubtful.run(value, orderNumber, value);
    },
    save: (orderNumber, { wanted, served }) => {
      if (remembered.size <= maxRemembered) remembered.add(orderNumber);
      saved++;
      recent.delete(orderNumber);
      save.run(orderNumber, JSON.stringify(wanted), JSON.stringify(served));
    },
  };
}
