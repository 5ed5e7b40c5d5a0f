import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { XMLParser } from "fast-xml-parser";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Terminal } from "../../src/cli/command.ts";
import { main } from "../../src/cli/main.ts";
import { integer, row } from "../../src/kit/sqlite/row.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { Fault } from "../../src/operation/fault.ts";
import { ok, refuse } from "../../src/operation/outcome.ts";
import type { Report } from "../../src/tools/conformance/conformance-report.ts";
import { runConformance } from "../../src/tools/conformance/run-conformance.ts";
import { startMutant } from "../mutants/right-adapter.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { scriptedConnector } from "../support/connectors/scripted-connector.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/how-to/conform.md"), "utf8");
const findingsOf = ({ checks }: Report) =>
  checks.filter(({ state }) => state === "failed").map(({ id, findings }) => ({ id, findings }));
const skippedIn = ({ checks }: Report, group: string) =>
  checks.filter((check) => check.group === group && check.state === "skipped").map(({ id }) => id);
// This machine may be busy with other tests; how fast the adapter is on a quiet one is measured elsewhere.
const budgetFactor = 200;

describe("our own adapter, with no exception listed", () => {
  test.each(["envelope", "problem-details"] as const)(
    "passes everything in validation mode %s",
    async (validationMode) => {
      const { url } = await startAdapter({ sample: true, config: { validationMode } });
      const report = await runConformance({ url, level: "full", apiKey, budgetFactor });
      expect(findingsOf(report)).toEqual([]);
      expect(report).toMatchObject({ score: 100, validationMode });
      // The picture in the documentation shows this run: `npm run pictures` makes it anew.
      if (validationMode === "envelope") expect(page).toContain(`Report of Crossdock: ${report.passed} passed`);
      expect(report.endpoints.filter(({ capability }) => capability !== "offered")).toEqual([]);
      expect(skippedIn(report, "workflow")).toEqual([]);
    },
  );

  test("passes everything with a listed order instead of a pushed one, and below a base path", async () => {
    const { url } = await startAdapter({ sample: true, config: { basePath: "/adapters/north" } });
    const report = await runConformance({ url, level: "full", budgetFactor, order: "SO-1003", storage: "Annex" });
    expect(findingsOf(report)).toEqual([]);
  });

  test("passes everything with capabilities switched off, which count as not offered", async () => {
    const { url } = await startAdapter({
      sample: true,
      config: { serve: { images: "none", files: "none", report: "none" } },
    });
    const report = await runConformance({ url, level: "full", apiKey, budgetFactor });
    expect(findingsOf(report)).toEqual([]);
    const missing = report.endpoints.filter(({ capability }) => capability === "not offered");
    expect(missing.map(({ operation }) => operation)).toEqual([
      ...["parseWorkOrderFile", "getReport", "parseItemFile", "getItemImage"],
    ]);
  });

  test("passes everything while it is empty", async () => {
    const { url } = await startAdapter();
    expect(findingsOf(await runConformance({ url, level: "full", budgetFactor }))).toEqual([]);
  });

  test("is not changed by a read-only run", async () => {
    const { url, folder } = await startAdapter({ sample: true });
    const entries = () => {
      const database = openDatabase(`${folder}/data/crossdock.db`, { readOnly: true });
      const count = database.query("SELECT count(*) AS entries FROM entry", row({ entries: integer })).get()?.entries;
      database.close();
      return count;
    };
    const before = entries();
    expect(findingsOf(await runConformance({ url, apiKey, budgetFactor }))).toEqual([]);
    expect(entries()).toBe(before);
  });
});

describe("an adapter that cannot do much", () => {
  test("has no findings where it offers nothing", async () => {
    const { url } = await startAdapter({ connector: scriptedConnector(() => ok(null), []) });
    const report = await runConformance({ url, level: "full", budgetFactor });
    expect(findingsOf(report)).toEqual([]);
    const offered = report.endpoints.filter(({ capability }) => capability === "offered");
    expect(offered.map(({ operation }) => operation)).toEqual(["getStatus"]);
  });

  test("has no findings where it declines everything", async () => {
    const { url } = await startAdapter({ connector: scriptedConnector(() => refuse("OperationFailed")) });
    const report = await runConformance({ url, level: "full", budgetFactor });
    expect(findingsOf(report)).toEqual([]);
    const declined = report.endpoints.filter(({ capability }) => capability === "declined");
    expect(declined.map(({ operation }) => operation)).toContain("findWorkOrderByCode");
  });

  test("has no findings where its external system is down", async () => {
    const connector = scriptedConnector(() => {
      throw new Fault("unreachable", "no route");
    });
    const { url } = await startAdapter({ connector });
    expect(findingsOf(await runConformance({ url, level: "full", budgetFactor }))).toEqual([]);
  });
});

