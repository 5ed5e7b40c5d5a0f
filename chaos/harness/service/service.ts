import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { builtProgram, builtStandby } from "../../../test/support/built-program.ts";
import { secrets } from "../checks/leak-in.ts";
import type { Stage } from "../stage.ts";
import { gaugeOf } from "./gauge.ts";

export const ownSource = resolve(import.meta.dirname, "../../..");

export interface ServiceSettings {
  readonly stage: Stage;
  /** The folder of the configuration and, unless `dataFolder` is set, of the data. */
  readonly folder: string;
  readonly dataFolder?: string;
  /** The address of the receiver. Absent: the events have no target. */
  readonly target?: string;
  /** The source tree to run. Absent: the program built from this source tree, as in the package. */
  readonly source?: string;
  /** More options of the target. */
  readonly targetOptions?: object;
  /** More members of the configuration. */
  readonly config?: object;
  /** Prefix of the command, such as a tracer. */
  readonly wrapper?: readonly string[];
}

/** The program itself, in a process that can be stopped, starved and killed. */
export interface Service {
  readonly url: string;
  readonly pid: number;
  readonly dataFolder: string;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Sends the signal and waits until the process has ended; returns the exit code, null if the signal killed it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  readonly isRunning: () => boolean;
  readonly output: () => string;
  /** Open file descriptors. */
  readonly descriptors: () => number;
  readonly memoryMiB: () => number;
}

/** A start in progress. It may be killed before it serves. */
export interface Starting {
  readonly serving: Promise<Service>;
  readonly kill: () => Promise<void>;
}

/** A process that has loaded its program and waits for the signal to start. It has not touched any data yet. */
export interface Standby {
  readonly begin: () => Starting;
}

export const startService = (settings: ServiceSettings): Promise<Service> => beginService(settings).serving;

export const beginService = (settings: ServiceSettings): Starting =>
  launch(settings, settings.source === undefined ? builtProgram() : join(settings.source, "bin/crossdock.js")).begin();

/** For scenarios with many starts: loading the program takes longer than the rest of a start. */
export const standByService = (settings: ServiceSettings): Standby => launch(settings, builtStandby());

function launch(settings: ServiceSettings, program: string): Standby {
  const { stage, folder, dataFolder = join(folder, "data"), target, wrapper = [] } = settings;
  const configFile = join(folder, "crossdock.yaml");
  // Replaced atomically: a starting process must not read half of it.
  writeFileSync(
    `${configFile}.new`,
    JSON.stringify({ ...configOf(target, settings.targetOptions), ...settings.config }),
  );
  renameSync(`${configFile}.new`, configFile);
  const [command = process.execPath, ...args] = [...wrapper, process.execPath, program];
  const child = spawn(command, [...args, "start", "--config", configFile], {
    cwd: folder,
    env: {
      ...process.env,
      // Variables of the tests must not reach the service.
      NODE_OPTIONS: "",
      VITEST: "",
      NODE_ENV: "production",
      PORT: "0",
      HOST: "127.0.0.1",
      CROSSDOCK_SAMPLE: "false",
      CROSSDOCK_API_KEY: secrets.apiKey,
      CROSSDOCK_DATA_DIR: dataFolder,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  let running = true;
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  child.once("exit", () => {
    running = false;
  });
  let pid = child.pid ?? 0;
  // The process may have ended before it reads the signal.
  child.stdin.on("error", () => {});
  const signal = (name: NodeJS.Signals) => {
    if (running) process.kill(pid, name);
  };
  const end = async (name: NodeJS.Signals) => {
    signal(name);
    const [code] = await exited;
    return code;
  };
  stage.onEnd(async () => {
    if (!running) return;
    // A stopped process (SIGSTOP) reacts to no other signal.
    await end("SIGKILL");
  });

  let isServing = false;
  const serving = new Promise<Service>((found, failed) => {
    const read = (chunk: Buffer) => {
      output = (output + chunk).slice(-20_000);
      if (isServing) return;
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (url === undefined) return;
      isServing = true;
      if (wrapper.length > 0) pid = childOf(child.pid ?? 0) ?? pid;
      const gauge = gaugeOf({ pid, dataFolder });
      stage.watch(gauge, exited);
      found({
        url,
        pid,
        dataFolder,
        signal,
        end,
        isRunning: () => running,
        output: () => output,
        descriptors: gauge.descriptors,
        memoryMiB: gauge.memoryMiB,
      });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", failed);
    child.once("exit", (code, by) =>
      failed(new Error(`the service ended (${code ?? by}) before it served:\n${output}`)),
    );
  });
  // If the process is killed while it starts, nobody waits for this promise.
  serving.catch(() => {});
  const starting: Starting = {
    serving,
    kill: async () => {
      await end("SIGKILL");
    },
  };
  return {
    begin: () => {
      child.stdin.end("begin\n");
      return starting;
    },
  };
}

function configOf(target: string | undefined, targetOptions: object = {}): object {
  const base = { logLevel: "warn" };
  if (target === undefined) return base;
  return {
    ...base,
    connectors: {
      erp: { type: "webhook", url: target, deployment: "chaos", secrets: [secrets.signing], ...targetOptions },
    },
    events: { to: "erp" },
  };
}

/** The process that the wrapper started, because signals are meant for that one. */
function childOf(pid: number): number | undefined {
  const first = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0];
  return first === undefined || first === "" ? undefined : Number(first);
}
