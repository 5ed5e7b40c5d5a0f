import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { EntryDetail, EntryView } from "../../../app/stored-journal.ts";
import { actingPerson, neededReason, personOptions } from "../../admin-client.ts";
import { CommandFailure, defineCommand } from "../../command.ts";
import { indentJson } from "../../describe/text-table.ts";
import { adapterOptions, withAdapter } from "../../find-adapter.ts";

/** Lets a person change a text in their editor, in a file that nobody else can read and that is gone afterwards. */
async function editText(text: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const editor = env["VISUAL"] || env["EDITOR"];
  if (!editor) {
    throw new CommandFailure("no editor is set", { next: "set EDITOR, or give the new body with --body FILE" });
  }
  const folder = mkdtempSync(join(tmpdir(), "crossdock-edit-"));
  const file = join(folder, "body.json");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // Through the shell: the variable is a command line by custom, such as `code --wait`.
    const child = spawn(`${editor} "${file}"`, { shell: true, stdio: "inherit", env });
    // `close` comes with the exit code first, null after a signal; `once` types every event as any.
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) {
      throw new CommandFailure(`the editor ended with ${code}; nothing was changed`, { next: "check EDITOR" });
    }
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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
