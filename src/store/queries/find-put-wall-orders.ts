import { setImmediate as nextTurn } from "node:timers/promises";
import type { InputOf } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { integer, nullable, type Row, row, text } from "../../kit/sqlite/row.ts";
import type { Database, SqlQuery } from "../../kit/sqlite/sqlite.ts";
import { type Message, say } from "../../messages/message.ts";
import { type Outcome, ok, ReadyJsonList, type ReadyJsonSlices } from "../../operation/outcome.ts";
import { type LongTexts, parsedText } from "../long-texts/long-texts.ts";
import { fold } from "../order-store.ts";
import { allKnown, type ChangeNotices, type Known, whenKnown } from "./change-notices.ts";
import { changedColumn, isChanged, shownCode, shownCodes } from "./find-work-order-by-code.ts";
import { longBytes } from "./listed-orders.ts";

type Answer = Outcome<"findPutWallOrders">;

const openRow = row({
  ...{ id: integer, number: text, exact: integer, changed: integer },
  ...{ json: nullable(text), bytes: integer },
});
type OpenOrder = Row<typeof openRow>;
const closedRow = row({ finished: integer, cancelled: integer });
const numberRow = row({ number: text });

/** So many of such orders take less than two milliseconds. */
const ordersPerTurn = 32;
const smallBytes = 16 * 1024;
const noticesPerTurn = 4;

/** More changed orders than one code has; beyond this limit the text is only less exact. */
const mostEnded = 20;

/** The columns a code may match, the most specific first, and where to search them. */
const meanings = [
  { code: "container.code", from: "container JOIN work_order ON number = order_number WHERE container.folded = ?" },
  { code: "delivery_number", from: "work_order WHERE delivery_number_folded = ?" },
  { code: "alternative_start", from: "work_order WHERE alternative_start_folded = ?" },
  { code: "number", from: "work_order WHERE number_folded = ?" },
] as const;

