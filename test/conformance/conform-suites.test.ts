import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { conformanceSuite, connectorSuite, journalSuite, type TestRunner } from "crossdock/conformance";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { type OfferedId, operationIds } from "../../src/contract/operations.ts";
import { journalSuite as journalPromises } from "../../src/journal/journal-suite.ts";
import { Fault } from "../../src/operation/fault.ts";
import { type AnyOutcome, ok, refuse } from "../../src/operation/outcome.ts";
import type { OpenConnector } from "../../src/sdk/connector.ts";
import { startMutant } from "../mutants/right-adapter.ts";
import { compiled } from "../support/built-program.ts";
import { scriptedConnector } from "../support/connectors/scripted-connector.ts";

/** Takes the tests down instead of running them, and runs them afterwards. */
function takenDown() {
  const tests: { name: string; run: () => Promise<void> }[] = [];
  const runner: TestRunner = (name, run) => tests.push({ name, run });
  const failed = async () => {
    const names: string[] = [];
    for (const { name, run } of tests) await run().catch(() => names.push(name));
    return names;
  };
  return { runner, tests, failed };
}

describe("the suite of an adapter", () => {
  test("has a test per promise and passes on a right one, with the address learnt late", async () => {
    const { runner, tests, failed } = takenDown();
    const { url, close } = await startMutant();
    onTestFinished(close);
    conformanceSuite({ test: runner, url: async () => url, budgetFactor: 200 });
    expect(tests.length).toBeGreaterThan(300);
    expect(await failed()).toEqual([]);
  });

  test("fails by the name of what is broken", async () => {
    const { runner, tests, failed } = takenDown();
    const { url, close } = await startMutant(({ version }) => ({
      version: () => ({ ...Object(version()), version: "7" }),
    }));
    onTestFinished(close);
    conformanceSuite({ test: runner, url, only: ["getStatus"], budgetFactor: 200 });
    expect(await failed()).toEqual(["getStatus.version: the version is Major.Minor.Patch"]);
    const broken = tests.find(({ name }) => name.startsWith("getStatus.version"));
    await expect(broken?.run()).rejects.toThrow(/received 200 .*"version":"7".*\n.*normalized to Major\.Minor\.Patch/s);
  });

  test("can be given to jest: a name of its own, a function without arguments that gives a promise, a time limit", async () => {
    const names = new Set<string>();
    // As jest does it: a function with an argument would be waited for until it calls back.
    const jestTest = (name: string, run: (done?: () => void) => Promise<void>, timeoutMs?: number) => {
      if (names.has(name)) throw new Error(`${name} twice`);
      if (run.length > 0) throw new Error(`${name} would wait for a callback`);
      if (timeoutMs === undefined || timeoutMs <= 5000) throw new Error(`${name} would end after five seconds`);
      names.add(name);
    };
    conformanceSuite({ test: jestTest, url: "http://127.0.0.1:1", level: "full" });
    connectorSuite({ test: jestTest, open: () => opened(down), isFull: true });
    journalSuite({ test: jestTest, open: () => Promise.reject(new Error("never opened")) });
    expect(names.size).toBeGreaterThan(600);
  });

  test("runs under node:test", async () => {
    const { url, close } = await startMutant();
    onTestFinished(close);
    const file = resolve(import.meta.dirname, "../fixtures/conform-under-node-test.ts");
    const env = { ...compiled(), PATH: process.env["PATH"], ADAPTER_URL: url };
    const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", file], {
      env,
      maxBuffer: 2 ** 26,
    });
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(300);
  });
});

// Under vitest itself, as a user would write it.
describe("a right adapter", () => {
  const started = startMutant();
  afterAll(async () => (await started).close());
  conformanceSuite({ test, url: async () => (await started).url, level: "full", budgetFactor: 200 });
});

describe("a connector that knows nothing", () => {
  connectorSuite({ test, open: () => opened(nothingKnown), definition: scriptedConnector(nothingKnown), isFull: true });
});

describe("a connector whose system is down", () => {
  connectorSuite({ test, open: () => opened(down), isFull: true });
});

function nothingKnown(id: OfferedId): AnyOutcome {
  if (id === "getItem") return refuse("ItemDoesNotExist");
  if (id === "getItemImage") return refuse("ImageDoesNotExist");
  if (id === "findWorkOrderByCode" || id === "getReport") return refuse("WorkOrderDoesNotExist");
  if (id === "getIndexableValueLabel") return ok({ label: "" });
  if (id === "confirmStep" || id === "confirmCartStep") return ok({ updateWorkOrderRequest: null });
  return ok([]);
}

function down(): never {
  throw new Fault("unreachable", "no route");
}

const opened = (script: (id: OfferedId) => AnyOutcome): OpenConnector => {
  const operations = Object.fromEntries(
    operationIds.filter((id) => id !== "getStatus").map((id) => [id, async () => script(id as OfferedId)]),
  );
  // The script answers any row, which the type of one row cannot say.
  return { operations: operations as OpenConnector["operations"], check: async () => {}, close: async () => {} };
};

describe("the suite of a connector finds out one that", () => {
  const right = () => opened(nothingKnown);
  const wrong: readonly (readonly [does: string, by: string, open: () => OpenConnector])[] = [
    [
      "offers what the contract does not have",
      "it offers operations",
      () => ({ ...right(), operations: { fly: async () => ok(null) } as object }),
    ],
    ["offers nothing", "it offers operations", () => ({ ...right(), operations: {} })],
    ["throws errors that are no faults", "every query", () => opened(() => JSON.parse("{"))],
    ["refuses with a result the row does not have", "every query", () => opened(() => refuse("ContainerDoesNotExist"))],
    ["succeeds without data", "every query", () => opened(() => ok(null))],
    [
      "gives an item without a number",
      "every query",
      () => opened((id) => (id === "getItem" ? ok({}) : nothingKnown(id))),
    ],
    [
      "throws on events",
      "every event",
      () => opened((id) => (id === "attachWorkOrder" ? JSON.parse("{") : nothingKnown(id))),
    ],
    ["ends a repeated delivery otherwise", "the same entry", onceOnly],
    [
      "fails its check without a word",
      "its check",
      () => ({ ...right(), check: () => Promise.reject(new Error("undefined")) }),
    ],
  ];

  test.each(wrong)("%s", async (_, by, open) => {
    const { runner, failed } = takenDown();
    connectorSuite({ test: runner, open, isFull: true });
    expect((await failed()).some((name) => name.startsWith(by))).toBe(true);
  });

  function onceOnly(): OpenConnector {
    let seen = 0;
    return opened((id) => (id === "attachWorkOrder" && ++seen > 1 ? refuse("OperationFailed") : nothingKnown(id)));
  }
});

test("the suite of a journal has a test per promise of the journal", () => {
  const { runner, tests } = takenDown();
  const open = () => Promise.reject(new Error("never opened"));
  journalSuite({ test: runner, open });
  expect(tests.map(({ name }) => name)).toEqual(journalPromises({ open }).map(({ name }) => name));
});
