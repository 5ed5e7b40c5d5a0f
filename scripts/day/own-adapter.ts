import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";

const ofCheckout = resolve(import.meta.dirname, "../../bin/crossdock.js");
/** Of the inbound and admin routes. */
export const adapterKey = "day-key";

export interface OwnAdapter {
  readonly pid: number;
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

interface AdapterNeeds {
  /** The working folder. A `crossdock.yaml` in it is the configuration. */
  readonly folder: string;
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Absent: that of this checkout. */
  readonly program?: string | undefined;
  readonly onOutput?: (chunk: Buffer) => void;
}

/** Starts an adapter as a process of its own; settles when it serves. */
export async function startAdapter({
  folder,
  port,
  env = {},
  program = ofCheckout,
  onOutput,
}: AdapterNeeds): Promise<OwnAdapter> {
  const own = { CROSSDOCK_SAMPLE: "false", CROSSDOCK_API_KEY: adapterKey, CROSSDOCK_DATA_DIR: join(folder, "data") };
  const child = spawn(process.execPath, [program, "start"], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: "", VITEST: "", PORT: String(port), ...own, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let output = "";
  await new Promise<void>((serves, failed) => {
    const read = (chunk: Buffer) => {
      onOutput?.(chunk);
      // The output is kept only until it serves, because the log of a day is long.
      if (output !== "serves") output += chunk;
      if (!output.includes(`http://127.0.0.1:${port}`)) return;
      output = "serves";
      serves();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => failed(new Error(`the adapter ended with ${code} before it served:\n${output}`)));
  });
  return {
    // It serves, so it was started.
    pid: child.pid as number,
    end: async (signal) => {
      child.kill(signal);
      await exited;
    },
  };
}
