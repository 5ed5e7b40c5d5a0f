import { defineCommand } from "../command.ts";
import { CommandFailure } from "../command-failure.ts";

/** A copy of the journal alone is no backup: brought back, it would not fit the files beside it. */
export const journalBackupCommand = defineCommand({
  name: "backup",
  summary: "is now: crossdock backup FOLDER",
  arguments: [{ name: "file", description: "", isOptional: true }],
  options: {},
  examples: [{ command: "crossdock backup FOLDER", does: "copies everything in the data folder" }],
  run: async () => {
    throw new CommandFailure("the journal alone is no backup", { next: "crossdock backup FOLDER copies everything" });
  },
});
