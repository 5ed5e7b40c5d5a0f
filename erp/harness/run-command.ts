import { spawn } from "node:child_process";
import { once } from "node:events";

interface Run {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command to its end and returns its output; throws with its last lines if it fails. */
export async function runCommand(
  command: string,
  parameters: readonly string[],
  { cwd, env = {} }: Run = {},
): Promise<string> {
  const child = spawn(command, [...parameters], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, NODE_OPTIONS: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  // Rejects if the command does not exist.
  const [code] = await once(child, "close");
  if (code !== 0) {
    throw new Error(`${command} ${parameters.join(" ")} ended with ${code}:\n${output.slice(-2000)}`);
  }
  return output;
}

/** Whether a program can be called. */
export async function hasProgram(name: string): Promise<boolean> {
  return runCommand("sh", ["-c", `command -v ${name}`]).then(
    () => true,
    () => false,
  );
}
