import { resolve } from "node:path";
import { CommandFailure, defineCommand } from "../command.ts";
import { adapterOptions, findAdapter } from "../find-adapter.ts";

export const restoreCommand = defineCommand({
  name: "restore",
  summary: "bring a backup back",
  details:
    "The adapter has to be stopped. The backup is checked before anything is replaced, and what was in the data folder is kept beside " +
    "it. What was acknowledged after the backup is not in it: the platform and the external system have to send it again.",
  arguments: [{ name: "folder", description: "the backup" }],
  options: {
    yes: { description: "replace what is in the data folder" },
    data: adapterOptions.data,
  },
  examples: [{ command: "crossdock restore /backup/2026-01-05 --yes", does: "brings that state back" }],
  run: async ({ arguments: { folder }, options, terminal }) => {
    const { dataFolder, adapter } = await findAdapter({ url: undefined, data: options.data }, terminal);
    if (adapter !== null) throw new CommandFailure(`an adapter runs on ${dataFolder}`, { next: "stop it first" });
    const { holdsJournal, restore } = await import("../../app/backup/restore-backup.ts");
    if (holdsJournal(dataFolder) && !options.yes) {
      throw new CommandFailure(`${dataFolder} has a journal, which would be replaced`, { next: "add --yes" });
    }
    const { manifest, keptIn } = await restore(dataFolder, resolve(terminal.cwd, folder)).catch((error: Error) => {
      throw new CommandFailure(error.message, {
        next: "take another backup, or copy this one again from where it is whole",
      });
    });
    const at = new Date(manifest.madeAt).toISOString();
    terminal.print(`${dataFolder} is as it was at ${at}: ${manifest.entries} entries`);
    if (keptIn !== null) terminal.print(`What was there before is in ${keptIn}`);
    return "ok";
  },
});
