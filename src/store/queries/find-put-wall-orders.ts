import type { InputOf } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { integer, type Row, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { type Message, say } from "../../messages/message.ts";
import { type Outcome, ok, ReadyJsonList } from "../../operation/outcome.ts";
import { fold } from "../order-store.ts";
import { allKnown, type ChangeNotices, type Known, whenKnown } from "./change-notices.ts";
import { changedColumn, isChanged, shownCode, shownCodes } from "./find-work-order-by-code.ts";

const openRow = row({ number: text, exact: integer, json: text, changed: integer });
type OpenOrder = Row<typeof openRow>;
const closedRow = row({ finished: integer, cancelled: integer });
const numberRow = row({ number: text });

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
  readonly isSound: () => boolean;
}): (input: InputOf<"findPutWallOrders">) => Known<Outcome<"findPutWallOrders">> {
  const { database, notices, isSound } = needs;
  const open = meanings.map(({ code, from }) =>
    database.query(
      `SELECT number, ${code} = ? AS exact, json, ${changedColumn}
       FROM ${from} AND ended = 0 ORDER BY work_order.id`,
      openRow,
    ),
  );
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

  const noticesOf = (numbers: readonly string[]) =>
    allKnown(numbers.map((number) => whenKnown(notices.of(number), (notice) => ({ number, notice }))));

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

  return (input) => {
    const code = input.code.trim();
    if (code === "") return ok([], { message: say("orders.blank-code") });
    const folded = fold(code);
    for (const query of open) {
      const found = bestWritten(query.all(code, folded));
      if (found.length === 0) continue;
      const changed = found.filter((order) => order.changed === 1).map((order) => order.number);
      return whenKnown(noticesOf(changed), (known) => {
        const calledOff = known.filter(({ notice }) => notice?.isCalledOff === true).map(({ number }) => number);
        const warning = { message: say("orders.put-wall-some-cancelled", { orders: shownCodes(calledOff) }) };
        const optionalMessage = calledOff.length > 0 ? warning : {};
        const texts = found.map((order) => order.json);
        // Stored orders may be unchecked or bad: the engine checks objects, as it does for any other system.
        if (!isSound()) return ok(JSON.parse(`[${texts.join()}]`) as WorkOrder[], optionalMessage);
        return ok(new ReadyJsonList(texts), optionalMessage);
      });
    }
    return whenKnown(whyNone(code), (message) => ok([], message === undefined ? {} : { message }));
  };
}

/** The orders that match the code exactly; if none do, those that differ only in letter case. */
function bestWritten(orders: readonly OpenOrder[]): readonly OpenOrder[] {
  const exact = orders.filter((order) => order.exact === 1);
  return exact.length > 0 ? exact : orders;
}
