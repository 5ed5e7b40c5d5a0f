import { dotEnv } from "../config/document/resolve-text.ts";
import type { Terminal } from "./command.ts";

/** On Windows, SIGHUP means that the window of the program was closed; ten seconds later the system ends it. */
export const signalsOn = (platform: NodeJS.Platform) =>
  platform === "win32"
    ? ({ stop: ["SIGTERM", "SIGINT", "SIGBREAK", "SIGHUP"], reload: [] } as const)
    : ({ stop: ["SIGTERM", "SIGINT"], reload: ["SIGHUP"] } as const);

/** The terminal of the running process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const env = { ...dotEnv(process.cwd()), ...process.env };
  // `crossdock openapi | head` closes the pipe early; that is not an error.
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      if (error.code !== "ENOSPC" && error.code !== "EDQUOT") throw error;
      // A command has failed with its output. But an adapter must go on, although nobody can read its first lines.
      process.once("exit", () => {
        process.exitCode = 1;
      });
      if (stream === stdout) stderr.write("crossdock: the output could not be written: the disk is full\n");
    });
  }
  const isInteractive = stdout.isTTY === true;
  const signals = signalsOn(process.platform);
  // A terminal of unknown size reports 0 columns, which would put every letter on its own line.
  if (isInteractive && stdout.columns === 0) stdout.columns = 80;
  return {
    print: (text) => void stdout.write(`${text}\n`),
    complain: (text) => void stderr.write(`${text}\n`),
    ...(isInteractive
      ? {
          draw: (line: string) => void stdout.write(`\r\u001b[K${line.slice(0, stdout.columns - 1)}`),
          size: () => ({ columns: stdout.columns, rows: stdout.rows || 24 }),
        }
      : {}),
    isInteractive,
    ...(isInteractive && stdin.isTTY === true ? { prompts: { input: stdin, output: stdout } } : {}),
    colour: isInteractive && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    env,
    cwd: process.cwd(),
    program: process.argv[1],
    onReload: (reload) => {
      for (const signal of signals.reload) process.on(signal, reload);
    },
    untilStopped: () =>
      new Promise((resolve) => {
        let asked = false;
        const stop = (signal: string) => {
          // A second signal stops at once. Everything that was answered is on disk already.
          if (asked) process.exit(1);
          asked = true;
          resolve(signal);
        };
        for (const signal of signals.stop) process.on(signal, stop);
      }),
  };
}
