import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

/** `EXAMPLE_PROGRAM` names another one, such as that of an installed package. */
export const program = process.env["EXAMPLE_PROGRAM"] ?? resolve(import.meta.dirname, "../../bin/crossdock.js");
const keptCharacters = 200_000;

export interface RunningProcess {
  /** Everything it has printed and logged. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

export interface ProcessNeeds {
  /** Command of `crossdock` and its options. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A command of `crossdock` in a process of its own, as it runs at a customer's, from the moment it says how to stop it. */
export async function startProcess({ args, cwd, env }: ProcessNeeds): Promise<RunningProcess> {
  const child = spawn(process.execPath, [program, ...args], {
    ...{ cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] },
  });
  const exited = once(child, "exit");
  // However this process ends: one left behind would keep its port.
  process.once("exit", () => child.kill("SIGTERM"));
  let output = "";
  await new Promise<void>((started, failed) => {
    const read = (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-keptCharacters);
      if (output.includes("Stop with")) started();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => failed(new Error(`crossdock ${args[0]} ended with ${code}:\n${output}`)));
  });
  return {
    output: () => output,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
