import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";

export interface ServerProcess {
  /** Kills it and starts it again. */
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface ServerNeeds {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Settles when the server answers. */
  readonly untilItAnswers: () => Promise<void>;
}

/** Runs the server of a real system, which can be killed in the middle of its work. */
export async function startServer(needs: ServerNeeds): Promise<ServerProcess> {
  const { command, parameters, cwd, env = {}, logFile, untilItAnswers } = needs;
  const log = createWriteStream(logFile);
  const begin = async (): Promise<ChildProcess> => {
    const child = spawn(command, parameters, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    await untilItAnswers();
    return child;
  };
  const end = async (child: ChildProcess, signal: NodeJS.Signals) => {
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  let running = await begin();
  return {
    kill: async () => {
      await end(running, "SIGKILL");
      running = await begin();
    },
    stop: async () => {
      await end(running, "SIGTERM");
      log.end();
    },
  };
}
