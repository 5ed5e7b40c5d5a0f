import type { EntryDetail, EntryPage, OrderExplanation, Timeline } from "../../app/stored-journal.ts";
import { pathSegment } from "../../contract/admin/path-segment.ts";
import type { AdminClient } from "../admin-client.ts";
import { CommandFailure, type Terminal } from "../command.ts";
import { type AdapterOptions, fromAdapterOrFile, type TwoSources } from "../find-adapter.ts";

/** Filter members, named as in the query string. */
type Members = ReadonlyMap<string, string>;

/** Queries a journal, through its adapter or in its file. */
export interface JournalSource {
  readonly list: (filter: Members, page: { limit: number; before?: number }) => Promise<EntryPage>;
  readonly show: (entry: string) => Promise<EntryDetail>;
  readonly timeline: (order: string) => Promise<Timeline>;
  readonly explain: (order: string) => Promise<OrderExplanation>;
}

interface SourceOptions extends AdapterOptions {
  readonly personal: boolean;
}

export const fromJournal = <Answer>(
  options: SourceOptions,
  terminal: Terminal,
  request: (source: JournalSource) => Promise<Answer>,
): Promise<Answer> => fromAdapterOrFile(options, terminal, journalSources(options), request);

const journalSources = (options: SourceOptions): TwoSources<JournalSource> => ({
  remote: (client) => remoteJournal(client, options),
  stored: async (dataFolder) => {
    const { openStoredJournal } = await import("../../app/stored-journal.ts");
    const stored = openStoredJournal(dataFolder);
    return stored === null ? null : { source: await fileJournal(stored, options), close: stored.close };
  },
  fallbackText: "its journal file is read",
});

function remoteJournal(client: AdminClient, { personal }: SourceOptions): JournalSource {
  const show: [string, string][] = personal ? [["show", "personal"]] : [];
  return {
    list: (filter, { limit, before }) => {
      const page: [string, string][] = [["limit", String(limit)]];
      if (before !== undefined) page.push(["before", String(before)]);
      return client.get("/admin/journal", new Map([...filter, ...page, ...show]));
    },
    show: (entry) => client.get(`/admin/journal/${encodeURIComponent(entry)}`, new Map(show)),
    timeline: (order) => client.get(`/admin/orders/${pathSegment(order)}/timeline`, new Map(show)),
    explain: (order) => client.get(`/admin/orders/${pathSegment(order)}/explain`, new Map()),
  };
}

async function fileJournal(
  stored: NonNullable<ReturnType<typeof import("../../app/stored-journal.ts").openStoredJournal>>,
  { personal }: SourceOptions,
): Promise<JournalSource> {
  const { readEntryQuery } = await import("../../app/stored-journal.ts");
  const privacy = { showPersonal: personal };
  const known = <Batch>(found: Batch | null, what: string): Batch => {
    if (found === null) {
      throw new CommandFailure(`there is no ${what}`, { next: "look for it with: crossdock journal list" });
    }
    return found;
  };
  return {
    list: async (filter, page) => {
      const reading = readEntryQuery(filter, { dates: { timeZone: "UTC", timeOfDay: "00:00" } });
      if ("query" in reading) return stored.find(reading.query, { ...page, ...privacy });
      const named = Object.entries(reading.errors).map(([field, texts]) => `${field} ${texts.join(", ")}`);
      throw new CommandFailure(named.join("; "), { next: "correct it and run the command again" });
    },
    show: async (entry) =>
      known(await stored.show(/^\d+$/.test(entry) ? Number(entry) : entry, privacy), `entry ${entry}`),
    timeline: async (order) => known(await stored.timeline(order, privacy), `order ${order} in this journal`),
    explain: async (order) => known(await stored.explain(order), `order ${order} in this store`),
  };
}

/** Options that select entries; the names are those of the admin routes. */
export const filterOptions = {
  order: { value: "NUMBER", description: "of this work order" },
  container: { value: "CODE", description: "that name this container" },
  item: { value: "NUMBER", description: "about this item" },
  operator: { value: "EMAIL", description: "confirmed by this operator" },
  sender: { value: "NAME", description: "pushed by this sender, or found by this connector" },
  text: { value: "TEXT", description: "with this text anywhere in the body" },
  topic: { value: "TOPIC", description: "of this kind, such as confirmStep" },
  state: { value: "STATES", description: "in one of these states, such as dead,retry" },
  target: { value: "NAME", description: "for this connector" },
  failure: {
    value: "KINDS",
    description: "not delivered, for one of these reasons: refused,unreachable,behind,waiting",
  },
  cause: {
    value: "CAUSE",
    description: "not delivered, with this cause; the console and GET /admin/deliveries name it",
  },
  direction: { value: "WAY", description: "to the external system, or from it", choices: ["out", "in"] },
  from: { value: "TIME", description: "received since: 2026-03-01, 2026-03-01T08:00Z, or 2h, 30m, 7d ago" },
  to: { value: "TIME", description: "received until then" },
} as const;

type FilterValues = { readonly [Name in keyof typeof filterOptions]: string | undefined };

export function filterMembers(options: FilterValues, nowMs: number): Map<string, string> {
  const members = new Map<string, string>();
  // Object.keys loses the type of the keys.
  for (const name of Object.keys(filterOptions) as (keyof FilterValues)[]) {
    const value = options[name];
    if (value === undefined) continue;
    members.set(name, name === "from" || name === "to" ? momentOf(value, nowMs) : value);
  }
  return members;
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Turns "2h ago" style values into a time; any other text is left for the adapter to read. */
function momentOf(text: string, nowMs: number): string {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text.trim()) ?? [];
  return count === undefined ? text : new Date(nowMs - Number(count) * (unitMs[unit ?? ""] ?? 0)).toISOString();
}

export function wholeNumberOption(text: string | undefined, name: string, fallback: number): number {
  if (text === undefined) return fallback;
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new CommandFailure(`--${name} ${text} is not a number above 0`, {
    next: `write it like --${name} ${fallback}`,
  });
}
