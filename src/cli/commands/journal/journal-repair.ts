import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { BulkResult, EntryDetail, EntryView } from "../../../app/stored-journal.ts";
import { NotUtf8, readText } from "../../../kit/files/read-text.ts";
import { systemClock } from "../../../kit/time/clock.ts";
import { type AdminClient, actingPerson, neededReason, personOptions } from "../../admin-client.ts";
import { CommandFailure, defineCommand, type ExitName, type Terminal } from "../../command.ts";
import { indentJson, shownTimeHere } from "../../describe/terminal-text.ts";
import { adapterOptions, withAdapter } from "../../find-adapter.ts";
import { describeEntries } from "../../journal/describe-entry.ts";
import { filterMembers, filterOptions } from "../../journal/journal-source.ts";

interface Redo {
  readonly name: "retry" | "skip" | "replay";
  readonly summary: string;
  readonly details: string;
  readonly examples: readonly { readonly command: string; readonly does: string }[];
}

const reasonOption = { reason: { value: "TEXT", description: "required; kept in the audit log" } } as const;

/** The actions for one or many entries; they differ in their texts and in whether a reason is required. */
const redoCommand = ({ name, summary, details, examples }: Redo) =>
  defineCommand({
    name,
    summary,
    details: `${details} Without an entry, the filters select entries; without --yes it is a dry run.`,
    arguments: [{ name: "entry", description: "its number or its id (evt_…)", isOptional: true }],
    options: {
      // A retry has no reason option, so its value is undefined there.
      ...(name === "retry" ? ({} as typeof reasonOption) : reasonOption),
      yes: { description: "do it for all selected entries" },
      ...filterOptions,
      ...personOptions,
      json: { description: "print JSON" },
      ...adapterOptions,
    },
    examples,
    run: async ({ arguments: { entry }, options, terminal }) => {
      const operator = actingPerson(options.as);
      const decision = name === "retry" ? { operator } : { operator, reason: neededReason(options.reason, name) };
      const filter = filterMembers(options, systemClock.now());
      if ((entry === "") === (filter.size === 0)) {
        throw new CommandFailure("name one entry, or select several with filters", {
          next: `crossdock journal ${name} 1042, or crossdock journal ${name} --state dead`,
        });
      }
      return withAdapter(options, terminal, async (client) => {
        if (entry === "") {
          const request = { ...decision, action: name, filter: Object.fromEntries(filter) };
          return many(client, request, { ...options, name, terminal });
        }
        const path = `/admin/journal/${encodeURIComponent(entry)}/${name}`;
        const done = await client.post<{ entry: EntryView; releasedCount: number }>(path, decision);
        terminal.print(
          options.json ? JSON.stringify(done, null, 2) : `Entry ${done.entry.seq} is ${done.entry.state}.`,
        );
        return "ok";
      });
    },
  });

async function many(
  client: AdminClient,
  request: object,
  { yes, json, name, terminal }: { yes: boolean; json: boolean; name: string; terminal: Terminal },
): Promise<ExitName> {
  const dry = await client.post<BulkResult>("/admin/journal/bulk", { ...request, dryRun: true });
  if (dry.count === 0 || !yes || dry.isCut) {
    if (json) terminal.print(JSON.stringify(dry, null, 2));
    else if (dry.count > 0) {
      const { isInteractive } = terminal;
      terminal.print(describeEntries(dry.first, { isInteractive, shownTime: await shownTimeHere(terminal) }));
    }
    terminal.complain(
      dry.isCut
        ? `More than ${dry.count} entries match; select fewer.`
        : dry.count === 0
          ? "No matching entry allows this."
          : `${name} for ${dry.count} entries, the oldest shown above. Nothing was done; do it with --yes.`,
    );
    return dry.isCut ? "failed" : "ok";
  }
  const { count } = dry;
  const results: BulkResult["results"][number][] = [];
  // In parts, each after the last entry of the part before it: one that fails again must not be tried again.
  for (let part = dry.count; part > 0 && results.length < count; ) {
    const asked = { ...request, dryRun: false, after: results.at(-1)?.seq ?? 0 };
    const done = await client.post<BulkResult>("/admin/journal/bulk", asked);
    part = done.results.length;
    results.push(...done.results);
  }
  const failed = results.filter(({ done }) => !done);
  if (json) terminal.print(JSON.stringify(results, null, 2));
  else terminal.print(`${name}: ${results.length - failed.length} of ${count} entries done.`);
  for (const { detail } of json ? [] : failed) terminal.complain(detail ?? "");
  return failed.length === 0 ? "ok" : "failed";
}

export const journalRetryCommand = redoCommand({
  name: "retry",
  summary: "deliver dead entries again, or waiting ones at once",
  details: "The entry keeps its id and its place; entries that wait behind it follow.",
  examples: [
    { command: "crossdock journal retry 1042", does: "delivers entry 1042 again" },
    { command: "crossdock journal retry --state dead --yes", does: "delivers all dead entries again" },
  ],
});

export const journalSkipCommand = redoCommand({
  name: "skip",
  summary: "skip an undelivered entry, so that entries behind it are delivered",
  details: "The external system never receives it: enter it there by hand.",
  examples: [{ command: 'crossdock journal skip 1042 --reason "entered by hand"', does: "skips entry 1042" }],
});

export const journalReplayCommand = redoCommand({
  name: "replay",
  summary: "send delivered or skipped entries again",
  details: "With the same id: a receiver that checks ids will not process it twice.",
  examples: [
    { command: 'crossdock journal replay 1042 --reason "the ERP was restored"', does: "sends entry 1042 again" },
    {
      command: 'crossdock journal replay --from 2026-03-01T08:00Z --to 2026-03-01T09:00Z --reason "…" --yes',
      does: "sends the entries of one hour again",
    },
  ],
});

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
    return bodyIn(file);
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
      // Read unmasked: masked values would otherwise be written into the new body.
      const { body: old, seq } = await client.get<EntryDetail>(path, new Map([["show", "personal"]]));
      const given =
        options.body === undefined
          ? await editText(`${indentJson(old, "  ")}\n`, terminal.env)
          : bodyIn(resolve(terminal.cwd, options.body));
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

function bodyIn(file: string): string {
  try {
    return readText(file);
  } catch (error) {
    if (error instanceof NotUtf8) throw error;
    throw new CommandFailure(`${file} cannot be read`, { next: "check the path and the file's permissions" });
  }
}
