import { once } from "node:events";
import { chmodSync, chownSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createServer as createSecureServer } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { missingForSmallDisk } from "../../../chaos/harness/disks/machine-rights.ts";
import { runTool, unmountWhenFree } from "../../../chaos/harness/disks/tools.ts";
import { freePort } from "../../../test/peers/free-port.ts";
import { startAdapter } from "../../../test/support/adapter/adapter.ts";
import { authority, pemOf } from "../../../test/support/receivers/certificates.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { hasFileModes, testIf } from "../../../test/support/test-if.ts";
import { loadConfig } from "../../config/load-config.ts";
import { writeAdapterFile } from "../adapter-file.ts";
import { examineAdapter } from "./examine-adapter.ts";
import { examineFolder } from "./examine-folder.ts";
import { examineMachine, type Machine } from "./examine-machine.ts";
import { examineAddress, examinePort } from "./examine-network.ts";
import { externalAddresses } from "./external-addresses.ts";
import { runDoctor } from "./run-doctor.ts";

const good: Machine = {
  nodeVersion: "24.21.0",
  totalBytes: 2 ** 33,
  memoryLimitBytes: null,
  openFiles: 65_536,
  isMusl: false,
  now: Date.UTC(2026, 10, 16),
};
const states = (findings: readonly { subject: string; state: string }[], state: string) =>
  findings.filter((one) => one.state === state).map(({ subject }) => subject);

test.each<[keyof Machine, Partial<Machine>, string]>([
  ["nodeVersion", { nodeVersion: "24.11.1" }, "node"],
  ["memoryLimitBytes", { memoryLimitBytes: 256 * 2 ** 20 }, "memory"],
  ["openFiles", { openFiles: 1024 }, "open files"],
  ["isMusl", { isMusl: true }, "system"],
  ["now", { now: 0 }, "clock"],
])("a machine with a wrong %s is told what to do about it", (_, wrong, subject) => {
  const trouble = examineMachine({ ...good, ...wrong }).filter(({ state }) => state !== "ok");
  expect(trouble).toEqual([expect.objectContaining({ subject, remedy: expect.stringMatching(/\w{4}/) })]);
});

test("a machine that is in order has no findings but good ones", () => {
  expect(examineMachine(good).filter(({ state }) => state !== "ok")).toEqual([]);
});

testIf(hasFileModes)(
  "a data folder that others may read is named, its disk is measured, and nothing is left in it",
  () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const findings = examineFolder(folder);
    expect(findings[0]).toMatchObject({ state: "warning", remedy: `chmod 700 ${folder}` });
    expect(findings.map(({ subject }) => subject)).toEqual(["data folder", "file system", "disk space", "disk speed"]);
    expect(readdirSync(folder)).toEqual([]);
    chmodSync(folder, 0o700);
    expect(examineFolder(folder)[0]?.state).toBe("ok");
    const file = join(folder, "a");
    writeFileSync(file, "");
    expect(examineFolder(file)[0]).toMatchObject({ state: "error" });
    const first = examineFolder(join(folder, "none", "data"));
    expect(first.map(({ subject, state }) => `${subject} ${state}`)).toEqual([
      ...["data folder ok", "file system ok"],
      expect.stringMatching(/^disk space /),
    ]);
    expect(existsSync(join(folder, "none"))).toBe(false);
    // Below a file nothing can be created, not even by root.
    expect(examineFolder(join(file, "data"))[0]).toMatchObject({
      ...{
        state: "error",
        text: expect.stringContaining("cannot be created"),
        remedy: expect.stringContaining("install -d"),
      },
    });
  },
);

testIf(process.getuid?.() === 0)("a file that root has made in the data folder of another user is named", () => {
  const folder = temporaryFolder();
  chownSync(folder, 65_534, 65_534);
  chmodSync(folder, 0o700);
  writeFileSync(join(folder, "crossdock.db"), "");
  expect(examineFolder(folder)[1]).toMatchObject({
    ...{ state: "error", text: expect.stringContaining("crossdock.db"), remedy: expect.stringContaining("chown -R") },
  });
});

test("addresses that are called are found at any depth, each once, with the way there", () => {
  const options = {
    erp: { baseUrl: "https://erp.example.com/api", auth: { tokenUrl: "https://login.example.com/token" } },
    // Not called: a scope and a header that begin like addresses, and the adapter's own address.
    names: { scope: "https://scope.example.com/.default", headers: { SOAPAction: "http://tempuri.org/Book" } },
    alarms: { publicUrl: "https://own.example.com", webhook: { url: "https://erp.example.com/alerts" } },
    cloud: { url: "https://cloud.example.com", proxy: "http://proxy:3128", tls: { ca: "a certificate" } },
  };
  expect(externalAddresses(options).map(({ url, ...way }) => ({ host: url.host, ...way }))).toEqual([
    { host: "erp.example.com" },
    { host: "login.example.com" },
    { host: "cloud.example.com", proxy: "http://proxy:3128", ca: "a certificate" },
  ]);
});

