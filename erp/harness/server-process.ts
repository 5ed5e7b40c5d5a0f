import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";

export interface ServerProcess {
  readonly pid: () => number;
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
    try {
      await untilItAnswers();
    } catch (error) {
      // Nobody else knows it, so it would run for ever.
      child.kill("SIGKILL");
      throw error;
    }
    return child;
  };
  const end = async (child: ChildProcess, signal: NodeJS.Signals) => {
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  let running = await begin();
  return {
    // It answers, so it was started.
    pid: () => running.pid as number,
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
