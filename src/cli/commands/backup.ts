import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { CommandFailure, defineCommand } from "../command.ts";
import { shownTimeHere } from "../describe/terminal-text.ts";
import { adapterOptions, findDataFolder, nothingStored } from "../find-adapter.ts";

export const backupCommand = defineCommand({
  name: "backup",
  summary: "copy the whole data folder into a new folder while the adapter runs",
  details:
    "Journal, embedded store, quarantine, duplicate marks, poll positions, alarms, fallback data and the key. The copies are " +
    "consistent, are verified before the folder gets its name, and only their owner can read them. Needs the data folder on this machine.",
  arguments: [{ name: "folder", description: "folder to create; must not exist yet" }],
  options: { data: adapterOptions.data },
  examples: [{ command: "crossdock backup /backup/2026-01-05", does: "writes a backup" }],
  run: async ({ arguments: { folder }, options, terminal }) => {
    const target = resolve(terminal.cwd, folder);
    if (existsSync(target)) {
      throw new CommandFailure(`${folder} already exists`, { next: "choose another name" });
    }
    const { dataFolder } = await findDataFolder(options, terminal);
    const { backUp } = await import("../../app/backup/write-backup.ts");
    const made = await backUp({ dataFolder, target, now: Date.now() });
    if (made === null) throw nothingStored(dataFolder);
    terminal.print(
      `${folder}: ${made.entries} entries, ${(made.bytes / 2 ** 20).toFixed(1)} MiB in ${made.files.length} files`,
    );
    return "ok";
  },
});

export const restoreCommand = defineCommand({
  name: "restore",
  summary: "restore a backup, or a deployment in PostgreSQL as it was at a time",
  details:
    "Of a backup: the adapter must be stopped. The backup is verified before anything is replaced, and the old files of the data folder are kept beside " +
    "it. Entries acknowledged after the backup are not in it: the platform and the external system have to send them again. " +
    "With --at: builds a new data folder from the snapshots and changes in PostgreSQL, and touches nothing else.",
  arguments: [{ name: "folder", description: "the backup", isOptional: true }],
  options: {
    at: { value: "TIME", description: "a time of today such as 09:41, or 2026-01-05T09:41, in the site's time zone" },
    into: { value: "FOLDER", description: "with --at: the data folder to create; must not exist yet" },
    list: { description: "show which times PostgreSQL can restore" },
    config: { value: "FILE", description: "with --at or --list: configuration file" },
    yes: { description: "replace the content of the data folder" },
    data: adapterOptions.data,
  },
  examples: [
    { command: "crossdock restore /backup/2026-01-05 --yes", does: "restores that state" },
    {
      command: "crossdock restore --at 09:41 --into before-the-import",
      does: "builds a data folder as of 09:41 today",
    },
  ],
  run: async ({ arguments: { folder }, options, terminal }) => {
    if (options.at !== undefined || options.list) {
      const { restoreAtCommand } = await import("../restore/restore-at-command.ts");
      return await restoreAtCommand({ ...options, folder }, terminal);
    }
    if (folder === "") {
      throw new CommandFailure("the backup is not named", {
        next: "crossdock restore FOLDER, or --at TIME --into FOLDER",
      });
    }
    const { dataFolder, isRunning } = await findDataFolder(options, terminal);
    if (isRunning) throw new CommandFailure(`an adapter is running on ${dataFolder}`, { next: "stop it first" });
    const { holdsJournal, restore } = await import("../../app/backup/restore-backup.ts");
    if (holdsJournal(dataFolder) && !options.yes) {
      throw new CommandFailure(`${dataFolder} has a journal, which would be replaced`, { next: "add --yes" });
    }
    const { manifest, keptIn, isOfStore } = await restore(dataFolder, resolve(terminal.cwd, folder)).catch(
      (error: Error) => {
        if ("next" in error) throw error;
        throw new CommandFailure(error.message, {
          next: "use another backup, or copy this one again from an intact source",
        });
      },
    );
    const at = (await shownTimeHere(terminal))(new Date(manifest.madeAt).toISOString());
    terminal.print(`${dataFolder} was restored to its state of ${at}: ${manifest.entries} entries`);
    if (keptIn !== null) terminal.print(`The previous files are in ${keptIn}`);
    if (isOfStore) {
      terminal.print(
        "PostgreSQL was not changed. Next: start it without `store`; or give it a new `deployment` and take it there: crossdock move --to postgres://…",
      );
    }
    return "ok";
  },
});
