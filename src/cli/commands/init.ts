import { existsSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { SqlDriver, StarterAnswers, StarterKind } from "../../app/starter/starter-config.ts";
import { defineCommand } from "../command.ts";
import { CommandFailure } from "../command-failure.ts";

const kinds = ["embedded", "rest", "sql", "files"] as const satisfies readonly StarterKind[];
const drivers = ["postgres", "mysql", "sqlserver", "sqlite"] as const satisfies readonly SqlDriver[];

export const initCommand = defineCommand({
  name: "init",
  summary: "write a configuration to begin with",
  details:
    "Asks a few questions on a terminal and writes a commented crossdock.yaml. With --yes nothing is asked: what is not " +
    "given has its default. A file that is there is not overwritten without --force.",
  arguments: [],
  options: {
    config: { value: "FILE", description: "file to write (else crossdock.yaml)" },
    kind: { value: "KIND", description: "what is to be connected", choices: kinds },
    preset: { value: "NAME", description: "ready options of a known ERP; `list` shows them" },
    driver: { value: "NAME", description: "which database, for --kind sql", choices: drivers },
    address: { value: "TEXT", description: "address, host, file or folder of the external system" },
    timeZone: {
      value: "ZONE",
      description: "zone of dates without offset, such as Europe/Berlin (else this machine's)",
    },
    yes: { description: "ask nothing" },
    force: { description: "overwrite the file" },
  },
  examples: [
    { command: "crossdock init", does: "asks, then writes crossdock.yaml" },
    { command: "crossdock init --yes --kind sql --driver postgres", does: "writes an example for PostgreSQL" },
    { command: "crossdock init --preset list", does: "lists the ERPs with ready options" },
  ],
  run: async ({ options, terminal }) => {
    const { starterConfig, starterPresets } = await import("../../app/starter/starter-config.ts");
    const names = starterPresets.map(({ name }) => name);
    if (options.preset === "list") {
      for (const { name, title } of starterPresets) terminal.print(`${name}  ${title}`);
      return "ok";
    }
    if (options.preset !== undefined && !names.includes(options.preset)) {
      const next = names.length === 0 ? "leave it out: there are none" : `use one of ${names.join(", ")}`;
      throw new CommandFailure(`there is no preset ${JSON.stringify(options.preset)}`, { next });
    }
    const file = resolve(terminal.cwd, options.config ?? "crossdock.yaml");
    if (existsSync(file) && !options.force) {
      throw new CommandFailure(`${file} is there already`, {
        next: "add --force to overwrite it, or name another with --config",
      });
    }
    const answers = await collect(options, terminal.isInteractive && !options.yes);
    if (answers === null) return "failed";
    const { text, variables } = starterConfig(answers);
    // Exclusive unless told otherwise: somebody may have written one while the questions were asked.
    writeFileSync(file, text, { flag: options.force ? "w" : "wx", mode: 0o640 });
    terminal.print(`${relative(terminal.cwd, file) || file} is written.`);
    if (variables.length > 0) terminal.print(`Set before the start: ${variables.join(", ")}`);
    terminal.print("Next: look through it, then crossdock check (--offline without the external system)");
    return "ok";
  },
});

type Given = {
  readonly [Name in "kind" | "preset" | "driver" | "address" | "timeZone"]: string | undefined;
};

/** What was given, what a person answers, else the defaults; null where the person has stopped. */
async function collect(given: Given, isAsking: boolean): Promise<StarterAnswers | null> {
  // The parser has checked both against the lists above.
  const known = {
    kind: (given.preset === undefined ? given.kind : "rest") as StarterKind | undefined,
    driver: given.driver as SqlDriver | undefined,
  };
  const timeZone = given.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (isAsking) {
    const { askStarter } = await import("../ask-starter.ts");
    return askStarter({ ...given, ...known, timeZone });
  }
  return { ...given, kind: known.kind ?? "embedded", driver: known.driver, timeZone };
}
