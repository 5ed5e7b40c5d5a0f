import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../peers/free-port.ts";
import { peerGroup } from "../peers/peer.ts";
import { builtProgram, compiled } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const pages = join(root, "docs/how-to/operate");
const commandsOf = (page: string) =>
  [...readFileSync(join(pages, page), "utf8").matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = ""]) => text).join("\n");

/** Runs the commands of a page as they are written, in a process group of its own that ends with the test. */
function shell(folder: string, commands: string, stop: string) {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "crossdock"), `#!/bin/sh\nexec ${process.execPath} ${builtProgram()} "$@"\n`);
  chmodSync(join(bin, "crossdock"), 0o755);
  const env = { ...compiled(), PATH: `${bin}:${process.env["PATH"]}`, HOME: folder, LANG: "C.UTF-8" };
  const child: ChildProcess = spawn("sh", ["-e", "-c", `${commands}\n${stop}`], { cwd: folder, env, detached: true });
  onTestFinished(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // All of them have ended.
    }
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      text += chunk;
    });
  }
  return new Promise<{ code: number | null; text: string }>((done) =>
    child.once("exit", (code) => done({ code, text })),
  );
}

/** Ends the background processes of the page, which are in the group of the shell, and waits for them. */
const stopAll = "trap '' TERM; kill -TERM 0; wait";

await peerGroup(
  "postgres",
  "the pages from one machine to three processes",
  ({ user, password, host, port, database }) => {
    test("every command works as it is written, one page after the other", { timeout: 600_000 }, async () => {
      const folder = temporaryFolder();
      const ports = Object.fromEntries(
        await Promise.all(
          [8080, 8081, 8082, 8083, 8084, 8100].map(async (known) => [known, await freePort()] as const),
        ),
      );
      const store = `postgres://${user}:${password}@${host}:${port}/${database}`;
      const placed = (page: string) =>
        commandsOf(page)
          .replaceAll("postgres://crossdock:secret@127.0.0.1:5432/crossdock", store)
          .replaceAll("PORT=808$n", `PORT=$(eval echo \\$port$n)`)
          .replaceAll("127.0.0.1:808$n", `127.0.0.1:$(eval echo \\$port$n)`)
          .replaceAll(/\b(8080|8081|8082|8083|8084|8100)\b/g, (known) => String(ports[known]))
          .replaceAll("crossdock start", `PORT=\${PORT:-${ports[8080]}} crossdock start`);
      const one = await shell(folder, placed("one-machine.md"), stopAll);
      expect(one.code, one.text).toBe(0);
      expect(one.text).toContain("0 errors");
      expect(one.text).toContain("Result: no differences");
      const made = readdirSync(join(folder, "warehouse"));
      expect(made).toEqual(expect.arrayContaining(["first-backup", "order.json", "adapter.json"]));
      const known = `cd warehouse\nport1=${ports[8081]}; port2=${ports[8082]}; port3=${ports[8083]}; port4=${ports[8084]}\n`;
      const three = await shell(folder, known + placed("three-processes.md"), stopAll);
      expect(three.code, three.text).toBe(0);
      expect(three.text).toContain('"ready":true');
      expect(three.text).toContain("isResultSuccess");
    });
  },
);
