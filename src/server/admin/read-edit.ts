import { limits } from "../../contract/limits.ts";
import { mayHoldLongNumbers, parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { defaultLanguage } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import { problemText } from "../../operation/fault.ts";
import { type JsonReading, readJson } from "../contract/parse-json-body.ts";
import type { QueryErrors } from "./read-decision.ts";

/** The members of a request body, or what is wrong with it. */
export type MemberReading = { readonly members: Readonly<Record<string, unknown>> } | { readonly errors: QueryErrors };

/**
 * Reads a request whose members are short texts and small numbers. A longer number would lose digits, so it is refused:
 * keeping the digits of thousands of them takes long, and no such request needs one.
 */
export function readMembers(bytes: Uint8Array | undefined): MemberReading {
  const json = readJson(bytes);
  if ("value" in json && mayHoldLongNumbers(json.text)) return { errors: { $: [longNumber] } };
  return membersOf(json);
}

const longNumber = "must hold no number that loses digits; write it as a text, in quotes";

function membersOf(json: JsonReading): MemberReading {
  if ("problem" in json && json.problem.expected !== "json") {
    const { field } = json.problem;
    return { errors: { [field === "" ? "$" : field]: [localise(problemText(json.problem), defaultLanguage)] } };
  }
  if ("problem" in json || typeof json.value !== "object" || json.value === null || Array.isArray(json.value)) {
    return { errors: { $: ["must be a JSON object"] } };
  }
  // The check above has left only objects that are not lists; their members may be anything.
  return { members: json.value as Readonly<Record<string, unknown>> };
}

/**
 * A request that brings a new body: its short texts, and the body. `body` is undefined if absent, null if it is not
 * JSON.
 */
export type EditReading =
  | { readonly members: Readonly<Record<string, string>>; readonly body: string | null | undefined }
  | { readonly errors: QueryErrors };

/** May read the bytes in another thread. */
export type ReadEdit = (bytes: Uint8Array | undefined) => Promise<EditReading>;

/** The largest body that an edit may bring: an item with its image, as a string inside JSON. */
export const editLimitBytes = 32 * 2 ** 20;

/**
 * A new body sent as a string is stored unchanged, so that long numbers keep their digits. An object is accepted for
 * convenience.
 */
export function readEdit(bytes: Uint8Array | undefined): EditReading {
  const reading = membersOf(readJson(bytes, undefined, parseJsonKeepingDigits));
  if ("errors" in reading) return reading;
  const { body, ...others } = reading.members;
  const members: Record<string, string> = {};
  for (const [name, value] of Object.entries(others)) {
    if (typeof value === "string" && value.length <= limits.textLength) members[name] = value;
  }
  if (body === undefined) return { members, body };
  const json = readJson(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));
  return { members, body: "value" in json ? json.text : null };
}
