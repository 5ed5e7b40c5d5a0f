import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { missingForTracing } from "../../chaos/harness/disks/machine-rights.ts";
import { missingProgram } from "../../chaos/harness/disks/tools.ts";
import { spawnAdapter } from "../support/adapter/child-adapter.ts";
import { builtProgram } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const unit = join(root, "deploy/systemd/crossdock.service");
const analyzer = missingProgram({ "systemd-analyze": "systemd" });

test("the service unit is rated 2.0 or better by systemd", ({ skip }) => {
  skip(analyzer !== null, analyzer ?? "");
  const args = ["security", "--offline=yes", "--threshold=20", "--no-pager", unit];
  const { stdout, stderr, status } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  expect(stdout + stderr).toMatch(/Overall exposure level for crossdock.service: [01]\.\d/);
  expect(status).toBe(0);
});

test("systemd knows every setting of the units", ({ skip }) => {
  skip(analyzer !== null, analyzer ?? "");
  const socket = join(root, "deploy/systemd/crossdock.socket");
  const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", unit, socket], { encoding: "utf8" });
  // The programs that it names are not installed here.
  const complaints = stderr.split("\n").filter((line) => /crossdock\.(service|socket)/.test(line));
  expect(complaints.filter((line) => !/is not executable: No such file/.test(line))).toEqual([]);
});

test("the page on systemd shows the units as they are", () => {
  const page = readFileSync(join(root, "docs/how-to/systemd.md"), "utf8");
  const shown = [...page.matchAll(/^```ini\n# (deploy\/systemd\/\S+)\n([^`]+)```$/gm)];
  expect(shown.map(([, file]) => file)).toEqual(["deploy/systemd/crossdock.socket"]);
  for (const [, file = "", text] of shown) expect(text).toBe(readFileSync(join(root, file), "utf8"));
});

/** Stands for systemd: prints every message sent to a unix datagram socket, which Node cannot listen on. */
const listener = `use Socket; $| = 1; socket(S, AF_UNIX, SOCK_DGRAM, 0) or die $!; bind(S, pack_sockaddr_un($ARGV[0])) or die $!;
print "listening\\n"; while (defined recv(S, $m, 4096, 0)) { print "$m\\n" }`;

const notifier = missingProgram({ "systemd-notify": "systemd", perl: "perl" });

async function startUnderSystemd() {
  const folder = temporaryFolder();
  const path = join(folder, "notify");
  const systemd = spawn("perl", ["-e", listener, path], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void systemd.kill());
  let told = "";
  systemd.stdout.on("data", (chunk: Buffer) => {
    told += chunk;
  });
  await expect.poll(() => told).toContain("listening");
  const adapter = await spawnAdapter(folder, { NOTIFY_SOCKET: path, WATCHDOG_USEC: "300000" });
  onTestFinished(async () => void (await adapter.end("SIGTERM")));
  return { folder, adapter, told: () => told };
}

test("systemd is told when the adapter serves, that it lives, and that it stops", async ({ skip }) => {
  skip(notifier !== null, notifier ?? "");
  const { adapter, told } = await startUnderSystemd();
  await expect.poll(told).toMatch(/READY=1\n[\s\S]*WATCHDOG=1\n[\s\S]*WATCHDOG=1/);
  expect(told()).toContain(`STATUS=serving ${adapter.url}`);
  expect(await adapter.end("SIGTERM")).toBe(0);
  await expect.poll(told).toContain("STOPPING=1");
});

test("an adapter whose messenger was killed starts another, and is not taken for one that hangs", async ({ skip }) => {
  skip(notifier !== null, notifier ?? "");
  const { folder, told } = await startUnderSystemd();
  await expect.poll(told).toContain("WATCHDOG=1");
  // Written by the adapter itself.
  const { pid } = JSON.parse(readFileSync(join(folder, "data/adapter.json"), "utf8")) as { pid: number };
  const children = readdirSync(`/proc/${pid}/task`).map((task) => readFileSync(`/proc/${pid}/task/${task}/children`));
  const messenger = Number(children.join("").trim());
  process.kill(messenger, "SIGKILL");
  await expect.poll(() => existsSync(`/proc/${messenger}`)).toBe(false);
  const before = told().length;
  await expect.poll(() => told().slice(before)).toMatch(/WATCHDOG=1[\s\S]*WATCHDOG=1/);
});

test("compiled code is kept in the cache folder of the unit, and the next start uses it", async () => {
  const text = readFileSync(unit, "utf8");
  const setting = (name: string) => new RegExp(`^${name}=(.+)$`, "m").exec(text)?.[1];
  expect(setting("Environment=NODE_COMPILE_CACHE")).toBe(`/var/cache/${setting("CacheDirectory")}`);
  const folder = temporaryFolder();
  const cache = join(folder, "cache");
  mkdirSync(cache);
  const startAndStop = async () => {
    const adapter = await spawnAdapter(folder, { NODE_COMPILE_CACHE: cache });
    expect(await adapter.end("SIGTERM")).toBe(0);
    const paths = readdirSync(cache, { recursive: true, encoding: "utf8" }).sort();
    return paths.map((path) => `${path} ${statSync(join(cache, path)).mtimeMs}`);
  };
  const first = await startAndStop();
  expect(first.length).toBeGreaterThan(3);
  expect(await startAndStop()).toEqual(first);
});

test("a start, an event and a stop need no system call that the unit forbids", async ({ skip }) => {
  const missing = analyzer ?? missingForTracing();
  skip(missing !== null, missing ?? "");
  const folder = temporaryFolder();
  const trace = join(folder, "calls");
  const child = spawn("strace", ["-f", "-qq", "-o", trace, process.execPath, builtProgram(), "start"], {
    cwd: folder,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  await expect.poll(() => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]).toBeDefined();
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
  const body = JSON.stringify({ workOrderNumber: "WO-1001", itemNumber: "A-100" });
  const headers = { "content-type": "application/json" };
  expect((await fetch(`${url}/WorkOrders/CancelPutWallItem`, { method: "POST", body, headers })).status).toBe(200);
  const exited = once(child, "exit");
  // Written by the adapter itself.
  const { pid } = JSON.parse(readFileSync(join(folder, "data/adapter.json"), "utf8")) as { pid: number };
  process.kill(pid, "SIGTERM");
  await exited;
  const used = new Set([...readFileSync(trace, "utf8").matchAll(/^\d+ +(\w+)\(/gm)].map(([, call = ""]) => call));
  expect(used.size).toBeGreaterThan(20);
  // SQLite gives a new file the owner of its database, but only where it runs as root, as this test may and the unit does not.
  const harmless = new Set(["execve", "fchown"]);
  const permitted = permittedCalls();
  expect([...used].filter((call) => !permitted.has(call) && !harmless.has(call))).toEqual([]);
});

function permittedCalls(): Set<string> {
  const filters = [...readFileSync(unit, "utf8").matchAll(/^SystemCallFilter=(~?)(.+)$/gm)];
  const permitted = new Set<string>();
  for (const [, isDenied, names = ""] of filters) {
    for (const call of names.split(" ").flatMap(callsOf)) {
      if (isDenied === "~") permitted.delete(call);
      else permitted.add(call);
    }
  }
  return permitted;
}

function callsOf(group: string): string[] {
  const text = execFileSync("systemd-analyze", ["syscall-filter", "--no-pager", group], { encoding: "utf8" });
  const names = text.split("\n").flatMap((line) => /^ +(@?\w[\w-]*)$/.exec(line)?.[1] ?? []);
  return names.flatMap((name) => (name.startsWith("@") ? callsOf(name) : [name]));
}
