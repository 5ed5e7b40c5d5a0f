import type { Problem } from "../contract/validator.ts";
import type { MessageKey } from "../messages/catalogue.ts";
import { type Message, say } from "../messages/message.ts";

/** Details of the catch-all expectation that have words of their own. */
const ownWords: Readonly<Record<string, MessageKey>> = {
  format: "input.date",
  image: "input.image",
  "duplicate-member": "input.duplicate-member",
};

/** The words for one problem of an input, in no language yet. */
export function problemText({ field, expected, detail = "", found = "" }: Problem): Message {
  const special = expected === "valid" && Object.hasOwn(ownWords, detail) ? ownWords[detail] : undefined;
  return say(special ?? `input.${expected}`, { field, detail, found });
}
