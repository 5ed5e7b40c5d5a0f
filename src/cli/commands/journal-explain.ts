import { defineCommand } from "../command.ts";
import { adapterOptions } from "../find-adapter.ts";
import { fromJournal } from "../journal-source.ts";

export const journalExplainCommand = defineCommand({
  name: "explain",
  summary: "show how the amounts of a work order were decided, line by line",
  details:
    "What the ERP wants, what the platform shows, what is picked, and what follows from it for the order and its follow-up " +
    "orders: how much each is to have, what is too much, what was cut short. Amounts of platform and picks are in the base unit.",
  arguments: [{ name: "order", description: "the work order's number" }],
  options: { json: { description: "print JSON" }, ...adapterOptions },
  examples: [
    { command: "crossdock journal explain 4711", does: "shows why order 4711 was lowered, or got a follow-up" },
  ],
  run: async ({ arguments: { order }, options, terminal }) => {
    const found = await fromJournal({ ...options, personal: false }, terminal, (source) => source.explain(order));
    const { explanationText } = await import("../../app/stored-journal.ts");
    terminal.print(options.json ? JSON.stringify(found, null, 2) : explanationText(found));
    return "ok";
  },
});
