import { Command, CommanderError, Option } from "commander";
import { versionInfo } from "../app/version-info.ts";
import { ConfigError } from "../config/document/config-error.ts";
import { type AnyCommand, type CommandGroup, type ExitName, exitCodes, type Terminal } from "./command.ts";

interface Surroundings {
  readonly terminal: Terminal;
  readonly onDone: (exit: ExitName) => void;
}

/** Builds the parser and the help of a command or group from its definition. */
function commanderCommand(definition: AnyCommand | CommandGroup, surroundings: Surroundings): Command {
  return "commands" in definition ? group(definition, surroundings) : single(definition, surroundings);
}

function group({ name, summary, details, commands }: CommandGroup, surroundings: Surroundings): Command {
  const command = new Command(name).summary(summary).description(`${summary}\n\n${details}`).helpCommand(false);
  for (const one of commands) command.addCommand(single(one, surroundings));
  const [first] = commands;
  const hint = first === undefined ? "" : `crossdock ${name} ${first.name} --help`;
  return command.addHelpText("after", `\nEach command has its own help: ${hint}\n${exitCodesText}`);
}

function single(definition: AnyCommand, { terminal, onDone }: Surroundings): Command {
  const command = new Command(definition.name)
    .summary(definition.summary)
    .description([definition.summary, definition.details].filter(Boolean).join("\n\n"))
    .allowExcessArguments(false)
    .addHelpText("after", examplesText(definition) + exitCodesText);
  for (const { name, description, isOptional } of definition.arguments) {
    command.argument(isOptional ? `[${name}]` : `<${name}>`, description);
  }
  for (const [name, { description, value, choices }] of Object.entries(definition.options)) {
    const option = new Option(`--${kebab(name)}${value === undefined ? "" : ` <${value}>`}`, description);
    command.addOption(choices === undefined ? option : option.choices([...choices]));
  }
  command.action(async () => {
    const names = definition.arguments.map(({ name }) => name);
    // Such as a variable of a script that is not set: without a name, some commands act on everything.
    const empty = names.find((_, index) => command.args[index] === "");
    if (empty !== undefined) command.error(`error: the argument '${empty}' is empty`);
    const given = command.opts<Record<string, string | boolean | undefined>>();
    const options = Object.entries(definition.options).map(([name, { value }]) => [
      name,
      given[name] ?? (value === undefined ? false : undefined),
    ]);
    onDone(
      await definition.run({
        arguments: Object.fromEntries(names.map((name, index) => [name, command.args[index] ?? ""])),
        // fromEntries loses which option is a switch; the loop above followed the definition.
        options: Object.fromEntries(options) as Record<string, never>,
        terminal,
      }),
    );
  });
  return command;
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function examplesText({ examples }: AnyCommand): string {
  if (examples.length === 0) return "";
  const width = Math.max(...examples.map(({ command }) => command.length));
  return `\nExamples:\n${examples.map(({ command, does }) => `  ${command.padEnd(width)}  ${does}`).join("\n")}\n`;
}

const exitCodesText = `\nExit codes:\n${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${code}  ${meaning}`)
  .join("\n")}`;

/** Every command of the program. Each is loaded when it is called, so that `start` does not load the others. */
const commands: Readonly<Record<string, () => Promise<AnyCommand | CommandGroup>>> = {
  start: async () => (await import("./commands/start.ts")).startCommand,
  init: async () => (await import("./commands/init.ts")).initCommand,
  config: async () => (await import("./commands/config.ts")).configCommand,
  check: async () => (await import("./commands/check.ts")).checkCommand,
  conform: async () => (await import("./commands/tools/conform.ts")).conformCommand,
  simulate: async () => (await import("./commands/tools/simulate.ts")).simulateCommand,
  import: async () => (await import("./commands/import-file.ts")).importFileCommand,
  journal: async () => (await import("./commands/journal/journal.ts")).journalCommands,
  backup: async () => (await import("./commands/backup.ts")).backupCommand,
  restore: async () => (await import("./commands/backup.ts")).restoreCommand,
  status: async () => (await import("./commands/status.ts")).statusCommand,
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand,
  "support-bundle": async () => (await import("./operate/support-bundle-command.ts")).supportBundleCommand,
  upgrade: async () => (await import("./operate/upgrade-command.ts")).upgradeCommand,
  log: async () => (await import("./operate/log-commands.ts")).logCommands,
  service: async () => (await import("./service/service-command.ts")).serviceCommands,
  "take-over": async () => (await import("./operate/take-over-command.ts")).takeOverCommand,
  move: async () => (await import("./commands/move.ts")).moveCommand,
  map: async () => (await import("./commands/map.ts")).mapCommand,
  quarantine: async () => (await import("./commands/quarantine.ts")).quarantineCommands,
  new: async () => (await import("./commands/tools/new-connector.ts")).newCommands,
  "mock-erp": async () => (await import("./commands/tools/mock-erp.ts")).mockErpCommand,
  record: async () => (await import("./commands/tools/record.ts")).recordCommand,
  openapi: async () => (await import("./commands/openapi.ts")).openapiCommand,
};

/** Runs the program and returns its exit code. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exit: ExitName = "ok";
  const program = await parser(argv, terminal, (name) => {
    exit = name;
  });
  try {
    // Without a command, show the help.
    await program.parseAsync(argv.length === 0 ? ["--help"] : argv, { from: "user" });
    return exitCodes[exit].code;
  } catch (error) {
    return exitCodes[complainAbout(error, terminal)].code;
  }
}

async function parser(argv: readonly string[], terminal: Terminal, onDone: (exit: ExitName) => void): Promise<Command> {
  const program = new Command("crossdock")
    .description("The adapter between a warehouse platform and your ERP, WMS or own software.")
    .version(versionInfo().version, "--version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .addHelpText("after", `\nEach command has its own help: crossdock start --help\n${exitCodesText}`);
  const called = commands[argv[0] ?? ""];
  for (const load of called === undefined ? Object.values(commands) : [called]) {
    program.addCommand(commanderCommand(await load(), { terminal, onDone }));
  }
  for (const { command, name } of withNames(program)) {
    command
      .helpOption("-h, --help", "show this help")
      .exitOverride()
      .showHelpAfterError(`Next: ${name} --help`)
      .configureOutput({
        writeOut: (text) => terminal.print(text.trimEnd()),
        writeErr: (text) => terminal.complain(text.trimEnd()),
        outputError: (text, write) => write(text.replace(/^error: /, "crossdock: ")),
        getOutHasColors: () => terminal.colour,
        getErrHasColors: () => false,
      });
  }
  return program;
}

/** This command and all commands below it, each with its full name. */
function withNames(command: Command, before: readonly string[] = []): { command: Command; name: string }[] {
  const words = [...before, command.name()];
  return [{ command, name: words.join(" ") }, ...command.commands.flatMap((one) => withNames(one, words))];
}

function complainAbout(error: unknown, terminal: Terminal): ExitName {
  // The parser has already printed its error or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? "ok" : "usage";
  if (error instanceof ConfigError) {
    terminal.complain(`crossdock: the configuration has errors\n${error.message}`);
    return "config";
  }
  // A CommandFailure, or another error that says what to do next.
  if (error instanceof Error && "next" in error && typeof error.next === "string") {
    terminal.complain(`crossdock: ${error.message}\nNext: ${error.next}`);
    return "failed";
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  terminal.complain(
    terminal.env["CROSSDOCK_DEBUG"]
      ? `crossdock: ${stack ?? message}`
      : `crossdock: ${message}\nNext: run it again with CROSSDOCK_DEBUG=1 to see the stack trace.`,
  );
  return "failed";
}
