import { constants, copyFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { lineDiff } from "../../config/edit/line-diff.ts";
import type { OldSpelling } from "../../config/upgrade/upgrade-text.ts";
import { NotUtf8, readText } from "../../kit/files/read-text.ts";
import { replaceFileNow } from "../../kit/files/replace-file.ts";
import { CommandFailure, type CommandGroup, defineCommand, type Terminal } from "../command.ts";

const upgradeCommand = defineCommand({
  name: "upgrade",
  summary: "rewrite a configuration file in the current spelling",
  details:
    "Old names of settings are replaced by the new ones, and nothing else is touched: comments, order and blanks stay. The " +
    "file as it was is kept beside it, with .bak at the end of its name. What only a person can decide is named with its line " +
    "and left as it is; the exit code is 1 then, and with --dry-run also where there is something to rewrite.",
  arguments: [{ name: "file", description: "the file; absent: the one that `start` reads", isOptional: true }],
  options: { dryRun: { description: "print the lines that would change, and change nothing" } },
  examples: [
    { command: "crossdock config upgrade", does: "rewrites crossdock.yaml and keeps crossdock.yaml.bak" },
    { command: "crossdock config upgrade --dry-run old.yaml", does: "shows what would change in old.yaml" },
  ],
  run: async ({ arguments: { file }, options: { dryRun }, terminal }) => {
    const path = resolve(terminal.cwd, file || terminal.env["CROSSDOCK_CONFIG"]?.trim() || "crossdock.yaml");
    const given = readConfig(path);
    const [{ configDocument }, { upgradeText }] = await Promise.all([
      import("../../config/document/config-document.ts"),
      import("../../config/upgrade/upgrade-text.ts"),
    ]);
    // Throws if the text is not valid YAML, with line and column of the error.
    configDocument(given, basename(path));
    const { text, found, left } = upgradeText(given);
    if (found.length === 0) {
      terminal.print(`${path} is in the current spelling; nothing was changed.`);
      return "ok";
    }
    if (dryRun) {
      for (const line of lineDiff(given, text)) terminal.print(line);
      printLeft(left, terminal);
      return "failed";
    }
    if (text !== given) {
      const backup = keepBackup(path);
      replaceFileNow(path, text);
      const count = found.length - left.length;
      terminal.print(
        `${count} ${count === 1 ? "setting was" : "settings were"} rewritten in ${path}; before: ${backup}`,
      );
    }
    printLeft(left, terminal);
    return left.length === 0 ? "ok" : "failed";
  },
});

export const configCommand: CommandGroup = {
  name: "config",
  summary: "work on the configuration file",
  details: "`crossdock check` shows what a configuration does.",
  commands: [upgradeCommand],
};

function readConfig(path: string): string {
  try {
    return readText(path);
  } catch (error) {
    if (error instanceof NotUtf8) throw error;
    throw new CommandFailure(`${path} cannot be read: ${(error as Error).message}`, {
      next: "name the file: crossdock config upgrade FILE",
    });
  }
}

function printLeft(left: readonly OldSpelling[], terminal: Terminal): void {
  for (const { path, line, column, instead } of left) {
    terminal.print(`${line}:${column}: ${path} has to be rewritten by hand: write ${instead}`);
  }
}

const mostBackups = 1_000;

/** Copies the file to a new name. An earlier backup is never overwritten. */
function keepBackup(path: string): string {
  for (let count = 1; count < mostBackups; count++) {
    const backup = `${path}.bak${count === 1 ? "" : `.${count}`}`;
    try {
      copyFileSync(path, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      // A failed system call has a code.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new CommandFailure(`there are ${mostBackups} backups of ${path}`, { next: "remove those that nobody needs" });
}
