import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtProgram } from "../built-program.ts";
import { apiKey, budgets } from "./adapter.ts";
import type { heldByFileModes } from "./held-by-file-modes.ts";

/**
 * Starts the program in a separate process, for tests that only a process can show, such as being killed, or not being
 * allowed to write a file.
 */
export async function spawnAdapter(
  folder: string,
  env: Record<string, string> = {},
  commandLine: typeof heldByFileModes = (program, args) => [program, args],
) {
  const configFile = join(folder, "crossdock.yaml");
  if (!existsSync(configFile)) writeFileSync(configFile, JSON.stringify({ budgets }));
  const [file, args] = commandLine(process.execPath, [builtProgram(), "start"]);
  const child = spawn(file, args, {
    cwd: folder,
    env: {
      ...process.env,
      PORT: "0",
      CROSSDOCK_SAMPLE: "false",
      CROSSDOCK_API_KEY: apiKey,
      CROSSDOCK_DATA_DIR: join(folder, "data"),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const url = await new Promise<string>((found, failed) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      const address = /http:\/\/127\.0\.0\.1:\d+\S*/.exec(output)?.[0];
      if (address !== undefined) found(address);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => failed(new Error(`the adapter ended with ${code} before it served:\n${output}`)));
  });
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    url,
    output: () => output,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    /** Sends the signal and waits until the process has ended. */
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}
