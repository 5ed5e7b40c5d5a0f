import type { InputOf } from "../../../contract/operations.ts";
import type { Database } from "../../../kit/sqlite.ts";
import { say } from "../../../messages/message.ts";
import { type Outcome, ok, refuse } from "../../../sdk/outcome.ts";
import { ReadyJson } from "../../../sdk/ready-json.ts";
import { findItem } from "./find-item.ts";
import { shownCode } from "./shown-code.ts";

export function getItemImage(needs: {
  readonly database: Database;
}): (input: InputOf<"getItemImage">) => Outcome<"getItemImage"> {
  const find = findItem(needs.database);
  const select = needs.database.statement("SELECT bytes FROM item_image WHERE number = ?");
  return ({ number }) => {
    const item = find(number);
    if (item === undefined) return refuse("ImageDoesNotExist", say("items.unknown", { number: shownCode(number) }));
    const image = select.get<{ bytes: Uint8Array }>(item.number);
    if (image === undefined) return refuse("ImageDoesNotExist", say("items.no-image", { number: item.number }));
    const { buffer, byteOffset, byteLength } = image.bytes;
    // Base64 needs no escaping: between quotes it is JSON, without a second pass over megabytes.
    return ok(new ReadyJson(`"${Buffer.from(buffer, byteOffset, byteLength).toString("base64")}"`));
  };
}
