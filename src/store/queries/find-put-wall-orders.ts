import type { InputOf } from "../../contract/operations.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { integer, type Row, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { say } from "../../messages/message.ts";
import { type Outcome, ok, ReadyJsonList } from "../../operation/outcome.ts";
import { isCalledOff } from "../changes/group/group-totals.ts";
import { stopText } from "../changes/offers/operator-text.ts";
import type { ChangedOrders } from "../changes/read-changed-order.ts";
import { fold } from "../order-store.ts";
import { changedColumn, isCancelledWhileRunning, isChanged, shownCode, shownCodes } from "./find-work-order-by-code.ts";

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
  readonly changed: ChangedOrders;
  readonly isSound: () => boolean;
}): (input: InputOf<"findPutWallOrders">) => Outcome<"findPutWallOrders"> {
  const { database, changed, isSound } = needs;
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

  const whyNone = (code: string) => {
    const folded = fold(code);
    const past = closed.flatMap((query) => query.get(folded, folded) ?? []);
    const numbers = new Set(ended.flatMap((query) => query.all(folded).map(({ number }) => number)));
    const groups = [...numbers].map((number) => ({ number, group: changed.read(number) }));
    // Cancelled after its end: the goods at the wall are to be put aside.
    const off = groups.flatMap(({ number, group }) =>
      group !== undefined && isCalledOff(group) ? [{ number, group }] : [],
    );
    if (past.some(({ finished }) => finished === 1) || off.length < groups.length)
      return say("orders.put-wall-closed", { code: shownCode(code) });
    const [only, ...others] = off;
    if (only !== undefined && others.length === 0) return stopText(only.group, only.number);
    const isCancelled = only !== undefined || past.some(({ cancelled }) => cancelled === 1);
    return say(isCancelled ? "orders.put-wall-cancelled" : "orders.put-wall-unknown", { code: shownCode(code) });
  };

  return (input) => {
    const code = input.code.trim();
    if (code === "") return ok([], { message: say("orders.blank-code") });
    const folded = fold(code);
    for (const query of open) {
      const found = bestWritten(query.all(code, folded));
      if (found.length === 0) continue;
      const calledOff = found
        .filter((order) => order.changed === 1 && isCancelledWhileRunning(changed, order.number))
        .map((order) => order.number);
      const warning = { message: say("orders.put-wall-some-cancelled", { orders: shownCodes(calledOff) }) };
      const optionalMessage = calledOff.length > 0 ? warning : {};
      const texts = found.map((order) => order.json);
      // Stored orders may be unchecked or bad: the engine checks objects, as it does for any other system.
      if (!isSound()) return ok(JSON.parse(`[${texts.join()}]`) as WorkOrder[], optionalMessage);
      return ok(new ReadyJsonList(texts), optionalMessage);
    }
    const message = whyNone(code);
    return ok([], message === undefined ? {} : { message });
  };
}

/** The orders that match the code exactly; if none do, those that differ only in letter case. */
function bestWritten(orders: readonly OpenOrder[]): readonly OpenOrder[] {
  const exact = orders.filter((order) => order.exact === 1);
  return exact.length > 0 ? exact : orders;
}
