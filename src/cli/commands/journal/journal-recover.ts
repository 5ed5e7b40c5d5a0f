import type { RecoveryReport } from "../../../app/backup/recover-folder.ts";
import { CommandFailure, defineCommand } from "../../command.ts";
import { adapterOptions, findAdapter } from "../../find-adapter.ts";

export const journalRecoverCommand = defineCommand({
  name: "recover",
  summary: "say what can be saved of a damaged data folder, and go on with that",
  details:
    "For a folder on which start refuses to work. Without --yes nothing is changed. With it, what can be saved takes the place of " +
    "the damaged files, which are kept in a folder beside it; what is missing is gone for good, unless it comes again.",
  arguments: [],
  options: {
    yes: { description: "do it" },
    data: adapterOptions.data,
  },
  examples: [
    { command: "crossdock journal recover", does: "says what is damaged and what would be lost" },
    { command: "crossdock journal recover --yes", does: "goes on with what is left" },
  ],
  run: async ({ options, terminal }) => {
    const { dataFolder, adapter } = await findAdapter({ url: undefined, data: options.data }, terminal);
    if (adapter !== null) {
      throw new CommandFailure(`an adapter runs on ${dataFolder}`, { next: "stop it first" });
    }
    const { recoverFolder } = await import("../../../app/backup/recover-folder.ts");
    const report = recoverFolder(dataFolder, { isMeant: options.yes });
    if (report === null) {
      terminal.print(`${dataFolder}: nothing is damaged`);
      return "ok";
    }
    for (const damage of report.damages) terminal.print(damage);
    if (report.best === null) {
      throw new CommandFailure("what is left cannot be read as a database", {
        next: "bring the last backup back: crossdock restore FOLDER",
      });
    }
    for (const line of outcome(report.best)) terminal.print(line);
    if (report.keptIn === null)
      terminal.print("Nothing was changed. Next: crossdock journal recover --yes, or crossdock restore FOLDER");
    else terminal.print(`Done. The damaged files are in ${report.keptIn}. Next: crossdock start`);
    return "ok";
  },
});

function outcome({ by, missing, doubtfulPages, unreadable, lastSeq }: NonNullable<RecoveryReport["best"]>): string[] {
  const loss =
    missing === null
      ? `all entries up to ${lastSeq} are there`
      : `entries up to ${missing.from - 1} are there; lost: ${missing.from} to ${missing.to} (${missing.to - missing.from + 1})`;
  const doubt =
    doubtfulPages === 0 ? [] : [`${doubtfulPages} pages can be read but are not as written: some content may be wrong`];
  const spoiled = unreadable.length === 0 ? [] : [`Entries with a damaged text: ${unreadable.join(", ")}`];
  return [`Can be saved, by ${by}: ${loss}`, ...doubt, ...spoiled];
}
