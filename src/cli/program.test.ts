import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { operations } from "../contract/operations.ts";
import { pushes } from "../contract/pushes.ts";

const program = resolve(import.meta.dirname, "../../bin/crossdock.js");

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "crossdock-program-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], { nodeArgs = [] as readonly string[], env = {} } = {}) {
  const child: ChildProcess = spawn(process.execPath, [...nodeArgs, program, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let errors = "";
  child.stdout?.on("data", (bytes: Buffer) => {
    out += bytes.toString();
  });
  child.stderr?.on("data", (bytes: Buffer) => {
    errors += bytes.toString();
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, out, errors }));
  /** Resolves with the printed text once the program has printed how to stop it. */
  const started = () =>
    new Promise<string>((done, fail) => {
      child.stdout?.on("data", () => {
        if (out.includes("Stop with")) done(out);
      });
      child.on("close", () => fail(new Error(`ended before it had started: ${errors}`)));
    });
  return { child, ended, started };
}

const addressIn = (text: string) => /Address +(\S+)/.exec(text)?.[1] ?? "";
const keyIn = (text: string) => /API key +(cd_\S+)/.exec(text)?.[1];

test("the first start serves the sample warehouse, prints no key if the output is not a terminal, and SIGTERM ends it with 0", async () => {
  const { child, started, ended } = run(["start"]);
  const text = await started();
  const status = await fetch(addressIn(text) + operations.getStatus.path);
  expect(await status.json()).toMatchObject({ title: "Crossdock" });
  const list = await fetch(addressIn(text) + operations.listWorkOrders.path);
  expect(((await list.json()) as { data: unknown[] }).data).toHaveLength(10);

  // The output is not a terminal here, so anybody may store it: the key must not be in it.
  const key = readFileSync(join(folder, "data/api-key"), "utf8").trim();
  expect(text).not.toContain(key);
  expect(text).toContain("api-key");
  const push = (sent: string) =>
    fetch(addressIn(text) + pushes.stock.path, {
      method: "POST",
      headers: { "x-api-key": sent, "content-type": "application/json" },
      body: JSON.stringify({ itemNumber: "100100", amount: 3 }),
    }).then(({ status: code }) => code);
  expect(await push(key)).toBe(202);
  expect(await push("another")).toBe(401);

  child.kill("SIGTERM");
  const { code, out, errors } = await ended;
  expect(code).toBe(0);
  expect(out).not.toContain("\u001b");
  expect(errors).not.toContain(key);
});

test("the next start keeps everything and does not show the key again; SIGINT ends it with 0", async () => {
  const { child, started, ended } = run(["start"]);
  const text = await started();
  expect(keyIn(text)).toBeUndefined();
  expect(text).toContain(join(folder, "data/api-key"));
  expect(text).not.toContain("were loaded");
  const list = await fetch(addressIn(text) + operations.listWorkOrders.path);
  expect(((await list.json()) as { data: unknown[] }).data).toHaveLength(10);
  child.kill("SIGINT");
  expect((await ended).code).toBe(0);
});

test("CROSSDOCK_SAMPLE=false starts empty", async () => {
  const { child, started, ended } = run(["start"], { env: { CROSSDOCK_SAMPLE: "false", CROSSDOCK_DATA_DIR: "empty" } });
  const list = await fetch(addressIn(await started()) + operations.listWorkOrders.path);
  expect(((await list.json()) as { data: unknown[] }).data).toEqual([]);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
});

test("a port in use is reported in plain words", async () => {
  const first = run(["start"], { env: { CROSSDOCK_DATA_DIR: "a" } });
  const port = new URL(addressIn(await first.started())).port;
  const { code, out, errors } = await run(["start"], { env: { CROSSDOCK_DATA_DIR: "b", PORT: port } }).ended;
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(errors).toContain(`port ${port} on 127.0.0.1 is in use`);
  first.child.kill("SIGTERM");
  await first.ended;
});

describe("with an older Node", () => {
  const pretend = 'Object.defineProperty(process.versions, "node", { value: "24.11.1" })';
  const nodeArgs = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`];

  test("the one that is installed with the program runs it, and gets its stop", async () => {
    const { child, started, ended } = run(["start"], { nodeArgs, env: { CROSSDOCK_DATA_DIR: "older" } });
    const { status } = await fetch(`${addressIn(await started())}/Status`);
    child.kill("SIGTERM");
    expect([status, (await ended).code]).toEqual([200, 0]);
    expect(await run(["nonsense"], { nodeArgs }).ended).toMatchObject({ code: 2, out: "" });
  });

  test("and no other installed, the message says which one is needed", () => {
    const alone = join(temporaryFolder(), "crossdock.mjs");
    copyFileSync(new URL("../../bin/crossdock.js", import.meta.url), alone);
    const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeArgs, alone, "start"], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("Node 24.12 or newer is needed, this is 24.11.1");
  });
});

test("a reader that closes the pipe early causes no error", async () => {
  const { child, ended } = run(["openapi"]);
  child.stdout?.destroy();
  const { code, errors } = await ended;
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
});

test("a second stop signal does not wait for a request that never ends", async () => {
  const { child, started, ended } = run(["start"], { env: { CROSSDOCK_DATA_DIR: "c" } });
  const { port, hostname } = new URL(addressIn(await started()));
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const head = `POST ${operations.attachWorkOrder.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n{`);
  // The server has seen the request when it asks for the body.
  await once(socket, "data");
  child.kill("SIGTERM");
  await once(child.stderr ?? child, "data");
  child.kill("SIGTERM");
  expect((await ended).code).toBe(1);
  socket.destroy();
});
