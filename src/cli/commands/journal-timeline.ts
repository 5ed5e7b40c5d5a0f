import { defineCommand } from "../command.ts";
import { adapterOptions } from "../find-adapter.ts";
import { fromJournal } from "../journal-source.ts";

export const journalTimelineCommand = defineCommand({
  name: "timeline",
  summary: "tell the history of a work order in one list",
  details:
    "Every call of the platform with its answer, every push, every attempt to deliver, changes that were wanted, " +
    "offered and seen, decisions of people, and what is held up by what. Times are those of this machine.",
  arguments: [{ name: "order", description: "the work order's number" }],
  options: {
    personal: { description: "show operators' addresses" },
    json: { description: "print JSON" },
    ...adapterOptions,
  },
  examples: [{ command: "crossdock journal timeline 4711", does: "shows what happened to order 4711" }],
  run: async ({ arguments: { order }, options, terminal }) => {
    const timeline = await fromJournal(options, terminal, (source) => source.timeline(order));
    const { timelineText } = await import("../../app/stored-journal.ts");
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    terminal.print(options.json ? JSON.stringify(timeline, null, 2) : timelineText(timeline, timeZone));
    return "ok";
  },
});
