import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/**
 * A separate process, because the measured program must not share a thread, heap or garbage collector with the
 * measuring one.
 */
export interface Child {
  /** The message that the process sent when it was ready. */
  readonly ready: unknown;
  /** Gives the process one job and waits for the result. The caller knows the type of the result. */
  readonly run: <Result>(job?: unknown) => Promise<Result>;
  readonly stop: () => Promise<void>;
}

export type FromChild =
  | { readonly ready: unknown }
  | { readonly result: unknown }
  | { readonly failed: string; readonly during: "start" | "job" };

export interface ChildOptions {
  readonly settings?: unknown;
  readonly nodeOptions?: readonly string[];
  /** Further environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program that ends with `serveJobs`. */
export async function startChild(
  program: URL,
  { settings, nodeOptions = [], env = {} }: ChildOptions = {},
): Promise<Child> {
  const child = fork(program, [JSON.stringify(settings ?? null)], {
    serialization: "advanced",
    execArgv: [...nodeOptions],
    env: { ...process.env, ...env },
  });
  const ready = await nextMessage(child);
  if (!("ready" in ready)) throw new Error(`${program.pathname} did not start: ${JSON.stringify(ready)}`);
  return {
    ready: ready.ready,
    run: async <Result>(job?: unknown) => {
      child.send({ job });
      const message = await nextMessage(child);
      if (!("result" in message)) throw new Error(`${program.pathname}: ${JSON.stringify(message)}`);
      return message.result as Result;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

async function nextMessage(child: ChildProcess): Promise<FromChild> {
  return await new Promise((resolve, reject) => {
    const settle = () => {
      child.off("message", heard);
      child.off("exit", gone);
    };
    // Only programs of this folder are started, and they use serveJobs.
    const heard = (message: unknown) => {
      settle();
      resolve(message as FromChild);
    };
    const gone = (code: number | null) => {
      settle();
      reject(new Error(`a measured process ended by itself (${code})`));
    };
    child.on("message", heard);
    child.on("exit", gone);
  });
}
