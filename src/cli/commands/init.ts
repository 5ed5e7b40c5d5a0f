import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFile } from "../../app/version-info.ts";
import { CommandFailure, defineCommand } from "../command.ts";
import type { Streams } from "../init/prompt-starter.ts";
import type { SqlDriver, StarterAnswers, StarterKind } from "../init/starter-config.ts";

const kinds = ["embedded", "rest", "sql", "files"] as const satisfies readonly StarterKind[];
const drivers = ["postgres", "mysql", "sqlserver", "sqlite"] as const satisfies readonly SqlDriver[];

export const initCommand = defineCommand({
  name: "init",
  summary: "write a first configuration",
  details:
    "Prompts for a few values on a terminal and writes a commented crossdock.yaml. With --yes it does not prompt: values " +
    "that are not given have defaults. An existing file is not overwritten without --force.",
  arguments: [],
  options: {
    config: { value: "FILE", description: "file to write (else crossdock.yaml)" },
    kind: { value: "KIND", description: "what to connect", choices: kinds },
    preset: { value: "NAME", description: "ready-made options for a known ERP; `list` shows them" },
    driver: { value: "NAME", description: "which database, for --kind sql", choices: drivers },
    address: { value: "TEXT", description: "address, host, file or folder of the external system" },
    timeZone: {
      value: "ZONE",
      description: "time zone of dates without offset, such as Europe/Berlin (else this machine's)",
    },
    yes: { description: "ask nothing" },
    force: { description: "overwrite the file" },
  },
  examples: [
    { command: "crossdock init", does: "prompts, then writes crossdock.yaml" },
    { command: "crossdock init --yes --kind sql --driver postgres", does: "writes an example for PostgreSQL" },
    { command: "crossdock init --preset list", does: "lists the ERPs with ready-made options" },
  ],
  run: async ({ options, terminal }) => {
    const { starterConfig, starterPresets, wrongAddress, wrongTimeZone } = await import("../init/starter-config.ts");
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
      throw new CommandFailure(`${file} already exists`, {
        next: "add --force to overwrite it, or name another file with --config",
      });
    }
    if (!existsSync(dirname(file))) {
      throw new CommandFailure(`there is no folder ${dirname(file)}`, { next: "create it, or name another file" });
    }
    refuseContradictions(options);
    const known = kindOf(options);
    const refusal =
      (options.timeZone === undefined ? undefined : wrongTimeZone(options.timeZone)) ??
      (options.address === undefined || known === undefined ? undefined : wrongAddress(known, options.address));
    if (refusal !== undefined) throw new CommandFailure(refusal, { next: "correct it" });
    const querying = terminal.prompts !== undefined && !options.yes ? terminal.prompts : undefined;
    const answers = await collect(options, querying);
    if (answers === null) return "failed";
    const { text, variables, folders } = starterConfig(answers);
    // Exclusive by default: another process may have written the file during the prompts.
    writeFileSync(file, schemaLine(dirname(file)) + text, { flag: options.force ? "w" : "wx", mode: 0o600 });
    // The mode applies only to new files; an overwritten file may be readable by others.
    chmodSync(file, 0o600);
    terminal.print(`${relative(terminal.cwd, file) || file} was written.`);
    const { made, missing } = makeFolders(folders, dirname(file));
    if (made.length > 0) terminal.print(`Made: ${made.join(", ")}`);
    if (missing.length > 0) terminal.print(`Create before the start: ${missing.join(", ")}`);
    if (variables.length > 0) terminal.print(`Set before the start: ${variables.join(", ")}`);
    terminal.print("Next: review it, then run crossdock check (--offline without the external system)");
    return "ok";
  },
});

/**
 * The line with which editors complete and check the file. The path is relative where that leads to the package, so
 * that a project can be moved.
 */
function schemaLine(folder: string): string {
  const schema = join(dirname(packageFile(import.meta.dirname)), "docs/reference/crossdock.schema.json");
  if (!existsSync(schema)) return "";
  const path = relative(folder, schema);
  const isBelow = !path.startsWith("..") && !isAbsolute(path);
  const named = isBelow ? `./${path.split(sep).join("/")}` : pathToFileURL(schema).href;
  return `# yaml-language-server: $schema=${named}\n`;
}

type Given = {
  readonly [Name in "kind" | "preset" | "driver" | "address" | "timeZone"]: string | undefined;
};

function refuseContradictions({ kind, preset, driver }: Given): void {
  const isRest = preset !== undefined && kind !== undefined && kind !== "rest";
  if (isRest) throw new CommandFailure(`a preset has kind rest, not ${kind}`, { next: "leave out one of the two" });
  const isElsewhere = driver !== undefined && (preset !== undefined || (kind !== undefined && kind !== "sql"));
  if (isElsewhere) throw new CommandFailure("--driver is for --kind sql", { next: "leave out one of the two" });
}

function kindOf({ kind, preset, driver }: Given): StarterKind | undefined {
  if (preset !== undefined) return "rest";
  // The parser has checked it against the list above.
  return (kind ?? (driver === undefined ? undefined : "sql")) as StarterKind | undefined;
}

/** Creates only folders below the configuration: elsewhere, a missing folder may be a drive that is not mounted. */
function makeFolders(folders: readonly string[], base: string): { made: string[]; missing: string[] } {
  const absent = folders.filter((folder) => !existsSync(resolve(base, folder)));
  const made = absent.filter((folder) => resolve(base, folder).startsWith(base + sep));
  for (const folder of made) mkdirSync(resolve(base, folder), { recursive: true });
  return { made, missing: absent.filter((folder) => !made.includes(folder)) };
}

/** The given values, else the answers to the prompts, else the defaults; null if the prompts were cancelled. */
async function collect(given: Given, querying: Streams | undefined): Promise<StarterAnswers | null> {
  // The parser has checked the driver against the list above.
  const known = { kind: kindOf(given), driver: given.driver as SqlDriver | undefined };
  const timeZone = given.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (querying !== undefined) {
    const { promptStarter } = await import("../init/prompt-starter.ts");
    return promptStarter({ ...given, ...known, timeZone }, querying);
  }
  return { ...given, kind: known.kind ?? "embedded", driver: known.driver, timeZone };
}
