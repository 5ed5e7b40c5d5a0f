import type { Problem } from "../contract/validator.ts";
import { type Message, say } from "../messages/message.ts";

/** The words for one problem of an input, in no language yet. */
export function problemText({ field, expected, detail = "", found = "" }: Problem): Message {
  return say(`input.${expected}`, { field, detail, found });
}
