import { join } from "node:path";
import { type RunningProcess, startProcess } from "./start-process.ts";

export interface RunningProgram extends RunningProcess {
  readonly url: string;
  readonly apiKey: string;
}

export interface ProgramNeeds {
  readonly configFile: string;
  readonly dataFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
}

/** `crossdock start` with the configuration of an example. */
export async function startProgram({ configFile, dataFolder, env, port }: ProgramNeeds): Promise<RunningProgram> {
  const apiKey = "example-key";
  const settings = { CROSSDOCK_DATA_DIR: join(dataFolder, "data"), CROSSDOCK_API_KEY: apiKey, PORT: String(port) };
  const running = await startProcess({
    ...{ args: ["start", "--config", configFile], cwd: dataFolder, env: { ...settings, ...env } },
  });
  const url = /Address\s+(http:\S+)/.exec(running.output())?.[1] ?? "";
  return { ...running, url, apiKey };
}
