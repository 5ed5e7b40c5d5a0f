import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { EntryDetail, EntryView } from "../../app/stored-journal.ts";
import { actingPerson, neededReason, personOptions } from "../acting-person.ts";
import { defineCommand } from "../command.ts";
import { CommandFailure } from "../command-failure.ts";
import { editText } from "../edit-text.ts";
import { adapterOptions } from "../find-adapter.ts";
import { indentJson } from "../indent-json.ts";
import { withAdapter } from "../with-adapter.ts";

export const journalEditCommand = defineCommand({
  name: "edit",
  summary: "mend the body of an undelivered entry and let it be delivered",
  details:
    "Opens the body in $EDITOR, or takes it from a file. It must stay valid and about the same order and containers. " +
    "The body as it was stays in the audit.",
  arguments: [{ name: "entry", description: "its number or its id (evt_…)" }],
  options: {
    reason: { value: "TEXT", description: "why, for the audit; needed" },
    body: { value: "FILE", description: "the new body, instead of an editor" },
    ...personOptions,
    ...adapterOptions,
  },
  examples: [
    { command: 'crossdock journal edit 1042 --reason "item was renamed"', does: "opens the body in your editor" },
    { command: 'crossdock journal edit 1042 --reason "…" --body new.json', does: "takes the body from a file" },
  ],
  run: async ({ arguments: { entry }, options, terminal }) => {
    const reason = neededReason(options.reason, "edit");
    const operator = actingPerson(options.as);
    const path = `/admin/journal/${encodeURIComponent(entry)}`;
    return withAdapter(options, terminal, async (client) => {
      // Unmasked: what is masked here would be masked in the new body too.
      const { body: old, seq } = await client.get<EntryDetail>(path, new Map([["show", "personal"]]));
      const given =
        options.body === undefined
          ? await editText(`${indentJson(old, "  ")}\n`, terminal.env)
          : await bodyFile(resolve(terminal.cwd, options.body));
      const body = indentJson(given, "");
      if (body === indentJson(old, "")) {
        terminal.complain("The body is as it was; nothing was done.");
        return "failed";
      }
      const { entry: edited } = await client.post<{ entry: EntryView }>(`${path}/edit`, { operator, reason, body });
      terminal.print(`Entry ${seq} was changed and is ${edited.state}.`);
      return "ok";
    });
  },
});

const bodyFile = (file: string): Promise<string> =>
  readFile(file, "utf8").catch(() => {
    throw new CommandFailure(`${file} cannot be read`, { next: "check the path and whether you may read the file" });
  });
