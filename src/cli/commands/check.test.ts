// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what the settings themselves look like
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { moduleFile, moduleState } from "../../../test/support/connectors/module-file.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { presets } from "../../presets/catalogue.ts";
import type { Terminal } from "../command.ts";
import { main } from "../main.ts";

async function run(cwd: string, argv: string[], { env = {}, isInteractive = false } = {}) {
  const out: string[] = [];
  const errors: string[] = [];
  const terminal: Terminal = {
    print: (text) => out.push(text),
    complain: (text) => errors.push(text),
    isInteractive,
    colour: false,
    env,
    cwd,
    untilStopped: () => Promise.resolve("SIGTERM"),
  };
  return { code: await main(argv, terminal), out: out.join("\n"), errors: errors.join("\n") };
}

const preview = (records: string) => `preview: async (limit) => (${records}).slice(0, limit).map((raw) => ({
  serves: "listWorkOrders", raw,
  mapped: { number: raw.No, dueDate: raw.Due, requests: [{ itemNumber: raw.Item, requestedAmount: raw.Qty }] },
  problems: [], sourceOf: (field) => ({ dueDate: "Due", "requests[0].requestedAmount": "Qty" })[field] })),`;
const good = '{ No: "1", Due: "2030-01-01", Item: "A", Qty: 2 }';
const bad = '{ No: "2", Due: "tomorrow", Item: "A", Qty: 0.5 }';

function erp(folder: string, records: string): void {
  moduleFile(folder, 'listWorkOrders: () => { throw new Error("not asked"); },', preview(records));
  const lines = ["connectors: { erp: { type: module, path: mine.ts, options: { name: '${TOKEN}' } } }"];
  writeFileSync(join(folder, "crossdock.yaml"), [...lines, "serve: { workOrders: erp }"].join("\n"));
}
const env = { TOKEN: "hunter2secret" };

