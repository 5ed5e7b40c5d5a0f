import type { QuarantineBooks, QuarantineDetailView, QuarantineView } from "../../app/quarantine-view.ts";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { type AdminClient, actingPerson, neededReason, personOptions } from "../admin-client.ts";
import { CommandFailure, type CommandGroup, defineCommand, type Terminal } from "../command.ts";
import { indentJson, oneLine, textTable } from "../describe/text-table.ts";
import { type AdapterOptions, adapterOptions, fromAdapterOrFile, type TwoSources } from "../find-adapter.ts";
import { wholeNumberOption } from "../journal/journal-source.ts";

const quarantineShowCommand = defineCommand({
  name: "show",
  summary: "show one record: every problem with its source field, what to do, and the record as it came",
  arguments: [{ name: "id", description: "its id in the list" }],
  options: { json: { description: "print JSON" }, ...adapterOptions },
  examples: [
    { command: "crossdock quarantine show 7", does: "shows record 7" },
    { command: "crossdock quarantine show --json 7 | jq -r .raw", does: "gives the record to another program" },
  ],
  run: async ({ arguments: { id }, options, terminal }) => {
    const detail = await fromQuarantine(options, terminal, (books) => books.show(recordId(id)));
    if (detail === null) throw noSuchRecord(id);
    terminal.print(options.json ? JSON.stringify(detail, null, 2) : describedRecord(detail));
    return "ok";
  },
});

function describedRecord(detail: QuarantineDetailView): string {
  const { problems, problemCount } = detail;
  const facts = [
    ["Record", `${detail.id}  ${detail.kind} ${detail.number || "(no number)"}`],
    ["From", [detail.source, detail.origin].filter(Boolean).join(", ")],
    [
      "Seen",
      detail.count === 1
        ? `once, at ${detail.lastSeenAt}`
        : `${detail.count} times, from ${detail.firstSeenAt} to ${detail.lastSeenAt}`,
    ],
    ["What to do", detail.fix],
  ];
  const listed = problems.map(({ text, sourceField }) => [
    sourceField === undefined ? text : `${text}  (source field: ${sourceField})`,
  ]);
  const more = problemCount > problems.length ? [[`and ${problemCount - problems.length} more`]] : [];
  // Half of a JSON text cannot be indented.
  const raw = detail.isRawCut ? `${detail.raw}…` : indentJson(detail.raw, "  ");
  const lines = raw.split("\n").map((line) => `  ${/^\s*/.exec(line)?.[0] ?? ""}${oneLine(line.trimStart())}`);
  return [textTable(facts), `Problems\n${textTable([...listed, ...more])}`, `Record\n${lines.join("\n")}`].join("\n\n");
}

/** A stopped adapter is asked by its file, which is where it is mended as well. */
export const fromQuarantine = <Answer>(
  options: AdapterOptions,
  terminal: Terminal,
  query: (books: QuarantineBooks) => Promise<Answer>,
): Promise<Answer> => fromAdapterOrFile(options, terminal, quarantineSources, query);

const quarantineSources: TwoSources<QuarantineBooks> = {
  remote: remoteBooks,
  stored: async (dataFolder) => {
    const { openStoredQuarantine } = await import("../../app/quarantine-view.ts");
    const stored = openStoredQuarantine(dataFolder);
    return stored === null ? null : { source: stored, close: stored.close };
  },
  insteadSaid: "this is done in its file",
};

/** The id that a person wrote; what is none is an id that nothing has. */
export const recordId = (given: string): number => (/^\d{1,15}$/.test(given) ? Number(given) : 0);

export const noSuchRecord = (given: string): CommandFailure =>
  new CommandFailure(
    `there is no record ${JSON.stringify(given)} in quarantine; perhaps a good version came meanwhile`,
    {
      next: "look with: crossdock quarantine list",
    },
  );

function remoteBooks(client: AdminClient): QuarantineBooks {
  return {
    list: ({ limit, before, ...filter }) => {
      const members = Object.entries({ ...filter, before, limit }).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      );
      return client.get("/admin/quarantine", new Map(members));
    },
    show: (id) => client.get(`/admin/quarantine/${id}`),
    drop: async (id, decision) => {
      const path = `/admin/quarantine/${id}/drop`;
      return (await client.post<{ dropped: Awaited<ReturnType<QuarantineBooks["drop"]>> }>(path, decision)).dropped;
    },
  };
}

