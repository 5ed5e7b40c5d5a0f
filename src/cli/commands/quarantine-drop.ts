import { actingPerson, neededReason, personOptions } from "../acting-person.ts";
import { defineCommand } from "../command.ts";
import { adapterOptions } from "../find-adapter.ts";
import { fromQuarantine, noSuchRecord, recordId } from "../quarantine-books.ts";

export const quarantineDropCommand = defineCommand({
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
