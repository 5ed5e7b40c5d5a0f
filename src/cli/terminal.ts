import type { Readable, Writable } from "node:stream";

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
  readonly questions?: { readonly input: Readable; readonly output: Writable };
  readonly colour: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls this whenever somebody asks for the configuration to be read again; absent where nobody can. */
  readonly onReload?: (reload: () => void) => void;
  /** Resolves with the name of the first stop signal. */
  readonly untilStopped: () => Promise<string>;
}
