import type { QuarantineView } from "../../app/quarantine-view.ts";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { defineCommand } from "../command.ts";
import { adapterOptions } from "../find-adapter.ts";
import { wholeNumberOption } from "../journal-filter.ts";
import { fromQuarantine } from "../quarantine-books.ts";
import { oneLine, textTable } from "../text-table.ts";

export const quarantineListCommand = defineCommand({
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
