import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../test/peers/free-port.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { Skipped } from "./skipped.ts";

/** A separate Redis that syncs its log before it answers. Otherwise a power cut would lose acknowledged jobs. */
export async function startRedis(): Promise<Daemon & { readonly port: number }> {
  if (spawnSync("redis-server", ["--version"]).status !== 0) {
    throw new Skipped("there is no redis-server (Debian: apt-get install redis-server)");
  }
  const folder = mkdtempSync(join(tmpdir(), "crossdock-bench-redis-"));
  const port = await freePort();
  const settings = {
    bind: "127.0.0.1",
    port: String(port),
    dir: folder,
    appendonly: "yes",
    appendfsync: "always",
    save: "",
    "maxmemory-policy": "noeviction",
  };
  let started: Daemon | null = null;
  try {
    const daemon = await startDaemon({
      program: "redis-server",
      args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      isUp: () =>
        spawnSync("redis-cli", ["-p", String(port), "ping"])
          .stdout?.toString()
          .trim() === "PONG",
      stopSignal: "SIGTERM",
    });
    started = daemon;
    const output = execFileSync("redis-cli", ["-p", String(port), "config", "get", "appendfsync"], {
      encoding: "utf8",
    });
    if (!output.includes("always")) throw new Error(`Redis does not sync every write: ${output}`);
    return {
      port,
      stop: async () => {
        await daemon.stop();
        rmSync(folder, { recursive: true });
      },
    };
  } catch (error) {
    await started?.stop();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
