import type { InputOf } from "../../../contract/operations.ts";
import type { Database } from "../../../kit/sqlite.ts";
import { say } from "../../../messages/message.ts";
import { type Outcome, ok } from "../../../sdk/outcome.ts";
import { ReadyJsonList } from "../../../sdk/ready-json.ts";
import { fold } from "../fold.ts";
import { shownCode } from "./shown-code.ts";

interface OpenOrder {
  readonly exact: number;
  readonly json: string;
}

/** What a code may stand for, the most telling one first: where it is written, and where it is looked for. */
const meanings = [
  { code: "container.code", from: "container JOIN work_order ON number = order_number WHERE container.folded = ?" },
  { code: "delivery_number", from: "work_order WHERE delivery_number_folded = ?" },
  { code: "alternative_start", from: "work_order WHERE alternative_start_folded = ?" },
  { code: "number", from: "work_order WHERE number_folded = ?" },
] as const;

export function findPutWallOrders(needs: {
  readonly database: Database;
}): (input: InputOf<"findPutWallOrders">) => Outcome<"findPutWallOrders"> {
  const { database } = needs;
  const open = meanings.map(({ code, from }) =>
    database.statement(
      `SELECT ${code} = ? AS exact, json FROM ${from} AND state IN ('waiting', 'started') ORDER BY work_order.id`,
    ),
  );
  const any = meanings.map(({ from }) => database.statement(`SELECT 1 FROM ${from} LIMIT 1`));

  return (input) => {
    const code = input.code.trim();
    if (code === "") return ok([], { message: say("orders.blank-code") });
    const folded = fold(code);
    for (const statement of open) {
      const texts = bestWritten(statement.all<OpenOrder>(code, folded));
      if (texts.length > 0) return ok(new ReadyJsonList(texts));
    }
    const isKnown = any.some((statement) => statement.get(folded) !== undefined);
    const key = isKnown ? "orders.put-wall-closed" : "orders.put-wall-unknown";
    return ok([], { message: say(key, { code: shownCode(code) }) });
  };
}

/** The orders written exactly like the code; without any, those that differ in letter case only. */
function bestWritten(orders: readonly OpenOrder[]): string[] {
  const exact = orders.filter((order) => order.exact === 1);
  return (exact.length > 0 ? exact : orders).map((order) => order.json);
}
