import type { QuarantineDetailView } from "../../app/quarantine-view.ts";
import { defineCommand } from "../command.ts";
import { adapterOptions } from "../find-adapter.ts";
import { indentJson } from "../indent-json.ts";
import { fromQuarantine, noSuchRecord, recordId } from "../quarantine-books.ts";
import { oneLine, textTable } from "../text-table.ts";

export const quarantineShowCommand = defineCommand({
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
    terminal.print(options.json ? JSON.stringify(detail, null, 2) : described(detail));
    return "ok";
  },
});

function described(detail: QuarantineDetailView): string {
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
