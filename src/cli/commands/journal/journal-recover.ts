import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RecoveryReport } from "../../../app/backup/recover-folder.ts";
import { CommandFailure, defineCommand } from "../../command.ts";
import { adapterOptions, findDataFolder } from "../../find-adapter.ts";
import { describeLoss, rangesText } from "../../journal/describe-loss.ts";

export const journalRecoverCommand = defineCommand({
  name: "recover",
  summary: "show what can be recovered from a damaged data folder, and recover it",
  details:
    "For a folder that start refuses. Without --yes nothing is changed. With it, the recovered data replaces " +
    "the damaged files, which are kept in a folder beside it. Lost entries stay lost unless they are sent again.",
  arguments: [],
  options: {
    yes: { description: "do it" },
    data: adapterOptions.data,
  },
  examples: [
    { command: "crossdock journal recover", does: "shows what is damaged and what would be lost" },
    { command: "crossdock journal recover --yes", does: "recovers the rest" },
  ],
  run: async ({ options, terminal }) => {
    const { dataFolder, isRunning } = await findDataFolder(options, terminal);
    if (isRunning) {
      throw new CommandFailure(`an adapter is running on ${dataFolder}`, { next: "stop it first" });
    }
    const isDatabaseThere = (statSync(join(dataFolder, "crossdock.db"), { throwIfNoEntry: false })?.size ?? 0) > 0;
    const noJournal = new CommandFailure(`${dataFolder} has no journal: neither crossdock.db nor its log`, {
      next: "name the data folder with --data; the first start of an adapter creates a journal: crossdock start",
    });
    if (!existsSync(dataFolder)) throw noJournal;
    const { recoverFolder } = await import("../../../app/backup/recover-folder.ts");
    const report = recoverFolder(dataFolder, { isMeant: options.yes });
    if (report === null) {
      if (!isDatabaseThere) throw noJournal;
      terminal.print(`${dataFolder}: nothing is damaged`);
      return "ok";
    }
    for (const damage of report.damages) terminal.print(damage);
    if (report.best === null) {
      const why = report.refused === undefined ? "" : `: ${report.refused}`;
      throw new CommandFailure(`no readable database can be recovered${why}`, {
        next: `${isDatabaseThere ? "" : "if it was moved, put crossdock.db back beside its log and run this again; else "}restore the last backup: crossdock restore FOLDER; without one, begin with a new data folder and keep this one`,
      });
    }
    for (const line of outcome(report.best)) terminal.print(line);
    if (report.keptIn === null)
      terminal.print("Nothing was changed. Next: crossdock journal recover --yes, or crossdock restore FOLDER");
    else terminal.print(`Done. The damaged files are in ${report.keptIn}. Next: crossdock start`);
    return "ok";
  },
});

type Best = NonNullable<RecoveryReport["best"]>;

function outcome(best: Best): string[] {
  const { by, doubtfulPages, unreadable } = best;
  const doubt =
    doubtfulPages === 0 ? [] : [`${doubtfulPages} pages are readable but changed: some content may be wrong`];
  const spoiled = unreadable.length === 0 ? [] : [`Entries with a damaged body: ${unreadable.join(", ")}`];
  return [`Recovery with ${by}: ${lossText(best)}`, ...doubt, ...spoiled, ...describeLoss(best.loss ?? null)];
}

function lossText({ missing, mayMissLater, lastSeq, loss }: Best): string {
  const but = loss == null || loss.entries.length === 0 ? "" : `, except ${rangesText(loss.entries)}`;
  if (missing === null && !mayMissLater)
    return `${but === "" ? "all " : ""}entries up to ${lastSeq} can be recovered${but}`;
  const upTo = missing === null ? lastSeq : missing.from - 1;
  const kept = `${upTo === 0 ? "no entry" : `entries up to ${upTo}`} can be recovered${but}`;
  if (missing === null) return `${kept}; whether there were later ones is not known without crossdock.db.witness`;
  const count = missing.to - missing.from + 1;
  return mayMissLater
    ? `${kept}; lost: ${missing.from} to at least ${missing.to} (${count} or more)`
    : `${kept}; lost: ${missing.from} to ${missing.to} (${count})`;
}
