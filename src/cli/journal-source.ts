import type { EntryDetail, EntryPage, OrderExplanation, Timeline } from "../app/stored-journal.ts";
import type { AdminClient } from "./admin-client.ts";
import { CommandFailure } from "./command-failure.ts";
import type { AdapterOptions } from "./find-adapter.ts";
import { fromAdapterOrFile, type TwoSources } from "./from-adapter-or-file.ts";
import type { Terminal } from "./terminal.ts";

/** Members of a filter by their names in an address. */
type Members = ReadonlyMap<string, string>;

/** Questions to a journal, whether its adapter answers them or its file. */
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
  ask: (source: JournalSource) => Promise<Answer>,
): Promise<Answer> => fromAdapterOrFile(options, terminal, journalSources(options), ask);

const journalSources = (options: SourceOptions): TwoSources<JournalSource> => ({
  remote: (client) => remoteJournal(client, options),
  stored: async (dataFolder) => {
    const { openStoredJournal } = await import("../app/stored-journal.ts");
    const stored = openStoredJournal(dataFolder);
    return stored === null ? null : { source: await fileJournal(stored, options), close: stored.close };
  },
  insteadSaid: "this is read from its journal file",
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
    timeline: (order) => client.get(`/admin/orders/${encodeURIComponent(order)}/timeline`, new Map(show)),
    explain: (order) => client.get(`/admin/orders/${encodeURIComponent(order)}/explain`, new Map()),
  };
}

async function fileJournal(
  stored: NonNullable<ReturnType<typeof import("../app/stored-journal.ts").openStoredJournal>>,
  { personal }: SourceOptions,
): Promise<JournalSource> {
  const { readEntryQuery } = await import("../app/stored-journal.ts");
  const privacy = { showPersonal: personal };
  const known = <Found>(found: Found | null, what: string): Found => {
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
    show: async (entry) => known(stored.show(/^\d+$/.test(entry) ? Number(entry) : entry, privacy), `entry ${entry}`),
    timeline: async (order) => known(stored.timeline(order, privacy), `order ${order} in this journal`),
    explain: async (order) => known(stored.explain(order), `order ${order} in these books`),
  };
}