export function findPutWallOrders(needs: {
  readonly database: Database;
  readonly notices: Pick<ChangeNotices, "of">;
  readonly longTexts: Pick<LongTexts, "later">;
  readonly isSound: () => boolean;
}): (input: InputOf<"findPutWallOrders">) => Known<Answer> {
  const { database, notices, longTexts, isSound } = needs;
  const open = meanings.map(({ code, from }) =>
    database.query(
      `SELECT id, number, ${code} = ? AS exact, CASE WHEN octet_length(json) <= ${smallBytes} THEN json END AS json,
         octet_length(json) AS bytes, ${changedColumn}
       FROM ${from} AND ended = 0 AND id > ? ORDER BY work_order.id LIMIT ${ordersPerTurn}`,
      openRow,
    ),
  );
  const textOf = database.query("SELECT json FROM work_order WHERE id = ? AND ended = 0", row({ json: text }));
  const closed = meanings.map(({ from }) =>
    database.query(
      `SELECT EXISTS (SELECT 1 FROM ${from} AND ended = 1 AND state = 'finished' AND NOT ${isChanged}) AS finished,
        EXISTS (SELECT 1 FROM ${from} AND ended = 1 AND state = 'cancelled') AS cancelled`,
      closedRow,
    ),
  );

  const ended = meanings.map(({ from }) =>
    database.query(
      `SELECT number FROM ${from} AND ended = 1 AND state = 'finished' AND ${isChanged}
       ORDER BY work_order.id DESC LIMIT ${mostEnded}`,
      numberRow,
    ),
  );

  const noticeOf = (number: string) => whenKnown(notices.of(number), (notice) => ({ number, notice }));
  const noticesOf = (numbers: readonly string[]) =>
    numbers.length <= noticesPerTurn ? allKnown(numbers.map(noticeOf)) : inTurns(numbers, noticeOf);

  const matching = (query: SqlQuery<OpenOrder>, code: string): Known<readonly OpenOrder[]> => {
    const folded = fold(code);
    const first = query.all(code, folded, 0);
    return first.length < ordersPerTurn ? first : others(first, (after) => query.all(code, folded, after));
  };

  /** Orders that are not short are read when their turn in the answer has come; they may be gone by then. */
  function* piecesOf(found: readonly OpenOrder[]): Generator<string | ReadyJsonSlices> {
    for (const { id, json, bytes } of found) {
      if (json === null && bytes > longBytes) yield longTexts.later({ order: id, must: "be open", bytes });
      else {
        const present = json ?? textOf.get(id)?.json;
        if (present !== undefined) yield present;
      }
    }
  }

  const whyNone = (code: string): Known<Message | undefined> => {
    const folded = fold(code);
    const past = closed.flatMap((query) => query.get(folded, folded) ?? []);
    const numbers = new Set(ended.flatMap((query) => query.all(folded).map(({ number }) => number)));
    return whenKnown(noticesOf([...numbers]), (known) => {
      // Cancelled after its end: the goods at the wall are to be put aside.
      const off = known.flatMap(({ notice }) => (notice?.isCalledOff === true ? [notice] : []));
      if (past.some(({ finished }) => finished === 1) || off.length < known.length)
        return say("orders.put-wall-closed", { code: shownCode(code) });
      const [only, ...others] = off;
      if (only !== undefined && others.length === 0) return only.stop;
      const isCancelled = only !== undefined || past.some(({ cancelled }) => cancelled === 1);
      return say(isCancelled ? "orders.put-wall-cancelled" : "orders.put-wall-unknown", { code: shownCode(code) });
    });
  };

  const answerWith = (found: readonly OpenOrder[], extras: { readonly message?: Message }): Known<Answer> => {
    // Stored orders may be unchecked or bad: the engine checks objects, as it does for any other system.
    if (!isSound()) return whenKnown(objectsOf(piecesOf(found)), (orders) => ok(orders, extras));
    const texts = found.flatMap(({ json }) => json ?? []);
    return ok(new ReadyJsonList(texts.length === found.length ? texts : piecesOf(found)), extras);
  };

  const search = (code: string, meaning: number): Known<Answer> => {
    const query = open[meaning];
    if (query === undefined)
      return whenKnown(whyNone(code), (message) => ok([], message === undefined ? {} : { message }));
    return whenKnown(matching(query, code), (all) => {
      const found = bestWritten(all);
      if (found.length === 0) return search(code, meaning + 1);
      const changed = found.filter((order) => order.changed === 1).map((order) => order.number);
      return whenKnown(noticesOf(changed), (known) => {
        const calledOff = known.filter(({ notice }) => notice?.isCalledOff === true).map(({ number }) => number);
        const warning = { message: say("orders.put-wall-some-cancelled", { orders: shownCodes(calledOff) }) };
        return answerWith(found, calledOff.length > 0 ? warning : {});
      });
    });
  };

  return (input) => {
    const code = input.code.trim();
    return code === "" ? ok([], { message: say("orders.blank-code") }) : search(code, 0);
  };
}

async function others(first: readonly OpenOrder[], after: (id: number) => OpenOrder[]): Promise<readonly OpenOrder[]> {
  const found = [...first];
  for (let last = first; last.length === ordersPerTurn; found.push(...last)) {
    await nextTurn();
    last = after(found.at(-1)?.id ?? 0);
  }
  return found;
}

async function inTurns<Given, Done>(given: readonly Given[], use: (one: Given) => Known<Done>): Promise<Done[]> {
  const done: Done[] = [];
  for (const [index, one] of given.entries()) {
    if (index % noticesPerTurn === 0) await nextTurn();
    done.push(await use(one));
  }
  return done;
}

async function objectsOf(pieces: Iterable<string | ReadyJsonSlices>): Promise<WorkOrder[]> {
  const orders: WorkOrder[] = [];
  for (const piece of pieces) {
    await nextTurn();
    const order: unknown = typeof piece === "string" ? JSON.parse(piece) : await parsedText(piece);
    // Every stored text was written from an order.
    if (order !== undefined) orders.push(order as WorkOrder);
  }
  return orders;
}

/** The orders that match the code exactly; if none do, those that differ only in letter case. */
function bestWritten(orders: readonly OpenOrder[]): readonly OpenOrder[] {
  const exact = orders.filter((order) => order.exact === 1);
  return exact.length > 0 ? exact : orders;
}
