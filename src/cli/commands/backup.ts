import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { CommandFailure, defineCommand } from "../command.ts";
import { adapterOptions, findAdapter, noAdapter } from "../find-adapter.ts";

export const backupCommand = defineCommand({
  name: "backup",
  summary: "copy everything in the data folder into a new folder, while the adapter runs",
  details:
    "Journal, books, what was kept back, what was seen, how far polls have come, alarms, last known data and the key. The copies fit " +
    "together, are checked before the folder gets its name, and can be read by their owner only. Needs the data folder on this machine.",
  arguments: [{ name: "folder", description: "where to write it; must not be there yet" }],
  options: { data: adapterOptions.data },
  examples: [{ command: "crossdock backup /backup/2026-01-05", does: "writes a backup" }],
  run: async ({ arguments: { folder }, options, terminal }) => {
    const target = resolve(terminal.cwd, folder);
    if (existsSync(target)) {
      throw new CommandFailure(`${folder} is there already`, { next: "choose another name" });
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