describe("check", () => {
  test("with deployments, each of them is checked, and one with a mistake is named", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "sites"));
    writeFileSync(join(folder, "crossdock.yaml"), "deployments: { folder: sites }\n");
    for (const name of ["north", "south"]) writeFileSync(join(folder, `sites/${name}.yaml`), "");
    const { code, out } = await run(folder, ["check", "--offline"], { isInteractive: true });
    expect([code, out]).toEqual([0, expect.stringMatching(/valid: .*north\.yaml\n.*valid: .*south\.yaml/)]);
    writeFileSync(join(folder, "sites/south.yaml"), "serve: { items: nobody }\n");
    const wrong = await run(folder, ["check", "--offline"]);
    expect([wrong.code, wrong.errors]).toEqual([3, expect.stringMatching(/south\.yaml:1:\d+: serve\.items/)]);
  });

  test("shows what the platform would get, leaves nothing behind and closes everything it opened", async () => {
    const folder = temporaryFolder();
    erp(folder, `[${good}]`);
    const { code, out } = await run(folder, ["check"], { env, isInteractive: true });
    expect(code).toBe(0);
    expect(out).toContain("✓ erp (module) is reachable; it answers listWorkOrders");
    expect(out).toContain('"dueDate": "2030-01-01T00:00:00Z"');
    expect(out).toContain("No errors");
    expect(readdirSync(folder).toSorted()).toEqual(["crossdock.yaml", "mine.ts"]);
    expect(moduleState(join(folder, "mine.ts")).closed).toHaveLength(1);
  });

  test("prints nothing if there are no errors and the output is not a terminal", async () => {
    const folder = temporaryFolder();
    erp(folder, `[${good}]`);
    expect(await run(folder, ["check"], { env })).toEqual({ code: 0, out: "", errors: "" });
    expect((await run(folder, ["check", "--verbose"], { env })).out).toContain("No errors");
  });

  test("reports each error beside its source field, and fails", async () => {
    const folder = temporaryFolder();
    erp(folder, `[${good}, ${bad}]`);
    const { code, out } = await run(folder, ["check"], { env });
    expect(code).toBe(1);
    expect(out).toContain("erp, listWorkOrders: this record would be quarantined");
    expect(out).toMatch(/requests\[0\].requestedAmount: must be a whole number.* \(from Qty\)/);
    expect(out).toContain('"Due": "tomorrow"');
    expect(out).not.toContain("is reached");
    expect((await run(folder, ["check", "--records", "1"], { env })).code).toBe(0);
    expect((await run(folder, ["check", "--records", "many"], { env })).code).toBe(1);
  });

  test("gives the whole result as JSON", async () => {
    const folder = temporaryFolder();
    erp(folder, `[${bad}]`);
    const { code, out } = await run(folder, ["check", "--json"], { env });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      connectors: [
        { name: "erp", errors: [], queries: ["listWorkOrders"], records: [{ problems: [{ source: "Qty" }] }] },
      ],
    });
  });

  test("never prints a secret, even if a connector's error contains it", async () => {
    const folder = temporaryFolder();
    erp(folder, "[]");
    writeFileSync(
      join(folder, "mine.ts"),
      `import { defineConnector, Fault, Type } from "crossdock/sdk";
       export default defineConnector({ type: "mine", summary: "", options: Type.Object({ name: Type.String() }),
         open: ({ name }) => ({ operations: { listWorkOrders: () => { throw 1; } },
           check: async () => { throw new Fault("unreachable", "no login with " + name); }, close: async () => {} }) });`,
    );
    const { code, out } = await run(folder, ["check"], { env });
    expect(code).toBe(1);
    expect(out).toBe("✗ erp (module): no login with ***");
  });

  test("reports an unused connector, and a binding to an operation that is not offered", async () => {
    const folder = temporaryFolder();
    moduleFile(folder, "getItem: () => ok({ number: '1' }),");
    const config = ["connectors:", "  a: { type: module, path: mine.ts }", "  b: { type: module, path: mine.ts }"];
    writeFileSync(join(folder, "crossdock.yaml"), [...config, "serve: { images: a }"].join("\n"));
    const { code, out } = await run(folder, ["check"]);
    expect(code).toBe(1);
    expect(out).toMatch(/crossdock.yaml:4:18: serve.images: a does not offer getItemImage\n.*It offers getItem\./);
    expect(out).toContain("! the connector b is not used");
  });

  test("names the capabilities that are switched off", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "crossdock.yaml"), "serve: { images: none }");
    const { code, out } = await run(folder, ["check", "--verbose"]);
    expect(code).toBe(0);
    expect(out).toContain("✓ serve.images is switched off: the platform gets AdapterNotDefined");
    expect(JSON.parse((await run(folder, ["check", "--json"])).out)).toMatchObject({ switchedOff: ["images"] });
  });

  test("a connector without a preview of its own is asked as the platform would ask it", async () => {
    const folder = temporaryFolder();
    const order = '{ number: "1", dueDate: "2030-01-01", requests: [{ itemNumber: "A", requestedAmount: 1.5 }] }';
    moduleFile(folder, `listWorkOrders: () => ok([${order}]), getItem: ({ number }) => ok({ number, name: "Bolt" }),`);
    const lines = ["connectors: { erp: { type: module, path: mine.ts } }", "serve: { workOrders: erp, items: erp }"];
    writeFileSync(join(folder, "crossdock.yaml"), lines.join("\n"));
    const { code, out } = await run(folder, ["check", "--verbose"]);
    expect(code).toBe(1);
    expect(out).toMatch(/listWorkOrders: this record would be quarantined\n.*requestedAmount: must be a whole number/);
    expect(out).toMatch(/getItem: the platform would get\n[^✓]*"name": "Bolt"/);
  });

  test("shows what would be sent to the platform's interface, and whether it is reachable", async () => {
    const folder = temporaryFolder();
    const forward = (number: string) =>
      writeFileSync(
        join(folder, "crossdock.yaml"),
        `platform: { forward: { items: { request: { url: "http://127.0.0.1:9/items/{input.${number}}", ` +
          "headers: { Authorization: 'Bearer ${TOKEN}' }, body: { sku: number } } } } }",
      );
    forward("number");
    const offline = await run(folder, ["check", "--offline", "--verbose"], { env });
    expect(offline.out).toMatch(
      /a push would be sent to the platform as\n {4}POST http:\/\/127.0.0.1:9\/items\/\S+\n.*\n.*"sku"/,
    );
    expect(offline.code).toBe(0);
    const { code, out } = await run(folder, ["check"], { env });
    expect(code).toBe(1);
    expect(out).toMatch(/platform.forward.items: .*the connection was refused: check the port in its address/);
    expect(out).not.toContain("baseUrl");
    expect(out).not.toContain(env.TOKEN);
    forward("nmber");
    expect(await run(folder, ["check", "--offline"], { env })).toMatchObject({
      code: 3,
      errors: expect.stringMatching(/\{input\.nmber\} has no value: .*did you mean number\?/),
    });
  });

  test("offline opens nothing and needs no secrets", async () => {
    const folder = temporaryFolder();
    erp(folder, `[${bad}]`);
    expect((await run(folder, ["check", "--offline"], { env })).code).toBe(0);
    expect(moduleState(join(folder, "mine.ts")).opened).toEqual([]);
    expect((await run(folder, ["check", "--offline"])).code).toBe(0);
  });
});

