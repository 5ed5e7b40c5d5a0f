import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../test/peers/free-port.ts";
import { startAdapter } from "../../../test/support/adapter/adapter.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../../config/load-config.ts";
import { examineFolder } from "./examine-folder.ts";
import { examineMachine, type Machine } from "./examine-machine.ts";
import { addressesIn, examineAddress, examinePort } from "./examine-network.ts";
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

test("a data folder that others may read is named, its disk is measured, and nothing is left in it", () => {
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
  expect(examineFolder(join(folder, "none"))[0]?.state).toBe("ok");
  expect(existsSync(join(folder, "none"))).toBe(false);
});

test("addresses are found at any depth of the options, each once", () => {
  const options = { a: { baseUrl: "https://erp.example.com/api" }, b: ["https://erp.example.com/login", "plain text"] };
  expect(addressesIn(options).map(String)).toEqual(["https://erp.example.com/login"]);
});

test("an address that nobody listens on and a name that nobody knows are different findings", async () => {
  const port = await freePort();
  const [closed] = await examineAddress(new URL(`http://127.0.0.1:${port}`), 0);
  expect(closed).toMatchObject({ state: "error", text: expect.stringContaining("ECONNREFUSED") });
  const [unknown] = await examineAddress(new URL("https://no-such-host.invalid"), 0);
  expect(unknown).toMatchObject({ state: "error", text: expect.stringContaining("the name is not known") });
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
  const load = () => loadConfig({ file: "crossdock.yaml", cwd: folder, env: {}, options: { data: folder }, text });
  const findings = await runDoctor({ load, now: Date.now });
  expect(findings.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(["node", "memory", "clock", "configuration", "data folder", "disk speed"]),
  );
  expect(states(findings, "error")).toEqual([`address 127.0.0.1:${port}`, "connector erp"]);
  expect(findings.every(({ state, remedy }) => state === "ok" || (remedy ?? "").length > 5)).toBe(true);
  await adapter.close();
});

test("a configuration with mistakes is reported mistake by mistake", async () => {
  const cwd = temporaryFolder();
  const load = () => loadConfig({ file: "crossdock.yaml", cwd, env: {}, text: "timeZone: Moon\nwrong: 1\n" });
  const found = (await runDoctor({ load, now: Date.now })).filter(({ subject }) => subject === "configuration");
  expect(found).toHaveLength(2);
  expect(found.every(({ state, remedy }) => state === "error" && remedy !== undefined)).toBe(true);
});