test("the plain adapter of the examples is judged endpoint by endpoint", async () => {
  const url = await startPlain();
  const report = await runConformance({ url, level: "full", budgetFactor });
  expect(findingsOf(report)).toEqual([]);
  expect(report).toMatchObject({
    validationMode: "problem-details",
    adapter: { title: "Plain adapter", version: "1.0.0" },
  });
  const notOffered = report.endpoints.filter(({ capability }) => capability === "not offered");
  expect(notOffered.map(({ operation }) => operation)).toEqual([
    "parseWorkOrderFile",
    "getReport",
    "parseItemFile",
    "getItemImage",
  ]);
  expect(report.endpoints.filter(({ capability }) => capability === "offered")).toHaveLength(16);
  expect(page).toContain(`Report of the plain adapter: ${report.passed} passed`);
});

describe("the command", () => {
  test("says that the base path is wrong instead of finding fault with everything", async () => {
    const { url } = await startAdapter({ config: { basePath: "/adapters/north" } });
    const { code, errors } = await conform([url.replace("/adapters/north", "/adapters/south")]);
    expect(code).toBe(1);
    expect(errors).toContain("none of its routes is found there");
    expect(errors).toContain("base path");
  });

  test("ends with 0 without a finding, and shows every endpoint", async () => {
    const { code, out } = await conform([await startPlain(), "--budget-factor", "20"]);
    expect(code).toBe(0);
    expect(out).toContain("✓ GET  /WorkOrders ");
    expect(out).toContain("Score 100 %");
    expect(out).not.toContain("\u001b");
  });

  test("ends with 1 after a finding, and says what was sent, received and meant", async () => {
    const { url, close } = await startMutant(({ number }) => ({
      number: (_, result) => (result === "Succeed" ? 0 : number("getItem", result)),
    }));
    onTestFinished(close);
    const { code, out } = await conform([url, "--only", "listWorkOrders"]);
    expect(code).toBe(1);
    expect(out).toContain("✗ listWorkOrders.success-matches-result");
    expect(out).toContain("contract, Endpoints: “In each result list below, the success value is marked (success).”");
    expect(out).toMatch(/sent {6}GET \/WorkOrders\n {4}received {2}200 \{"isResultSuccess":true,"result":0/);
    expect(out).toContain("Hint: ");
  });

  test("writes JUnit, JSON and one HTML file that loads nothing, whatever the adapter sends", async () => {
    const cwd = temporaryFolder();
    const hostile = '</script><script>alert("x")</script>\u0000\u001b[2J]]>';
    const { url, close } = await startMutant(({ envelope }) => ({
      envelope: (id, said) => ({ ...Object(envelope(id, said)), result: hostile }),
    }));
    onTestFinished(close);
    const files = ["--junit", "r.xml", "--json", "r.json", "--html", "r.html"];
    const { out } = await conform([url, "--header", "X-Secret: gateway-token", ...files], { cwd });
    const [xml = "", json = "", html = ""] = ["r.xml", "r.json", "r.html"].map((file) =>
      readFileSync(join(cwd, file), "utf8"),
    );
    expect(new XMLParser().parse(xml, true)).toHaveProperty("testsuites");
    expect((JSON.parse(json) as Report).failed).toBeGreaterThan(0);
    expect(html.match(/<script>/g)).toHaveLength(1);
    expect(html).not.toMatch(/(?:src|href)=|url\(|@import/);
    expect(out).not.toContain("\u001b");
    for (const text of [xml, json, html, out]) expect(text).not.toContain("gateway-token");
  });

  test("says in words that nobody answers, or what is wrong with what was typed", async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    expect(await conform([`http://127.0.0.1:${port}`])).toMatchObject({
      code: 1,
      errors: expect.stringContaining("no adapter answers"),
    });
    expect((await conform(["adapter"])).errors).toContain("is not an address of an adapter");
    expect((await conform(["http://127.0.0.1:1", "--only", "nothing"])).errors).toContain("choose from listWorkOrders");
    expect((await conform(["http://127.0.0.1:1", "--header", "secret"])).errors).not.toContain("secret");
  });
});

async function conform(args: readonly string[], { cwd = "." } = {}) {
  const [out, errors] = [[] as string[], [] as string[]];
  const terminal: Terminal = {
    print: (text) => out.push(text),
    complain: (text) => errors.push(text),
    isInteractive: false,
    colour: false,
    env: {},
    cwd,
    untilStopped: () => Promise.resolve("SIGTERM"),
  };
  const code = await main(["conform", ...args], terminal);
  return { code, out: out.join("\n"), errors: errors.join("\n") };
}

async function startPlain(): Promise<string> {
  const file = resolve(import.meta.dirname, "../../examples/plain-adapter/adapter.mjs");
  const child = spawn(process.execPath, [file], { env: { PATH: process.env["PATH"], PORT: "0" } });
  onTestFinished(() => void child.kill());
  const [printed] = (await once(child.stdout, "data")) as [Buffer];
  return /http:\S+/.exec(printed.toString())?.[0] ?? "";
}
