import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "./free-port.ts";
import { keepProcess } from "./keep-process.ts";
import type { PeerDefinition } from "./peer.ts";

const server = "/usr/sbin/mariadbd";
const installer = "/usr/bin/mariadb-install-db";
const user = "crossdock";
const password = "peer-password";
const longestStartMs = 30_000;

/** MariaDB from Debian's package mariadb-server, with its own data in a temporary folder. */
export const peer: PeerDefinition = {
  missing: () => (existsSync(server) && existsSync(installer) ? null : "apt-get install mariadb-server"),
  start: async (folder) => {
    const data = join(folder, "data");
    mkdirSync(data);
    const asWhom = process.getuid?.() === 0 ? ["--user=mysql"] : [];
    if (asWhom.length > 0) execFileSync("chown", ["-R", "mysql:mysql", folder]);
    execFileSync(installer, ["--no-defaults", `--datadir=${data}`, "--skip-test-db", ...asWhom], { stdio: "pipe" });
    const first = join(folder, "first.sql");
    // The server takes one statement per line.
    const statements = [
      `CREATE USER '${user}'@'%' IDENTIFIED BY '${password}';`,
      `GRANT ALL ON *.* TO '${user}'@'%' WITH GRANT OPTION;`,
      "CREATE DATABASE peer CHARACTER SET utf8mb4;",
    ];
    writeFileSync(first, `${statements.join("\n")}\n`, { mode: 0o644 });
    const port = await freePort();
    const running = keepProcess(server, [
      "--no-defaults",
      `--datadir=${data}`,
      `--socket=${join(folder, "server.sock")}`,
      `--pid-file=${join(folder, "server.pid")}`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      "--skip-name-resolve",
      `--init-file=${first}`,
      "--innodb-flush-log-at-trx-commit=0",
      "--innodb-buffer-pool-size=32M",
      ...asWhom,
    ]);
    for (let waitedMs = 0; !(await listens(port)); waitedMs += 100) {
      if (running.hasEnded() || waitedMs > longestStartMs) {
        await running.stop();
        throw new Error(`mariadbd did not start: ${running.output().slice(-1000)}`);
      }
      await setTimeout(100);
    }
    return { address: { host: "127.0.0.1", port, user, password, database: "peer" }, stop: running.stop };
  },
};

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
