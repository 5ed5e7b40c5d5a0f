import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { operations } from "../../src/contract/operations.ts";
import type { Figure } from "../harness/measurement.ts";
import { median } from "../harness/median.ts";
import { largeStore } from "./sizes.ts";

const program = fileURLToPath(new URL("../../bin/crossdock.js", import.meta.url));
const rounds = 5;
const idleMs = 2_000;
const retryMs = 5;

export const startUp: Figure = {
  name: "start",
  summary:
    "`crossdock start` on a store with 100,000 orders: from the start of the process to the first answer of GET /Status, " +
    "and the memory the process holds after two idle seconds.",
  measure: async (workshop) => {
    const folder = await workshop.store(largeStore);
    const startMs: number[] = [];
    const idleMegabytes: number[] = [];
    // The first one fills the compile cache and the file cache, as the first start on any machine does.
    for (let round = 0; round <= rounds; round++) {
      const one = await startOnce(folder);
      if (round === 0) continue;
      startMs.push(one.startMs);
      idleMegabytes.push(one.idleMegabytes);
    }
    return [
      {
        what: "Start to first answer, 100,000 orders",
        unit: "ms",
        ours: median(startMs),
        bar: { of: "figure", at: "most", limit: 1000 },
      },
      {
        what: "Idle memory, 100,000 orders",
        unit: "MB",
        ours: median(idleMegabytes),
        bar: { of: "figure", at: "most", limit: 150 },
      },
    ];
  },
};

async function startOnce(folder: string) {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program, "start"], {
    cwd: folder,
    env: { ...process.env, PORT: String(port), CROSSDOCK_DATA_DIR: folder, CROSSDOCK_SAMPLE: "false" },
    stdio: "ignore",
  });
  try {
    const url = `http://127.0.0.1:${port}${operations.getStatus.path}`;
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

/** What the operating system counts, which is more than the process itself knows of. */
function residentMegabytes({ pid }: ChildProcess): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port was given");
  return address.port;
}
