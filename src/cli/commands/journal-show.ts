import { defineCommand } from "../command.ts";
import { describeEntry } from "../describe-entry.ts";
import { adapterOptions } from "../find-adapter.ts";
import { fromJournal } from "../journal-source.ts";

export const journalShowCommand = defineCommand({
  name: "show",
  summary: "show one entry with its attempts, its decisions, what holds it up and its body",
  arguments: [{ name: "entry", description: "its number or its id (evt_…)" }],
  options: {
    personal: { description: "show operators' addresses" },
    json: { description: "print JSON" },
    ...adapterOptions,
  },
  examples: [
    { command: "crossdock journal show 1042", does: "shows entry 1042" },
    { command: "crossdock journal show --json 1042 | jq .body", does: "gives its body to another program" },
  ],
  run: async ({ arguments: { entry }, options, terminal }) => {
    const detail = await fromJournal(options, terminal, (source) => source.show(entry));
    terminal.print(options.json ? JSON.stringify(detail, null, 2) : describeEntry(detail));
    return "ok";
  },
});
