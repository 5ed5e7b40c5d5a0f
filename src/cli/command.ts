import type { Readable, Writable } from "node:stream";

export interface ArgumentDefinition {
  readonly name: string;
  readonly description: string;
  /** If the argument is missing, the value is empty. */
  readonly isOptional?: true;
}

interface OptionDefinition {
  readonly description: string;
  /** Placeholder for the option's value, such as FILE; without it the option is a switch. */
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
  failed: { code: 1, meaning: "the command failed; standard error says why" },
  usage: { code: 2, meaning: "unknown command or option, or a missing argument" },
  config: { code: 3, meaning: "the configuration or the environment is wrong" },
} as const;
export type ExitName = keyof typeof exitCodes;

/** A command is data: parsing, help and the types of `run`'s input follow from it. */
export interface CommandDefinition<
  A extends readonly ArgumentDefinition[] = readonly ArgumentDefinition[],
  O extends Options = Options,
> {
  readonly name: string;
  readonly summary: string;
  /** A few sentences, shown below the summary in the command's own help. */
  readonly details?: string;
  readonly arguments: A;
  /** By name in camelCase; typed as --kebab-case. */
  readonly options: O;
  readonly examples: readonly { readonly command: string; readonly does: string }[];
  /** Imports heavy parts itself, so that one command does not load those of another. */
  readonly run: (input: CommandInput<A, O>) => Promise<ExitName>;
}

/** A command without its input types. The parser has checked the input against the definition. */
export type AnyCommand = Omit<CommandDefinition, "run"> & {
  readonly run: (input: CommandInput<readonly ArgumentDefinition[], Options>) => Promise<ExitName>;
};

export const defineCommand = <const A extends readonly ArgumentDefinition[], const O extends Options>(
  definition: CommandDefinition<A, O>,
): AnyCommand =>
  // Only main.ts calls `run`, with exactly the members that the definition names.
  definition as unknown as AnyCommand;

/** Commands under one name, such as `crossdock journal list`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly details: string;
  readonly commands: readonly AnyCommand[];
}

/** Thrown when a command cannot do its work: one line about the problem, one about what to do next. */
export class CommandFailure extends Error {
  readonly next: string;

  constructor(message: string, { next }: { next: string }) {
    super(message);
    this.name = "CommandFailure";
    this.next = next;
  }
}

/** Everything a command may know about its environment. Passed in, so that tests need no process. */
export interface Terminal {
  /** Standard output: only the result. */
  readonly print: (text: string) => void;
  /** Standard error: messages about the run. */
  readonly complain: (text: string) => void;
  /** Replaces the progress line; absent if the output is not a terminal. An empty text removes the line. */
  readonly draw?: (line: string) => void;
  /** Standard output is a terminal; otherwise it is a pipe or a file. */
  readonly isInteractive: boolean;
  /** The current size of the terminal; absent if there is none. */
  readonly size?: () => { readonly columns: number; readonly rows: number };
  /** The streams of interactive prompts; absent if nobody can answer. */
  readonly prompts?: { readonly input: Readable; readonly output: Writable };
  readonly colour: boolean;
  /** The script that was started; absent in tests. */
  readonly program?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls the function when a reload is requested (SIGHUP); absent where there is no such signal. */
  readonly onReload?: (reload: () => void) => void;
  /** Resolves with the name of the first stop signal. */
  readonly untilStopped: () => Promise<string>;
}
