import { CommandFailure } from "./command-failure.ts";

/** Options by which entries are chosen; the names are those of the admin routes. */
export const filterOptions = {
  order: { value: "NUMBER", description: "of this work order" },
  container: { value: "CODE", description: "that name this container" },
  item: { value: "NUMBER", description: "that name this item" },
  operator: { value: "EMAIL", description: "confirmed by this operator" },
  sender: { value: "NAME", description: "pushed by this sender, or found by this connector" },
  text: { value: "TEXT", description: "with this text anywhere in the body" },
  topic: { value: "TOPIC", description: "of this kind, such as confirmStep" },
  state: { value: "STATES", description: "in one of these states, such as dead,retry" },
  direction: { value: "WAY", description: "to the external system, or from it", choices: ["out", "in"] },
  from: { value: "TIME", description: "received since: 2026-03-01, 2026-03-01T08:00Z, or 2h, 30m, 7d ago" },
  to: { value: "TIME", description: "received until then" },
} as const;

type FilterValues = { readonly [Name in keyof typeof filterOptions]: string | undefined };

export function filterMembers(options: FilterValues, nowMs: number): Map<string, string> {
  const members = new Map<string, string>();
  // Object.keys forgets which keys its object has.
  for (const name of Object.keys(filterOptions) as (keyof FilterValues)[]) {
    const value = options[name];
    if (value === undefined) continue;
    members.set(name, name === "from" || name === "to" ? momentOf(value, nowMs) : value);
  }
  return members;
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** How long ago, as a time; anything else is left for the adapter to read. */
function momentOf(text: string, nowMs: number): string {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text.trim()) ?? [];
  return count === undefined ? text : new Date(nowMs - Number(count) * (unitMs[unit ?? ""] ?? 0)).toISOString();
}

export function wholeNumberOption(text: string | undefined, name: string, fallback: number): number {
  if (text === undefined) return fallback;
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new CommandFailure(`--${name} ${text} is no number above 0`, { next: `write it like --${name} ${fallback}` });
}
