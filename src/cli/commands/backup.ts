import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { CommandFailure, defineCommand } from "../command.ts";
import { adapterOptions, findAdapter, noAdapter } from "../find-adapter.ts";

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
    const { dataFolder } = await findAdapter({ url: undefined, data: options.data }, terminal);
    const { backUp } = await import("../../app/backup/write-backup.ts");
    const made = await backUp({ dataFolder, target, now: Date.now() });
    if (made === null) throw noAdapter(dataFolder);
    terminal.print(
      `${folder}: ${made.entries} entries, ${(made.bytes / 2 ** 20).toFixed(1)} MiB in ${made.files.length} files`,
    );
    return "ok";
  },
});
