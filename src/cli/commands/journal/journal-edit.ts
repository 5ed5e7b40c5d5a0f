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

/** Opens a text in the user's editor, in a temporary file that only this user can read. */
async function editText(text: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const editor = env["VISUAL"] || env["EDITOR"];
  if (!editor) {
    throw new CommandFailure("no editor is set", { next: "set EDITOR, or pass the new body with --body FILE" });
  }
  const folder = mkdtempSync(join(tmpdir(), "crossdock-edit-"));
  const file = join(folder, "body.json");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // Through the shell: by convention EDITOR is a command line, such as `code --wait`.
    const child = spawn(`${editor} "${file}"`, { shell: true, stdio: "inherit", env });
    // The first argument of `close` is the exit code, null after a signal; `once` types it as any.
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
  summary: "correct the body of an undelivered entry and deliver it",
  details:
    "Opens the body in $EDITOR, or reads it from a file. It must stay valid and keep its order and containers. " +
    "The old body is kept in the audit log.",
  arguments: [{ name: "entry", description: "its number or its id (evt_…)" }],
  options: {
    reason: { value: "TEXT", description: "required; kept in the audit log" },
    body: { value: "FILE", description: "the new body, instead of an editor" },
    ...personOptions,
    ...adapterOptions,
  },
  examples: [
    { command: 'crossdock journal edit 1042 --reason "item was renamed"', does: "opens the body in your editor" },
    { command: 'crossdock journal edit 1042 --reason "…" --body new.json', does: "reads the body from a file" },
  ],
  run: async ({ arguments: { entry }, options, terminal }) => {
    const reason = neededReason(options.reason, "edit");
    const operator = actingPerson(options.as);
    const path = `/admin/journal/${encodeURIComponent(entry)}`;
    return withAdapter(options, terminal, async (client) => {
      // Unmasked: masked values would otherwise be written into the new body.
      const { body: old, seq } = await client.get<EntryDetail>(path, new Map([["show", "personal"]]));
      const given =
        options.body === undefined
          ? await editText(`${indentJson(old, "  ")}\n`, terminal.env)
          : await bodyFile(resolve(terminal.cwd, options.body));
      const body = indentJson(given, "");
      if (body === indentJson(old, "")) {
        terminal.complain("The body is unchanged; nothing was done.");
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
    throw new CommandFailure(`${file} cannot be read`, { next: "check the path and the file's permissions" });
  });
