import type { QuarantineAccess, QuarantineDetailView, QuarantineView } from "../../app/quarantine-view.ts";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { type AdminClient, actingPerson, neededReason, personOptions } from "../admin-client.ts";
import { CommandFailure, type CommandGroup, defineCommand, type Terminal } from "../command.ts";
import { indentJson, oneLine, type ShownTime, shownTimeHere, textTable } from "../describe/terminal-text.ts";
import { type AdapterOptions, adapterOptions, fromAdapterOrFile, type TwoSources } from "../find-adapter.ts";
import { wholeNumberOption } from "../journal/journal-source.ts";

const quarantineShowCommand = defineCommand({
  name: "show",
  summary: "show one record: every problem with its source field, what to do, and the original record",
  arguments: [{ name: "id", description: "its id in the list" }],
  options: { json: { description: "print JSON" }, ...adapterOptions },
  examples: [
    { command: "crossdock quarantine show 7", does: "shows record 7" },
    { command: "crossdock quarantine show --json 7 | jq -r .raw", does: "passes the record to another program" },
  ],
  run: async ({ arguments: { id }, options, terminal }) => {
    const detail = await fromQuarantine(options, terminal, (quarantine) => quarantine.show(recordId(id)));
    if (detail === null) throw noSuchRecord(id);
    terminal.print(
      options.json ? JSON.stringify(detail, null, 2) : describedRecord(detail, await shownTimeHere(terminal)),
    );
    return "ok";
  },
});

function describedRecord(detail: QuarantineDetailView, shownTime: ShownTime): string {
  const { problems, problemCount } = detail;
  const facts = [
    ["Record", `${detail.id}  ${detail.kind} ${detail.number || "(no number)"}`],
    ["From", [detail.source, detail.origin].filter(Boolean).join(", ")],
    [
      "Seen",
      detail.count === 1
        ? `once, at ${shownTime(detail.lastSeenAt)}`
        : `${detail.count} times, from ${shownTime(detail.firstSeenAt)} to ${shownTime(detail.lastSeenAt)}`,
    ],
    ["What to do", detail.fix],
  ];
  const listed = problems.map(({ text, sourceField }) => [
    sourceField === undefined ? text : `${text}  (source field: ${sourceField})`,
  ]);
  const more = problemCount > problems.length ? [[`and ${problemCount - problems.length} more`]] : [];
  const { sourceRecord } = detail;
  const source =
    sourceRecord === null ? [] : [`Source record, as it was sent\n${indented(sourceRecord, detail.isSourceRecordCut)}`];
  return [
    ...[textTable(facts), `Problems\n${textTable([...listed, ...more])}`, ...source],
    `Record, as it was checked\n${indented(detail.raw, detail.isRawCut)}`,
  ].join("\n\n");
}

function indented(json: string, isCut: boolean): string {
  // A truncated JSON text cannot be indented.
  const text = isCut ? `${json}…` : indentJson(json, "  ");
  return text
    .split("\n")
    .map((line) => `  ${/^\s*/.exec(line)?.[0] ?? ""}${oneLine(line.trimStart())}`)
    .join("\n");
}

/** Queries the running adapter. If it is stopped, its file is read and changed directly. */
export const fromQuarantine = <Answer>(
  options: AdapterOptions,
  terminal: Terminal,
  query: (quarantine: QuarantineAccess) => Promise<Answer>,
): Promise<Answer> => fromAdapterOrFile(options, terminal, quarantineSources, query);

const quarantineSources: TwoSources<QuarantineAccess> = {
  remote: remoteQuarantine,
  stored: async (dataFolder) => {
    const { openStoredQuarantine } = await import("../../app/quarantine-view.ts");
    const stored = openStoredQuarantine(dataFolder);
    return stored === null ? null : { source: stored, close: stored.close };
  },
  fallbackText: "its quarantine file is used",
};

/** The id given on the command line; 0, which no record has, if it is not a number. */
export const recordId = (given: string): number => (/^\d{1,15}$/.test(given) ? Number(given) : 0);

export const noSuchRecord = (given: string): CommandFailure =>
  new CommandFailure(
    `there is no record ${JSON.stringify(given)} in quarantine; perhaps a valid version has arrived since`,
    {
      next: "list the records with: crossdock quarantine list",
    },
  );

