import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { EntryView } from "../../../app/stored-journal.ts";
import { systemClock } from "../../../kit/time/clock.ts";
import { CommandFailure, type CommandGroup, defineCommand, type ExitName } from "../../command.ts";
import { shownTimeHere, timeZoneHere } from "../../describe/terminal-text.ts";
import { adapterOptions, withAdapter } from "../../find-adapter.ts";
import { describeEntries, describeEntry } from "../../journal/describe-entry.ts";
import { filterMembers, filterOptions, fromJournal, wholeNumberOption } from "../../journal/journal-source.ts";
import { journalRecoverCommand } from "./journal-recover.ts";
import { journalEditCommand, journalReplayCommand, journalRetryCommand, journalSkipCommand } from "./journal-repair.ts";

const journalExportCommand = defineCommand({
  name: "export",
  summary: "export entries with body, attempts and decisions, one JSON object per line",
  details: "Or as CSV for a spreadsheet. Operators' e-mail addresses are masked unless --personal is given.",
  arguments: [],
  options: {
    ...filterOptions,
    format: { value: "FORMAT", description: "ndjson or csv (ndjson)", choices: ["ndjson", "csv"] },
    out: { value: "FILE", description: "file to write (else standard output)" },
    personal: { description: "show operators' addresses, and bodies as they were sent" },
    ...adapterOptions,
  },
  examples: [
    { command: "crossdock journal export --from 7d --out week.ndjson", does: "writes the last seven days" },
    { command: "crossdock journal export --order 4711 --format csv > 4711.csv", does: "writes a table of an order" },
  ],
  run: async ({ options, terminal }) => {
    const members = filterMembers(options, systemClock.now());
    members.set("format", options.format ?? "ndjson");
    if (options.personal) members.set("show", "personal");
    const { out } = options;
    return withAdapter<ExitName>(options, terminal, async (client) => {
      const stream = await client.stream("/admin/journal/export", members);
      if (out !== undefined) {
        // Bodies are business data, so only this user may read the file, as with the data folder.
        await pipeline(Readable.fromWeb(stream), createWriteStream(resolve(terminal.cwd, out), { mode: 0o600 }));
        return "ok";
      }
      let rest = "";
      for await (const text of stream.pipeThrough(new TextDecoderStream())) {
        const end = (rest + text).lastIndexOf("\n");
        if (end >= 0) terminal.print((rest + text).slice(0, end));
        rest = (rest + text).slice(end + 1);
      }
      if (rest !== "") terminal.print(rest);
      return "ok";
    });
  },
});

const pageSize = 500;
/**
 * A search with rare hits in a long journal runs page by page; after this many pages the user decides whether to go on.
 */
const maxPages = 20;

const journalListCommand = defineCommand({
  name: "list",
  summary: "list entries, newest first",
  details:
    "Operators' e-mail addresses are masked unless --personal is given. In a pipe: one entry per line, separated by tabs.",
  arguments: [],
  options: {
    ...filterOptions,
    limit: { value: "COUNT", description: "maximum number of entries (50)" },
    before: { value: "ENTRY", description: "only entries before this number" },
    personal: { description: "show operators' addresses" },
    json: { description: "print JSON" },
    ...adapterOptions,
  },
  examples: [
    { command: "crossdock journal list --state dead", does: "shows entries that need operator action" },
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
    else if (entries.length > 0) {
      const { isInteractive } = terminal;
      terminal.print(describeEntries(entries, { isInteractive, shownTime: await shownTimeHere(terminal) }));
    }
    if (before !== null) terminal.complain(`There may be more; continue with --before ${before}.`);
    else if (entries.length === 0) terminal.complain("No entries.");
    return "ok";
  },
});

const journalTimelineCommand = defineCommand({
  name: "timeline",
  summary: "show the history of a work order in one list",
  details:
    "Every call of the platform with its answer, every push, every delivery attempt, changes that were requested, " +
    "offered and seen, decisions of operators, and what blocks what. Times are in `timeZone` of the configuration.",
  arguments: [{ name: "order", description: "the work order's number" }],
  options: {
    personal: { description: "show operators' addresses" },
    json: { description: "print JSON" },
    ...adapterOptions,
  },
  examples: [{ command: "crossdock journal timeline 4711", does: "shows what happened to order 4711" }],
  run: async ({ arguments: { order }, options, terminal }) => {
    const timeline = await fromJournal(options, terminal, (source) => source.timeline(order));
    const { timelineText } = await import("../../../app/stored-journal.ts");
    terminal.print(
      options.json ? JSON.stringify(timeline, null, 2) : timelineText(timeline, await timeZoneHere(terminal)),
    );
    return "ok";
  },
});

const journalShowCommand = defineCommand({
  name: "show",
  summary: "show one entry with its attempts, decisions, body and what blocks it",
  arguments: [{ name: "entry", description: "its number or its id (evt_…)" }],
  options: {
    personal: { description: "show operators' addresses, and the body as it was sent" },
    json: { description: "print JSON" },
    ...adapterOptions,
  },
  examples: [
    { command: "crossdock journal show 1042", does: "shows entry 1042" },
    { command: "crossdock journal show --json 1042 | jq .body", does: "passes its body to another program" },
  ],
  run: async ({ arguments: { entry }, options, terminal }) => {
    const detail = await fromJournal(options, terminal, (source) => source.show(entry));
    terminal.print(
      options.json ? JSON.stringify(detail, null, 2) : describeEntry(detail, await shownTimeHere(terminal)),
    );
    return "ok";
  },
});

const journalExplainCommand = defineCommand({
  name: "explain",
  summary: "show how the amounts of a work order were calculated, line by line",
  details:
    "What the ERP wants, what the platform shows, what is picked, and the result for the order and its follow-up " +
    "orders: the amount of each, what is too much, what was cut short. Amounts of platform and picks are in the base unit.",
  arguments: [{ name: "order", description: "the work order's number" }],
  options: { json: { description: "print JSON" }, ...adapterOptions },
  examples: [
    { command: "crossdock journal explain 4711", does: "shows why order 4711 was lowered, or got a follow-up" },
  ],
  run: async ({ arguments: { order }, options, terminal }) => {
    const found = await fromJournal({ ...options, personal: false }, terminal, (source) => source.explain(order));
    const { explanationText } = await import("../../../app/stored-journal.ts");
    terminal.print(options.json ? JSON.stringify(found, null, 2) : explanationText(found));
    return "ok";
  },
});

/** Refused: a copy of the journal alone would not match the other files of the data folder after a restore. */
const journalBackupCommand = defineCommand({
  name: "backup",
  summary: "is now: crossdock backup FOLDER",
  arguments: [{ name: "file", description: "", isOptional: true }],
  options: {},
  examples: [{ command: "crossdock backup FOLDER", does: "copies everything in the data folder" }],
  run: async () => {
    throw new CommandFailure("the journal alone is not a backup", {
      next: "crossdock backup FOLDER copies everything",
    });
  },
});

export const journalCommands: CommandGroup = {
  name: "journal",
  summary: "see what was received and delivered, and act on failed deliveries",
  details:
    "Uses the adapter that runs on the data folder, or at --url, with the key of the folder or CROSSDOCK_API_KEY. " +
    "If none runs, list, show, timeline and explain read the journal file itself.",
  commands: [
    journalListCommand,
    journalShowCommand,
    journalTimelineCommand,
    journalExplainCommand,
    journalRetryCommand,
    journalEditCommand,
    journalSkipCommand,
    journalReplayCommand,
    journalExportCommand,
    journalBackupCommand,
    journalRecoverCommand,
  ],
};
