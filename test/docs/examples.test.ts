import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { connectorSuite } from "crossdock/conformance";
import { afterAll, describe, expect, test } from "vitest";
import ownConnector from "../../examples/own-connector/connector.ts";
import { startErp } from "../../examples/own-connector/erp.ts";
import { operations } from "../../src/contract/operations.ts";
import { builtProgram } from "../support/built-program.ts";
import { byForm } from "../support/long-form.ts";

const root = resolve(import.meta.dirname, "../..");
const names = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith("/crossdock.yaml"))
  .map((file) => file.replace("/crossdock.yaml", ""));

/** Starting is the same for all of them, and each is started by the shift on it too. */
const started = names.slice(0, byForm({ gate: 2, long: names.length }));

/** What `npm run example` runs; npm itself would take as long to start as the example. */
const program = "examples/run.ts";

/** The command of the documentation, until it ends or has printed something. */
async function example(args: readonly string[], { until, env = {} }: { until?: RegExp; env?: object } = {}) {
  // A group of its own: an example starts programs too.
  const child = spawn(process.execPath, [program, ...args], {
    ...{ cwd: root, detached: true, stdio: ["ignore", "pipe", "pipe"] },
    env: { ...process.env, EXAMPLE_PROGRAM: builtProgram(), ...env },
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  let output = "";
  const seen = new Promise<void>((resolve) => {
    const read = (bytes: Buffer) => {
      output += bytes.toString();
      if (until?.test(output)) resolve();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
  });
  await Promise.race([closed, seen]);
  return {
    output: () => output,
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
      return (await closed)[0];
    },
  };
}

test("npm run example runs this program", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(scripts.example).toBe(`node ${program}`);
});

test.each(names)(
  "a whole shift on %s is booked in its ERP as it was done, each event once and in order",
  async (name) => {
    const { output, stop } = await example([name, "--shift"]);
    expect([await stop(), output()]).toEqual([0, expect.stringMatching(/booked 20 events: each once, in order\n$/)]);
  },
);

test.each(started)("one command starts %s and its adapter, until it is stopped", async (name) => {
  const { output, stop } = await example([name], { until: /Stop with/, env: { PORT: "0" } });
  const url = /Address\s+(\S+)/.exec(output())?.[1] ?? output();
  expect((await fetch(url + operations.getStatus.path)).status).toBe(200);
  await stop();
  await expect(fetch(url + operations.getStatus.path)).rejects.toThrow();
});

test.each(["rest-erp", "sql-erp", "file-erp"])(
  "a look at %s shows the bad order beside the field it comes from",
  async (name) => {
    const { output, stop } = await example([name, "--check"]);
    expect(await stop()).toBe(1);
    expect(output()).toMatch(/would be quarantined\n.*1\.5 is not a whole number.*\(from (lines|rows)\.qty\)/);
  },
);

test("the documentation describes every example, and shows what stands in its configuration", () => {
  const text = readFileSync(join(root, "docs/tutorial/examples.md"), "utf8");
  const written = names.map((name) => readFileSync(join(root, "examples", name, "crossdock.yaml"), "utf8"));
  const shown = [...text.matchAll(/^```yml\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  expect(names.length).toBeGreaterThan(3);
  expect(shown.length).toBeGreaterThan(3);
  expect(names.filter((name) => !text.includes(`npm run example -- ${name}`))).toEqual([]);
  expect(shown.filter((block) => !written.some((one) => one.includes(block)))).toEqual([]);
});

describe("a customer's own connector", async () => {
  const erp = await startErp();
  afterAll(() => erp.close());
  const options = { host: "127.0.0.1", port: Number(erp.env["ERP_PORT"]), everySeconds: 60 };
  connectorSuite({
    test,
    open: (context) => ownConnector.open(options, context),
    definition: ownConnector,
    isFull: true,
  });
});
