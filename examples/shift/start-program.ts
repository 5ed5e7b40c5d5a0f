import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";

export const program = resolve(import.meta.dirname, "../../bin/crossdock.js");

export interface RunningProgram {
  readonly url: string;
  readonly apiKey: string;
  /** Everything it has printed and logged. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

export interface ProgramNeeds {
  readonly configFile: string;
  readonly dataFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
}

/** `crossdock start` in a process of its own, as it runs at a customer's. */
export async function startProgram({ configFile, dataFolder, env, port }: ProgramNeeds): Promise<RunningProgram> {
  const apiKey = "example-key";
  const settings = { CROSSDOCK_DATA_DIR: join(dataFolder, "data"), CROSSDOCK_API_KEY: apiKey, PORT: String(port) };
  const child = spawn(process.execPath, [program, "start", "--config", configFile], {
    cwd: dataFolder,
    env: { ...process.env, ...settings, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  // However this process ends: an adapter left behind would keep its port.
  process.once("exit", () => child.kill("SIGTERM"));
  let output = "";
  const url = await new Promise<string>((found, failed) => {
    const read = (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-200_000);
      const address = /Address\s+(http:\S+)/.exec(output)?.[1];
      if (address !== undefined && output.includes("Stop with")) found(address);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => failed(new Error(`the adapter ended with ${code} before it served:\n${output}`)));
  });
  return {
    ...{ url, apiKey, output: () => output },
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
