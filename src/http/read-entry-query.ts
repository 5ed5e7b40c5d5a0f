import { type EntryQuery, entryStates } from "../engine/overview/entry-query.ts";
import { type DateSettings, readDateTime } from "../sdk/dates.ts";

export type QueryErrors = Readonly<Record<string, readonly string[]>>;
export type QueryReading = { readonly query: EntryQuery } | { readonly errors: QueryErrors };

const textMembers = ["order", "container", "item", "operator", "sender", "text", "topic"] as const;
const filterNames = [...textMembers, "state", "direction", "from", "to"] as const;

/**
 * A filter by its members, as they stand in an address or a body; names in lower case. An unknown member is an error:
 * a filter with a slip of the pen would match everything, and a bulk action would then do everything.
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
      const states = value.split(",").map((state) => state.trim().toLowerCase());
      const known = entryStates.filter((state) => states.includes(state));
      if (known.length === new Set(states).size) query.states = known;
      else errors[name] = [`must be of ${entryStates.join(", ")}; several with a comma between them`];
    } else if (name === "direction") {
      if (value === "out" || value === "in") query.direction = value;
      else errors[name] = ["must be out (to the external system) or in (from it)"];
    } else if (name === "from" || name === "to") {
      const at = timeOf(value, name, dates);
      if (at === null) errors[name] = ["must be a date or date-time such as 2026-03-01 or 2026-03-01T08:00:00Z"];
      else query[name] = at;
    } else errors[name] = [`is not known here; there are ${[...filterNames, ...others].join(", ")}`];
  }
  return Object.keys(errors).length > 0 ? { errors } : { query };
}

const isTextMember = (name: string): name is (typeof textMembers)[number] =>
  (textMembers as readonly string[]).includes(name);

const dayMs = 24 * 3600 * 1000;

/** A date alone means the whole day: from its first moment, or to its last. */
function timeOf(text: string, name: "from" | "to", { timeZone }: DateSettings): number | null {
  const isDay = /^\s*\d{4}-\d\d-\d\d\s*$/.test(text);
  const read = readDateTime(text, { timeZone, timeOfDay: "00:00" });
  if (read === null) return null;
  return isDay && name === "to" ? Date.parse(read) + dayMs - 1 : Date.parse(read);
}

/** A filter in a body has the members it has in an address; several states may be a list. */
export function filterMembers(filter: unknown): Map<string, string> | null {
  if (typeof filter !== "object" || filter === null || Array.isArray(filter)) return null;
  return new Map(
    Object.entries(filter).map(([name, value]) => [name.toLowerCase(), isPlain(value) ? String(value) : ""]),
  );
}

/** An object here would become "[object Object]", and null the order "null". */
const isPlain = (value: unknown): boolean =>
  ["string", "number"].includes(typeof value) || (Array.isArray(value) && value.every(isPlain));
