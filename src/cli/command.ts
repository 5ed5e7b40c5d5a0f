import type { Readable, Writable } from "node:stream";

export interface ArgumentDefinition {
  readonly name: string;
  readonly description: string;
  /** Where it is not given, the value is empty. */
  readonly isOptional?: true;
}

interface OptionDefinition {
  readonly description: string;
  /** What follows the option, such as FILE; without it the option is a switch. */
  readonly value?: string;
  /** Allowed values; anything else is refused with this list. */
  readonly choices?: readonly string[];
}

type Options = Readonly<Record<string, OptionDefinition>>;

type ArgumentValues<A extends readonly ArgumentDefinition[]> = { readonly [Name in A[number]["name"]]: string };
type OptionValues<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends { value: string } ? string | undefined : boolean;
};

interface CommandInput<A extends readonly ArgumentDefinition[], O extends Options> {
  readonly arguments: ArgumentValues<A>;
  readonly options: OptionValues<O>;
  readonly terminal: Terminal;
}

/** Exit codes of the program; `--help` lists them. */
export const exitCodes = {
  ok: { code: 0, meaning: "it worked" },
  failed: { code: 1, meaning: "it did not work; standard error says why" },
  usage: { code: 2, meaning: "unknown command or option, or a missing argument" },
  config: { code: 3, meaning: "the configuration or the environment is wrong" },
} as const;
export type ExitName = keyof typeof exitCodes;

/** A command is data: parsing, help and the types of what `run` gets follow from it. */
export interface CommandDefinition<
  A extends readonly ArgumentDefinition[] = readonly ArgumentDefinition[],
  O extends Options = Options,
> {
  readonly name: string;
  readonly summary: string;
  /** A few sentences below the summary in the command's own help. */
  readonly details?: string;
  readonly arguments: A;
  /** By name in camelCase; typed as --kebab-case. */
  readonly options: O;
  readonly examples: readonly { readonly command: string; readonly does: string }[];
  /** Heavy parts are imported in here, so that one command does not pay for another. */
  readonly run: (input: CommandInput<A, O>) => Promise<ExitName>;
}

/** What the program needs of any command; the typed input has been checked against the definition by then. */
export type AnyCommand = Omit<CommandDefinition, "run"> & {
  readonly run: (input: CommandInput<readonly ArgumentDefinition[], Options>) => Promise<ExitName>;
};

export const defineCommand = <const A extends readonly ArgumentDefinition[], const O extends Options>(
  definition: CommandDefinition<A, O>,
): AnyCommand =>
  // `run` is called by commander-command.ts only, with exactly the members the definition names.
  definition as unknown as AnyCommand;

/** Commands under one name, such as `crossdock journal list`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly details: string;
  readonly commands: readonly AnyCommand[];
}

/** What a command throws when it cannot do what was asked: one line on what is wrong, one on what to do next. */
export class CommandFailure extends Error {
  readonly next: string;

  constructor(message: string, { next }: { next: string }) {
    super(message);
    this.name = "CommandFailure";
    this.next = next;
  }
}

/** What a command may know of where it runs. Comes from outside, so that tests need no process. */
export interface Terminal {
  /** Standard output: what was asked for, and nothing else. */
  readonly print: (text: string) => void;
  /** Standard error: everything said about it. */
  readonly complain: (text: string) => void;
  /** Replaces the line that shows how far it is; absent where nobody is looking. An empty text takes it away. */
  readonly draw?: (line: string) => void;
  /** A person is reading standard output; otherwise it is a pipe or a file. */
  readonly isInteractive: boolean;
  /** How much a person sees at once, right now; absent where nobody is looking. */
  readonly size?: () => { readonly columns: number; readonly rows: number };
  /** Where a person can be asked; absent where nobody is there to answer. */
  readonly queries?: { readonly input: Readable; readonly output: Writable };
  readonly colour: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls this whenever somebody asks for the configuration to be read again; absent where nobody can. */
  readonly onReload?: (reload: () => void) => void;
  /** Resolves with the name of the first stop signal. */
  readonly untilStopped: () => Promise<string>;
}
