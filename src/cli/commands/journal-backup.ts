import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { CommandFailure } from "../command-failure.ts";
import { adapterOptions, findAdapter, noAdapter } from "../find-adapter.ts";

export const journalBackupCommand = defineCommand({
  name: "backup",
  summary: "copy journal and books into one file, while the adapter runs",
  details: "The copy is consistent and checked before it gets its name. Needs the data folder on this machine.",
  arguments: [{ name: "file", description: "where to write the copy" }],
  options: {
    force: { description: "replace a file of that name" },
    data: adapterOptions.data,
  },
  examples: [{ command: "crossdock journal backup /backup/crossdock.db", does: "writes a copy" }],
  run: async ({ arguments: { file }, options, terminal }) => {
    const target = resolve(terminal.cwd, file);
    if (existsSync(target) && !options.force) {
      throw new CommandFailure(`${file} is there already`, { next: "choose another name, or add --force" });
    }
    const { dataFolder } = await findAdapter({ url: undefined, data: options.data }, terminal);
    const { backUp } = await import("../../app/back-up.ts");
    const copied = await backUp(dataFolder, target);
    if (copied === null) throw noAdapter(dataFolder);
    const size = `${(copied.bytes / 2 ** 20).toFixed(1)} MiB`;
    terminal.print(`${file}: ${copied.entries} entries, ${size}`);
    return "ok";
  },
});
