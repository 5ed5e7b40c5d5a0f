import type { InputOf } from "../../contract/operations.ts";
import type { Item } from "../../contract/schemas/work-order.ts";
import { base64Json } from "../../kit/base64.ts";
import { blob, integer, nullable, pick, type Row, row, text } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { say } from "../../messages/message.ts";
import { type Outcome, ok, ReadyJson, refuse } from "../../operation/outcome.ts";
import { type LongTexts, parsedText } from "../long-texts/long-texts.ts";
import { fold } from "../order-store.ts";
import { itemRow } from "../store-rows.ts";
import type { Known } from "./change-notices.ts";
import { type ReadyAnswers, shownCode } from "./find-work-order-by-code.ts";
import { longBytes } from "./listed-orders.ts";

type Answer = Outcome<"getItem">;

export function getItem(needs: {
  readonly database: Database;
  readonly answers: ReadyAnswers<Answer>;
  readonly longTexts: Pick<LongTexts, "open">;
  readonly isSound: () => boolean;
}): (input: InputOf<"getItem">) => Known<Answer> {
  const { database, answers, longTexts, isSound } = needs;
  const find = findItem(database);
  const unknown = (number: string) => refuse("ItemDoesNotExist", say("items.unknown", { number: shownCode(number) }));
  const long = async ({ number, bytes }: Found): Promise<Answer> => {
    const text = await longTexts.open({ item: number, bytes });
    if (text === undefined) return unknown(number);
    // The stored text was written from an item.
    return ok(isSound() ? text : ((await parsedText(text)) as Item));
  };
  return ({ number }) => {
    const kept = answers.get(number);
    if (kept !== undefined) return kept;
    const item = find(number);
    if (item === undefined) return unknown(number);
    const { json } = item;
    if (json === null) return long(item);
    // Stored items may be unchecked or bad: the engine checks objects, as it does for any other system.
    if (!isSound()) return ok(JSON.parse(json) as Item);
    const answer = ok(new ReadyJson(json));
    answers.keep(number, answer, json.length);
    return answer;
  };
}

const foundRow = row({ ...pick(itemRow, "number").columns, json: nullable(text), bytes: integer });
type Found = Row<typeof foundRow>;

/** The item with exactly this number; if there is none, the first whose number differs only in letter case. */
function findItem(database: Database): (number: string) => Found | undefined {
  // SQLite stores the length before the text, so a long text is not read.
  const select = `SELECT number, CASE WHEN octet_length(json) <= ${longBytes} THEN json END AS json,
    octet_length(json) AS bytes FROM item`;
  const exact = database.query(`${select} WHERE number = ?`, foundRow);
  const folded = database.query(`${select} WHERE folded = ? ORDER BY number LIMIT 1`, foundRow);
  return (number) => exact.get(number) ?? folded.get(fold(number));
}

/** Encoding a larger image takes milliseconds. */
const smallImageBytes = 128 * 1024;

export function getItemImage(needs: {
  readonly database: Database;
  readonly longTexts: Pick<LongTexts, "open">;
}): (input: InputOf<"getItemImage">) => Known<Outcome<"getItemImage">> {
  const { database, longTexts } = needs;
  const find = findItem(database);
  const select = database.query(
    `SELECT CASE WHEN length(bytes) <= ${smallImageBytes} THEN bytes END AS bytes, length(bytes) AS size
     FROM item_image WHERE number = ?`,
    row({ bytes: nullable(blob), size: integer }),
  );
  const none = (number: string) => refuse("ImageDoesNotExist", say("items.no-image", { number }));
  const large = async (number: string, size: number): Promise<Outcome<"getItemImage">> => {
    const image = await longTexts.open({ image: number, bytes: Math.ceil(size / 3) * 4 + 2 });
    return image === undefined ? none(number) : ok(image);
  };
  return ({ number }) => {
    const item = find(number);
    if (item === undefined) return refuse("ImageDoesNotExist", say("items.unknown", { number: shownCode(number) }));
    const image = select.get(item.number);
    if (image === undefined) return none(item.number);
    if (image.bytes === null) return large(item.number, image.size);
    return ok(new ReadyJson(base64Json(image.bytes)));
  };
}