describe("init", () => {
  const variants = [
    ["--kind", "embedded"],
    ["--kind", "rest", "--address", "https://erp.example.com"],
    ["--kind", "files"],
    ...["postgres", "mysql", "sqlserver", "sqlite"].map((driver) => ["--kind", "sql", "--driver", driver]),
    ...presets.map(({ name }) => ["--preset", name]),
  ];
  test.each(variants.map((variant) => ({ variant })))(
    "$variant writes a configuration that check accepts",
    async ({ variant }) => {
      const folder = temporaryFolder();
      const made = await run(folder, ["init", "--yes", ...variant]);
      expect(made).toMatchObject({ code: 0, errors: "" });
      const named = /Set before the start: (.*)/.exec(made.out)?.[1]?.split(", ") ?? [];
      const values = Object.fromEntries(named.map((name) => [name, "some-value"]));
      expect(await run(folder, ["check", "--offline"], { env: values })).toEqual({ code: 0, out: "", errors: "" });
      expect(readFileSync(join(folder, "crossdock.yaml"), "utf8")).toContain("#");
    },
  );

  test("never overwrites a file without --force", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "crossdock.yaml"), "mine");
    expect(await run(folder, ["init", "--yes"])).toMatchObject({ code: 1, errors: expect.stringContaining("--force") });
    expect(readFileSync(join(folder, "crossdock.yaml"), "utf8")).toBe("mine");
    expect((await run(folder, ["init", "--yes", "--force"])).code).toBe(0);
    expect((await run(folder, ["init", "--yes", "--config", "other.yaml"])).code).toBe(0);
    expect(existsSync(join(folder, "other.yaml"))).toBe(true);
  });

  test("a wrong kind or preset is refused with a list of the valid ones", async () => {
    const folder = temporaryFolder();
    expect(await run(folder, ["init", "--kind", "soap"])).toMatchObject({ code: 2 });
    expect(await run(folder, ["init", "--preset", "nothing"])).toMatchObject({
      code: 1,
      errors: expect.stringContaining("there is no preset"),
    });
    const listed = await run(folder, ["init", "--preset", "list"]);
    expect(listed.out.split("\n").filter(Boolean)).toHaveLength(presets.length);
  });
});

describe("new connector", () => {
  test("creates a connector that the configuration can use at once", async () => {
    const folder = temporaryFolder();
    const made = await run(folder, ["new", "connector", "my-erp"]);
    expect(made.code).toBe(0);
    const [, yaml = ""] = /(connectors:.*)\n\nNext/s.exec(made.out) ?? [];
    writeFileSync(join(folder, "crossdock.yaml"), yaml);
    expect(await run(folder, ["check", "--offline"])).toEqual({ code: 0, out: "", errors: "" });
    expect(readFileSync(join(folder, "my-erp/connector.ts"), "utf8")).toContain('type: "my-erp"');
    expect((await run(folder, ["new", "connector", "my-erp"])).errors).toContain("already exists");
    expect((await run(folder, ["new", "connector", "../x"])).errors).toContain("cannot be the name");
  });
});
