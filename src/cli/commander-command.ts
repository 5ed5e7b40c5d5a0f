import { Command, Option } from "commander";
import { type AnyCommand, type CommandGroup, type ExitName, exitCodes } from "./command.ts";
import type { Terminal } from "./terminal.ts";

interface Surroundings {
  readonly terminal: Terminal;
  readonly onDone: (exit: ExitName) => void;
}

/** The parser and the help of one command, or of a group of them, from its definition. */
export function commanderCommand(definition: AnyCommand | CommandGroup, surroundings: Surroundings): Command {
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
    const given = command.opts<Record<string, string | boolean | undefined>>();
    const options = Object.entries(definition.options).map(([name, { value }]) => [
      name,
      given[name] ?? (value === undefined ? false : undefined),
    ]);
    onDone(
      await definition.run({
        arguments: Object.fromEntries(names.map((name, index) => [name, command.args[index] ?? ""])),
        // fromEntries forgets which option is a switch; the loop above went by the definition.
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

export const exitCodesText = `\nExit codes:\n${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${code}  ${meaning}`)
  .join("\n")}`;
