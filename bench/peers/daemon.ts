import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

export interface Daemon {
  readonly stop: () => Promise<void>;
}

const patienceMs = 30_000;
const everyMs = 50;

/** Starts a database server and waits until it answers. The caller must stop it. */
export async function startDaemon(given: {
  readonly program: string;
  readonly args: readonly string[];
  readonly options?: SpawnOptions;
  readonly isUp: () => boolean;
  readonly stopSignal: NodeJS.Signals;
}): Promise<Daemon> {
  const child = spawn(given.program, given.args, { ...given.options, stdio: "ignore" });
  const exited = once(child, "exit");
  const endAt = performance.now() + patienceMs;
  const stop = async () => {
    if (isRunning(child)) child.kill(given.stopSignal);
    await exited;
  };
  while (!given.isUp()) {
    if (!isRunning(child)) throw new Error(`${given.program} ended by itself`);
    if (performance.now() > endAt) {
      await stop();
      throw new Error(`${given.program} does not answer`);
    }
    await sleep(everyMs);
  }
  return { stop };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;
