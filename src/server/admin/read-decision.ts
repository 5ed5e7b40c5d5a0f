import type { ActionName, Decision } from "../../engine/journal-view/entries/act-on-entry.ts";
import type { BulkDecision } from "../../engine/journal-view/entries/bulk-act.ts";
import { type EntryQuery, entryStates } from "../../engine/journal-view/entries/entry-query.ts";
import { failureKinds } from "../../engine/journal-view/entries/failure-kind.ts";
import { isOneOf } from "../../kit/narrow.ts";
import { type DateSettings, readDateTime } from "../../operation/dates.ts";

export type DecisionReading =
  | { readonly decision: Decision; readonly operator: string }
  | { readonly errors: QueryErrors };
type Members = Readonly<Record<string, unknown>>;

const maxCharacters = 1000;

/**
 * Reads who decided what and why. Refuses a decision without a name, and, except for a retry, without a reason.
 * `edited` is the text of the new body, or null if there is none or it is not JSON.
 */
export function readDecision(action: ActionName, members: Members, edited: string | null = null): DecisionReading {
  const named = readOperator(members);
  const reason = action === "retry" && members["reason"] === undefined ? "" : textIn(members, "reason");
  const isBodyMissing = action === "edit" && edited === null;
  const errors = {
    ...("errors" in named ? named.errors : {}),
    ...(reason === null ? { reason: textExpected } : {}),
    ...(isBodyMissing ? { body: ["must be the new body: a JSON object, or its text"] } : {}),
  };
  if ("errors" in named || reason === null || isBodyMissing) return { errors };
  const { operator } = named;
  if (action === "retry") return { decision: reason === "" ? { action } : { action, reason }, operator };
  if (action !== "edit") return { decision: { action, reason }, operator };
  return edited === null ? { errors } : { decision: { action, reason, body: edited }, operator };
}

export function readOperator(members: Members): { readonly operator: string } | { readonly errors: QueryErrors } {
  const operator = textIn(members, "operator");
  return operator === null ? { errors: { operator: textExpected } } : { operator };
}

/** Reads who decided and why, for actions without further members. */
export function readReason(
  body: unknown,
): { readonly operator: string; readonly reason: string } | { readonly errors: QueryErrors } {
  const members = (typeof body === "object" && body !== null ? body : {}) as Members;
  const operator = textIn(members, "operator");
  const reason = textIn(members, "reason");
  if (operator !== null && reason !== null) return { operator, reason };
  return {
    errors: {
      ...(operator === null ? { operator: textExpected } : {}),
      ...(reason === null ? { reason: textExpected } : {}),
    },
  };
}

const textExpected = [`must be a text of 1 to ${maxCharacters} characters`];

function textIn(members: Members, name: string): string | null {
  const value = members[name];
  return typeof value === "string" && value.trim() !== "" && value.length <= maxCharacters ? value.trim() : null;
}

export const isBulk = (decision: Decision): decision is BulkDecision => decision.action !== "edit";

export type QueryErrors = Readonly<Record<string, readonly string[]>>;
type QueryReading = { readonly query: EntryQuery } | { readonly errors: QueryErrors };

const textMembers = ["order", "container", "item", "operator", "sender", "target", "cause", "text", "topic"] as const;
const filterNames = [...textMembers, "state", "direction", "failure", "from", "to"] as const;

/**
 * Reads a filter from the members of an address or a body; names are in lower case. An unknown member is an error: a
 * filter with a typing error would match everything, and a bulk action would then change everything.
 */
export function readEntryQuery(
  members: ReadonlyMap<string, string>,
  { dates, others = [] }: { dates: DateSettings; others?: readonly string[] },
): QueryReading {
  const errors: Record<string, string[]> = Object.create(null);
  const query: { -readonly [Name in keyof EntryQuery]: EntryQuery[Name] } = {};
  for (const [name, value] of members) {
    if (others.includes(name)) continue;
    if (value === "") errors[name] = ["is empty"];
    else if (isTextMember(name)) query[name] = value;
    else if (name === "state") {
      const states = severalOf(entryStates, value);
      if (states === null) errors[name] = [`must be of ${entryStates.join(", ")}; several with a comma between them`];
      else query.states = states;
    } else if (name === "direction") {
      if (value === "out" || value === "in") query.direction = value;
      else errors[name] = ["must be out (to the external system) or in (from it)"];
    } else if (name === "failure") {
      const kinds = severalOf(failureKinds, value);
      if (kinds === null) errors[name] = [`must be of ${failureKinds.join(", ")}; several with a comma between them`];
      else query.failures = kinds;
    } else if (name === "from" || name === "to") {
      const at = timeOf(value, name, dates);
      if (at === null) errors[name] = ["must be a date or date-time such as 2026-03-01 or 2026-03-01T08:00:00Z"];
      else query[name] = at;
    } else errors[name] = [`is not known here; there are ${[...filterNames, ...others].join(", ")}`];
  }
  return Object.keys(errors).length > 0 ? { errors } : { query };
}

/** Splits a comma-separated list of words. Returns null if a word is unknown. */
function severalOf<Word extends string>(known: readonly Word[], text: string): readonly Word[] | null {
  const given = new Set(text.split(",").map((word) => word.trim().toLowerCase()));
  const found = known.filter((word) => given.has(word));
  return found.length === given.size ? found : null;
}

const isTextMember = (name: string): name is (typeof textMembers)[number] => isOneOf(textMembers, name);

const dayMs = 24 * 3600 * 1000;

/** A date without a time means the whole day: `from` is its start, `to` its end. */
function timeOf(text: string, name: "from" | "to", { timeZone }: DateSettings): number | null {
  const isDay = /^\s*\d{4}-\d\d-\d\d\s*$/.test(text);
  const read = readDateTime(text, { timeZone, timeOfDay: "00:00" });
  if (read === null) return null;
  return isDay && name === "to" ? Date.parse(read) + dayMs - 1 : Date.parse(read);
}

/** A filter in a body has the same members as in an address; several states may be a list. */
export function filterMembers(filter: unknown): Map<string, string> | null {
  if (typeof filter !== "object" || filter === null || Array.isArray(filter)) return null;
  return new Map(
    Object.entries(filter).map(([name, value]) => [name.toLowerCase(), isPlain(value) ? String(value) : ""]),
  );
}

/** Without this check, an object would become "[object Object]", and null the order "null". */
const isPlain = (value: unknown): boolean =>
  ["string", "number"].includes(typeof value) || (Array.isArray(value) && value.every(isPlain));