const now = 0;

test("an address that nobody listens on and a name that nobody knows are different findings", async () => {
  const port = await freePort();
  const [closed] = await examineAddress({ url: new URL(`http://127.0.0.1:${port}`) }, { now });
  expect(closed).toMatchObject({ state: "error", text: expect.stringContaining("ECONNREFUSED") });
  const [unknown] = await examineAddress({ url: new URL("https://no-such-host.invalid") }, { now });
  expect(unknown).toMatchObject({ state: "error", text: expect.stringContaining("the name is not known") });
});

test("a certificate of an authority that the connector trusts is in order", async () => {
  const ca = authority(temporaryFolder());
  const { cert, key } = ca.issue("erp", { alternatives: "IP:127.0.0.1", use: "server" });
  const server = createSecureServer({ cert: pemOf(cert), key: pemOf(key) }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  // Its address is one of a socket, not of a pipe.
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [unknown] = await examineAddress({ url }, { now: Date.now() });
  expect(unknown).toMatchObject({ state: "error", text: expect.stringContaining("not trusted") });
  const [known] = await examineAddress({ url, ca: pemOf(ca.file) }, { now: Date.now() });
  expect(known?.text).toContain("the certificate is valid for");
});

test("an address behind a proxy is not looked up here; the way to its proxy is examined", async () => {
  const proxy = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void proxy.close());
  await once(proxy, "listening");
  // It listens on a port, not on a pipe.
  const { port } = proxy.address() as AddressInfo;
  const url = new URL("https://only-the-proxy-knows.invalid");
  const environment = { HTTPS_PROXY: `http://user:secret@127.0.0.1:${port}` };
  const [reached] = await examineAddress({ url }, { now, environment });
  expect(reached).toMatchObject({ state: "ok", text: expect.stringContaining(`http://127.0.0.1:${port}`) });
  expect(reached?.text).not.toContain("secret");
  const [direct] = await examineAddress({ url, proxy: "none" }, { now, environment });
  expect(direct?.text).toContain("the name is not known");
  const [wrong] = await examineAddress({ url, proxy: `http://127.0.0.1:${await freePort()}` }, { now, environment });
  expect(wrong).toMatchObject({
    state: "error",
    text: expect.stringContaining("no connection to its proxy http://127"),
  });
  const [unusable] = await examineAddress({ url }, { now, environment: { HTTPS_PROXY: "socks5://127.0.0.1" } });
  expect(unusable).toMatchObject({ state: "error", text: expect.stringContaining("only http and https proxies") });
});

test("a port that another program uses is named with the way to find it", async () => {
  const port = await freePort();
  expect(await examinePort({ host: "127.0.0.1", port })).toMatchObject({ state: "ok" });
  const other = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void other.close());
  await new Promise((listening) => other.once("listening", listening));
  expect(await examinePort({ host: "127.0.0.1", port })).toMatchObject({
    state: "error",
    remedy: expect.stringContaining("ss -ltnp"),
  });
});

test("beside a running adapter the whole machine is looked at, and an external system that is down is the only error", async () => {
  const port = await freePort();
  const folder = temporaryFolder();
  const adapter = await startAdapter({ folder });
  const text = `connectors: { erp: { type: http, baseUrl: "http://127.0.0.1:${port}/secret-path", checkPath: / } }\n`;
  const load = () => loadConfig({ file: "crossdock.yaml", cwd: folder, env: {}, text });
  const findings = await runDoctor({ load, now: Date.now });
  expect(findings.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(["node", "memory", "clock", "configuration", "data folder", "disk speed", "adapter"]),
  );
  expect(states(findings, "error")).toEqual([`address 127.0.0.1:${port}`, "connector erp"]);
  expect(findings.every(({ state, remedy }) => state === "ok" || (remedy ?? "").length > 5)).toBe(true);
  await adapter.close();
});

/** What the doctor says about the adapter of this folder. */
async function aboutAdapter(folder: string, { knowsStore = true } = {}) {
  const needs = { timeoutMs: 5_000, knowsStore };
  const found = await examineAdapter({ dataFolder: folder, host: "127.0.0.1", port: 0 }, needs);
  return found.map(({ subject, state, text }) => `${subject} ${state}: ${text}`);
}

