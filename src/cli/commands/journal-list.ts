import type { EntryView } from "../../app/stored-journal.ts";
import { systemClock } from "../../kit/clock.ts";
import { defineCommand } from "../command.ts";
import { describeEntries } from "../describe-entry.ts";
import { adapterOptions } from "../find-adapter.ts";
import { filterMembers, filterOptions, wholeNumberOption } from "../journal-filter.ts";
import { fromJournal } from "../journal-source.ts";

const pageSize = 500;
/** A search with rare hits in a long journal goes on in pieces; after so many it asks whether it is worth it. */
const maxPages = 20;

export const journalListCommand = defineCommand({
  name: "list",
  summary: "list entries, newest first",
  details: "Operators' addresses are masked unless --personal is given. In a pipe: one entry per line, tabs between.",
  arguments: [],
  options: {
    ...filterOptions,
    limit: { value: "COUNT", description: "at most so many (50)" },
    before: { value: "ENTRY", description: "only entries before this number" },
    personal: { description: "show operators' addresses" },
    json: { description: "print JSON" },
    ...adapterOptions,
  },
  examples: [
    { command: "crossdock journal list --state dead", does: "shows what waits for a decision" },
    { command: "crossdock journal list --order 4711", does: "shows everything about an order" },
    {
      command: "crossdock journal list --operator jo@example.com --from 2h",
      does: "shows an operator's last two hours",
    },
  ],
  run: async ({ options, terminal }) => {
    const filter = filterMembers(options, systemClock.now());
    const limit = wholeNumberOption(options.limit, "limit", 50);
    let before = options.before === undefined ? null : wholeNumberOption(options.before, "before", 1);
    const entries: EntryView[] = [];
    await fromJournal(options, terminal, async (source) => {
      for (let page = 0; page < maxPages && entries.length < limit; page++) {
        const size = Math.min(pageSize, limit - entries.length);
        const found = await source.list(filter, { limit: size, ...(before === null ? {} : { before }) });
        entries.push(...found.entries);
        before = found.nextBefore;
        if (before === null) return;
      }
    });
    if (options.json) terminal.print(JSON.stringify({ entries, nextBefore: before }, null, 2));
    else if (entries.length > 0) terminal.print(describeEntries(entries, terminal));
    if (before !== null) terminal.complain(`There may be more; go on with --before ${before}.`);
    else if (entries.length === 0) terminal.complain("No entries.");
    return "ok";
  },
});
