import type { InputOf } from "../../contract/operations.ts";
import type { Item } from "../../contract/schemas/work-order.ts";
import { pick, type Row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { say } from "../../messages/message.ts";
import { type Outcome, ok, ReadyJson, refuse } from "../../operation/outcome.ts";
import { fold } from "../order-store.ts";
import { itemImageRow, itemRow } from "../store-rows.ts";
import { type ReadyAnswers, shownCode } from "./find-work-order-by-code.ts";

type Answer = Outcome<"getItem">;

export function getItem(needs: {
  readonly database: Database;
  readonly answers: ReadyAnswers<Answer>;
  readonly isSound: () => boolean;
}): (input: InputOf<"getItem">) => Answer {
  const { database, answers, isSound } = needs;
  const find = findItem(database);
  return ({ number }) => {
    const kept = answers.get(number);
    if (kept !== undefined) return kept;
    const item = find(number);
    if (item === undefined) return refuse("ItemDoesNotExist", say("items.unknown", { number: shownCode(number) }));
    // Stored items may be unchecked or bad: the engine checks objects, as it does for any other system.
    if (!isSound()) return ok(JSON.parse(item.json) as Item);
    const answer = ok(new ReadyJson(item.json));
    answers.keep(number, answer, item.json.length);
    return answer;
  };
}

const foundRow = pick(itemRow, "number", "json");

/** The item with exactly this number; if there is none, the first whose number differs only in letter case. */
function findItem(database: Database): (number: string) => Row<typeof foundRow> | undefined {
  const exact = database.query("SELECT number, json FROM item WHERE number = ?", foundRow);
  const folded = database.query("SELECT number, json FROM item WHERE folded = ? ORDER BY number LIMIT 1", foundRow);
  return (number) => exact.get(number) ?? folded.get(fold(number));
}

export function getItemImage(needs: {
  readonly database: Database;
}): (input: InputOf<"getItemImage">) => Outcome<"getItemImage"> {
  const find = findItem(needs.database);
  const select = needs.database.query("SELECT bytes FROM item_image WHERE number = ?", pick(itemImageRow, "bytes"));
  return ({ number }) => {
    const item = find(number);
    if (item === undefined) return refuse("ImageDoesNotExist", say("items.unknown", { number: shownCode(number) }));
    const image = select.get(item.number);
    if (image === undefined) return refuse("ImageDoesNotExist", say("items.no-image", { number: item.number }));
    const { buffer, byteOffset, byteLength } = image.bytes;
    // Base64 needs no escaping: in quotes it is JSON already, without a second pass over megabytes.
    return ok(new ReadyJson(`"${Buffer.from(buffer, byteOffset, byteLength).toString("base64")}"`));
  };
}