test("an adapter whose certificate names another host answers, and so does one that tells its version to the platform only", async () => {
  const folder = temporaryFolder();
  const own = authority(folder).issue("adapter", { alternatives: "DNS:adapter.example.com", use: "server" });
  const auth = { kind: "apiKey", keys: ["platform-key-0123456789"] } as const;
  const adapter = await startAdapter({ folder, config: { platform: { tls: own, auth, openRoutes: [] } } });
  expect(adapter.url).toMatch(/^https:/);
  expect(await aboutAdapter(join(folder, "data"))).toEqual([
    `adapter ok: it answers at ${adapter.url}, without its version`,
  ]);
  await adapter.close();
});

test("a standby is well, unless its configuration differs or it has a trouble", async () => {
  const folder = temporaryFolder();
  let reasons: string[] = [];
  const other = createHttpServer((request, answer) => {
    const body = request.url === "/Status" ? { version: "0.0.1" } : { ready: false, reasons, standby: {} };
    answer.end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  // It listens on a port, not on a pipe.
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  writeAdapterFile(folder, { url, pid: process.pid });
  reasons = ["standby; north owns the deployment", "its configuration differs from the owner's: timeZone"];
  expect(await aboutAdapter(folder)).toEqual([
    expect.stringMatching(/^adapter warning: version 0\.0\.1 runs, and /),
    "adapter ok: standby; north owns the deployment",
    "adapter warning: its configuration differs from the owner's: timeZone",
  ]);
  reasons = ["standby: PostgreSQL cannot be reached"];
  expect((await aboutAdapter(folder))[1]).toBe("adapter error: standby: PostgreSQL cannot be reached");
  // The service has the address in its own environment.
  expect((await aboutAdapter(folder, { knowsStore: false })).at(-1)).toBe(
    "PostgreSQL warning: not examined: the adapter uses one whose address this command does not have",
  );
});

test("a process that does not answer is named with the cause", async () => {
  const folder = temporaryFolder();
  const port = await freePort();
  writeAdapterFile(folder, { url: `http://127.0.0.1:${port}`, pid: process.pid });
  expect(await aboutAdapter(folder)).toEqual([expect.stringMatching(/^adapter error: .*ECONNREFUSED/)]);
});

test("a configuration with mistakes is reported mistake by mistake", async () => {
  const cwd = temporaryFolder();
  const load = () => loadConfig({ file: "crossdock.yaml", cwd, env: {}, text: "timeZone: Moon\nwrong: 1\n" });
  const found = (await runDoctor({ load, now: Date.now })).filter(({ subject }) => subject === "configuration");
  expect(found).toHaveLength(2);
  expect(found.every(({ state, remedy }) => state === "error" && remedy !== undefined)).toBe(true);
});

test("if only values are missing, the machine and the data folder are still looked at", async () => {
  const cwd = temporaryFolder();
  const port = await freePort();
  const text = `connectors: { erp: { type: webhook, url: "https://erp.invalid", headers: { Key: "\${ERP_KEY}" } } }\n`;
  const load = (how: { withoutSecrets?: boolean } = {}) =>
    loadConfig({ file: "crossdock.yaml", cwd, env: {}, options: { data: cwd, port: String(port) }, text, ...how });
  const findings = await runDoctor({ load, now: Date.now });
  expect(findings.filter(({ state }) => state === "error")).toMatchObject([
    { subject: "configuration", text: expect.stringContaining("ERP_KEY is not set") },
  ]);
  const subjects = findings.map(({ subject }) => subject);
  expect(subjects).toEqual(expect.arrayContaining(["data folder", "disk speed", `port ${port}`, "external systems"]));
});

test("a full disk is a matter of space, not of rights", async ({ skip }) => {
  const missing = missingForSmallDisk();
  skip(missing !== null, missing ?? "");
  const folder = temporaryFolder();
  runTool("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", folder);
  onTestFinished(() => unmountWhenFree(folder));
  expect(() => writeFileSync(join(folder, "fill"), Buffer.alloc(2 * 2 ** 20))).toThrow("ENOSPC");
  const errors = examineFolder(folder).filter(({ state }) => state === "error");
  expect(errors.map(({ subject }) => subject)).toEqual(["disk space", "data folder"]);
  for (const { remedy } of errors) expect(remedy).toContain("Free some space");
});

// Root may read everything.
testIf(process.getuid?.() !== 0)(
  "a configuration that this user may not read is a matter of rights, not of its name",
  async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "crossdock.yaml"), "", { mode: 0o000 });
    const findings = await runDoctor({ load: () => loadConfig({ cwd, env: {} }), now: Date.now });
    const remedy = "Let this user read it, or run the command as the adapter's user.";
    expect(findings).toContainEqual(expect.objectContaining({ subject: "configuration", remedy }));
  },
);
