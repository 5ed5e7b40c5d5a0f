import type { Terminal } from "../../../src/cli/command.ts";
import { main } from "../../../src/cli/main.ts";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Runs a command of the program in a folder, as a person at a terminal would. */
export async function atTerminal(
  cwd: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const out: string[] = [];
  const errors: string[] = [];
  const terminal: Terminal = {
    ...{ env, cwd, isInteractive: false, colour: false },
    print: (text) => out.push(text),
    complain: (text) => errors.push(text),
    untilStopped: () => new Promise(() => {}),
  };
  const code = await main(argv, terminal);
  return { code, out: out.join("\n"), errors: errors.join("\n") };
}
