import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { operations } from "../../../src/contract/operations.ts";
import { freePort } from "../../../test/peers/free-port.ts";

const program = fileURLToPath(new URL("../../../bin/crossdock.js", import.meta.url));
const retryMs = 5;

/** Runs `crossdock start` on a data folder until its first answer, and for a while after it. */
export async function startOnce(
  folder: string,
  { idleMs, path = operations.getStatus.path }: { readonly idleMs: number; readonly path?: string },
): Promise<{ readonly startMs: number; readonly idleMegabytes: number }> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program, "start"], {
    cwd: folder,
    env: { ...process.env, PORT: String(port), CROSSDOCK_DATA_DIR: folder, CROSSDOCK_SAMPLE: "false" },
    stdio: "ignore",
  });
  try {
    const url = `http://127.0.0.1:${port}${path}`;
    while (!(await isAnswered(url))) {
      if (child.exitCode !== null) throw new Error(`crossdock start ended by itself (${child.exitCode})`);
      await sleep(retryMs);
    }
    const startMs = performance.now() - startedAt;
    await sleep(idleMs);
    return { startMs, idleMegabytes: residentMegabytes(child) };
  } finally {
    if (child.exitCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    }
  }
}

function isAnswered(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode === 200));
    }).on("error", () => resolve(false));
  });
}

/** The memory as the operating system counts it, which includes memory that the process does not report itself. */
function residentMegabytes({ pid }: ChildProcess): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}