function remoteQuarantine(client: AdminClient): QuarantineAccess {
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
      return (await client.post<{ dropped: Awaited<ReturnType<QuarantineAccess["drop"]>> }>(path, decision)).dropped;
    },
  };
}

const quarantineListCommand = defineCommand({
  name: "list",
  summary: "list records in quarantine, newest first",
  details: "In a pipe: one record per line, separated by tabs.",
  arguments: [],
  options: {
    source: { value: "CONNECTOR", description: "that came from this connector" },
    kind: { value: "KIND", description: "of this kind", choices: pushTopics },
    number: { value: "NUMBER", description: "with this order or item number" },
    limit: { value: "COUNT", description: "maximum number of records (50)" },
    before: { value: "ID", description: "only records before this id" },
    json: { description: "print JSON" },
    ...adapterOptions,
  },
  examples: [
    { command: "crossdock quarantine list", does: "shows all records in quarantine" },
    { command: "crossdock quarantine list --source erp --kind workOrders", does: "shows the orders of one connector" },
  ],
  run: async ({ options, terminal }) => {
    const { source, number } = options;
    const limit = wholeNumberOption(options.limit, "limit", 50);
    const before = options.before === undefined ? undefined : wholeNumberOption(options.before, "before", 0);
    // The parser has checked it against the topics.
    const kind = options.kind as PushTopic | undefined;
    const filter = { limit, ...given({ source, kind, number, before }) };
    const page = await fromQuarantine(options, terminal, (quarantine) => quarantine.list(filter));
    if (options.json) terminal.print(JSON.stringify(page, null, 2));
    else if (page.records.length > 0)
      terminal.print(described(page.records, terminal.isInteractive, await shownTimeHere(terminal)));
    if (page.records.length === 0) terminal.complain("No records are in quarantine.");
    else if (page.nextBefore !== null) {
      terminal.complain(`${page.total} in all; continue with --before ${page.nextBefore}.`);
    }
    return "ok";
  },
});

const given = <Members extends object>(members: Members) =>
  // Only undefined members are removed, as the type says.
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };

function described(records: readonly QuarantineView[], isInteractive: boolean, shownTime: ShownTime): string {
  const rows = records.map(({ id, source, kind, number, lastSeenAt, count, problems, problemCount }) => [
    ...[
      String(id),
      isInteractive ? shownTime(lastSeenAt) : lastSeenAt,
      source,
      kind,
      number || "(none)",
      String(count),
    ],
    `${problems[0]?.text ?? ""}${problemCount > 1 ? ` (and ${problemCount - 1} more)` : ""}`,
  ]);
  if (!isInteractive) return rows.map((row) => row.map(oneLine).join("\t")).join("\n");
  return textTable([["Id", "Last seen", "From", "Kind", "Number", "Times", "What is wrong"], ...rows]);
}

const quarantineDropCommand = defineCommand({
  name: "drop",
  summary: "delete one record",
  details:
    "It returns if the external system sends it again with the same error. The audit log keeps who dropped it, and why.",
  arguments: [{ name: "id", description: "its id in the list" }],
  options: {
    reason: { value: "TEXT", description: "required; kept in the audit log" },
    ...personOptions,
    json: { description: "print JSON" },
    ...adapterOptions,
  },
  examples: [{ command: 'crossdock quarantine drop 7 --reason "test order"', does: "deletes record 7" }],
  run: async ({ arguments: { id }, options, terminal }) => {
    const decision = { operator: actingPerson(options.as), reason: neededReason(options.reason, "drop") };
    const dropped = await fromQuarantine(options, terminal, (quarantine) => quarantine.drop(recordId(id), decision));
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
  summary: "see orders and items that were quarantined because of invalid data, and why",
  details:
    "A record leaves quarantine automatically when the external system sends a valid version of it. " +
    "Uses the adapter that runs on the data folder, or at --url, with the key of the folder or CROSSDOCK_API_KEY. " +
    "If none runs, the file in the data folder is read.",
  commands: [quarantineListCommand, quarantineShowCommand, quarantineDropCommand],
};