const quarantineListCommand = defineCommand({
  name: "list",
  summary: "list what is kept back, newest first",
  details: "In a pipe: one record per line, tabs between.",
  arguments: [],
  options: {
    source: { value: "CONNECTOR", description: "that came from this connector" },
    kind: { value: "KIND", description: "of this kind", choices: pushTopics },
    number: { value: "NUMBER", description: "with this order or item number" },
    limit: { value: "COUNT", description: "at most so many (50)" },
    before: { value: "ID", description: "only records before this id" },
    json: { description: "print JSON" },
    ...adapterOptions,
  },
  examples: [
    { command: "crossdock quarantine list", does: "shows what is kept back" },
    { command: "crossdock quarantine list --source erp --kind workOrders", does: "shows the orders of one connector" },
  ],
  run: async ({ options, terminal }) => {
    const { source, number } = options;
    const limit = wholeNumberOption(options.limit, "limit", 50);
    const before = options.before === undefined ? undefined : wholeNumberOption(options.before, "before", 0);
    // The parser has checked it against the topics.
    const kind = options.kind as PushTopic | undefined;
    const filter = { limit, ...given({ source, kind, number, before }) };
    const page = await fromQuarantine(options, terminal, (books) => books.list(filter));
    if (options.json) terminal.print(JSON.stringify(page, null, 2));
    else if (page.records.length > 0) terminal.print(described(page.records, terminal.isInteractive));
    if (page.records.length === 0) terminal.complain("Nothing is kept back.");
    else if (page.nextBefore !== null) {
      terminal.complain(`${page.total} in all; go on with --before ${page.nextBefore}.`);
    }
    return "ok";
  },
});

const given = <Members extends object>(members: Members) =>
  // Only members that are undefined are left out, which is what the type says.
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };

function described(records: readonly QuarantineView[], isInteractive: boolean): string {
  const rows = records.map(({ id, source, kind, number, lastSeenAt, count, problems, problemCount }) => [
    ...[String(id), lastSeenAt, source, kind, number || "(none)", String(count)],
    `${problems[0]?.text ?? ""}${problemCount > 1 ? ` (and ${problemCount - 1} more)` : ""}`,
  ]);
  if (!isInteractive) return rows.map((row) => row.map(oneLine).join("\t")).join("\n");
  return textTable([["Id", "Last seen", "From", "Kind", "Number", "Times", "What is wrong"], ...rows]);
}

const quarantineDropCommand = defineCommand({
  name: "drop",
  summary: "forget one record",
  details:
    "It comes back if the external system gives it again with the same mistake. Who dropped it, and why, is kept.",
  arguments: [{ name: "id", description: "its id in the list" }],
  options: {
    reason: { value: "TEXT", description: "why, for the audit; needed" },
    ...personOptions,
    json: { description: "print JSON" },
    ...adapterOptions,
  },
  examples: [{ command: 'crossdock quarantine drop 7 --reason "test order"', does: "forgets record 7" }],
  run: async ({ arguments: { id }, options, terminal }) => {
    const decision = { operator: actingPerson(options.as), reason: neededReason(options.reason, "drop") };
    const dropped = await fromQuarantine(options, terminal, (books) => books.drop(recordId(id), decision));
    if (dropped === null) throw noSuchRecord(id);
    const { kind, number } = dropped;
    terminal.print(
      options.json ? JSON.stringify({ dropped }, null, 2) : `Dropped: ${kind} ${number || "(no number)"}.`,
    );
    return "ok";
  },
});

export const quarantineCommands: CommandGroup = {
  name: "quarantine",
  summary: "see the orders and items that were kept back because of wrong data, and why",
  details:
    "A record leaves quarantine by itself when the external system gives a good version of it. " +
    "Speaks to the adapter that runs on the data folder, or at --url, with the key of the folder or CROSSDOCK_API_KEY. " +
    "Where none runs, the file in the data folder is read.",
  commands: [quarantineListCommand, quarantineShowCommand, quarantineDropCommand],
};
