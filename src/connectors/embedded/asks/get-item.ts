import type { InputOf } from "../../../contract/operations.ts";
import type { Item } from "../../../contract/schemas/item.ts";
import type { Database } from "../../../kit/sqlite.ts";
import { say } from "../../../messages/message.ts";
import { type Outcome, ok, refuse } from "../../../sdk/outcome.ts";
import { ReadyJson } from "../../../sdk/ready-json.ts";
import type { ReadyAnswers } from "../ready-answers.ts";
import { findItem } from "./find-item.ts";
import { shownCode } from "./shown-code.ts";

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
    // Checked by the engine then, like an item of any other system.
    if (!isSound()) return ok(JSON.parse(item.json) as Item);
    const answer = ok(new ReadyJson(item.json));
    answers.keep(number, answer, item.json.length);
    return answer;
  };
}
