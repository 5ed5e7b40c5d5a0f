import { type ChildProcess, spawn } from "node:child_process";

/**
 * Runs a server that ends with this process, however that ends: a shell waits for its own input to close, which it
 * does even where this process is killed, and then ends the server.
 */
const keeper = '"$@" & server=$!; cat > /dev/null; kill -TERM $server; wait $server';

export interface KeptProcess {
  /** What it has written so far. */
  readonly output: () => string;
  readonly hasEnded: () => boolean;
  readonly stop: () => Promise<void>;
}

export function keepProcess(command: string, options: readonly string[]): KeptProcess {
  const child: ChildProcess = spawn("sh", ["-c", keeper, "sh", command, ...options], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-20_000);
    });
  }
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    output: () => output,
    hasEnded: () => child.exitCode !== null,
    stop: async () => {
      child.stdin?.end();
      await ended;
    },
  };
}
