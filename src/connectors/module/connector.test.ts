import { spawnSync } from "node:child_process";
import { cpSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineConnector, ok, refuse, Type } from "crossdock/sdk";
import { expect, test } from "vitest";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { module } from "./connector.ts";

const context = { language: "en" as const, signal: new AbortController().signal };

function fileOf(operations: string, more = ""): string {
  const path = join(temporaryFolder(), "mine.ts");
  writeFileSync(
    path,
    `import { defineConnector, Fault, ok, refuse, Type } from "crossdock/sdk";
     export default defineConnector({
       type: "mine", summary: "Mine.",
       options: Type.Object({ name: Type.String({ default: "bolt" }), size: Type.Optional(Type.Integer()) }),
       ${more}
       open: ({ name }) => ({ operations: { ${operations} }, check: async () => {}, close: async () => {} }),
     });`,
  );
  return path;
}

const problemsOf = async (path: string, options = {}) => (await module.validate?.({ path, options })) ?? [];
const openFile = async (path: string, options = {}) => module.open({ path, options }, openContext());

test("a customer's file is opened with its own options and defaults, and answers", async () => {
  const path = fileOf('getItem: async ({ number }) => ok({ number, name }), getReport: () => refuse("InvalidInput"),');
  expect(await problemsOf(path)).toEqual([]);
  const { operations } = await openFile(path);
  expect(await operations.getItem?.({ number: "1" }, context)).toEqual(ok({ number: "1", name: "bolt" }));
  const report = { workOrdersNumbers: [], storageId: "", remainingRequests: {} };
  expect(operations.getReport?.(report, context)).toEqual(refuse("InvalidInput"));
});

test("a changed file is loaded anew", async () => {
  const path = fileOf('getItem: ({ number }) => ok({ number, name: "old" }),');
  const before = await openFile(path);
  writeFileSync(path, `${fileText('getItem: ({ number }) => ok({ number, name: "new" }),')}`);
  utimesSync(path, new Date(), new Date(Date.now() + 5_000));
  const after = await openFile(path);
  expect(await before.operations.getItem?.({ number: "1" }, context)).toMatchObject({ data: { name: "old" } });
  expect(await after.operations.getItem?.({ number: "1" }, context)).toMatchObject({ data: { name: "new" } });
});

const fileText = (operations: string) =>
  `import { defineConnector, ok, Type } from "crossdock/sdk";
   export default defineConnector({ type: "mine", summary: "", options: Type.Object({}),
     open: () => ({ operations: { ${operations} }, check: async () => {}, close: async () => {} }) });`;

test("options that the file does not accept are refused with their place, and without their value", async () => {
  const problems = await problemsOf(fileOf(""), { name: 5, size: "s3cret" });
  expect(problems).toEqual([
    { path: "options.name", text: "must be text in quotes" },
    { path: "options.size", text: "must be a whole number" },
  ]);
});

test("a number in the environment is read as a number", async () => {
  expect(await problemsOf(fileOf(""), { size: "42" })).toEqual([]);
});

test("what the file itself objects to is heard too", async () => {
  const path = fileOf("", 'validate: () => [{ path: "name", text: "is taken" }],');
  expect(await problemsOf(path)).toEqual([{ path: "options.name", text: "is taken" }]);
});

test("an operation that the contract does not have is refused when it is opened, with the nearest name", async () => {
  await expect(openFile(fileOf("getItems: () => ok([]),"))).rejects.toThrow(/"getItems".*Did you mean getItem\?/);
});

test("a result that the row does not have becomes a fault that names those it has", async () => {
  const path = fileOf('getItem: async () => ({ ok: false, result: "NoSuchThing" }), getItemImage: () => null,');
  const { operations } = await openFile(path);
  await expect(operations.getItem?.({ number: "1" }, context)).rejects.toThrow(/NoSuchThing.*ItemDoesNotExist/);
  expect(() => operations.getItemImage?.({ number: "1" }, context)).toThrow(/neither ok/);
});

test("derived events reach a customer's file, and what it returns is checked", async () => {
  const path = fileWithDerived("orderFinished: async ({ outcome }) => ok(outcome), containerFinished: () => 5");
  const { derived } = await openFile(path);
  // Contains only the member that the file reads.
  const finished = { outcome: "short" } as never;
  expect(await derived?.orderFinished?.(finished, context)).toEqual(ok("short"));
  await expect(derived?.containerFinished?.(finished, context)).rejects.toThrow(
    /containerFinished returned neither ok/,
  );
});

test("a misspelt derived event is refused when the file is opened, with the nearest name", async () => {
  await expect(openFile(fileWithDerived("orderFinnished: () => ok(null)"))).rejects.toThrow(
    /"orderFinnished".*Did you mean orderFinished\?/,
  );
});

function fileWithDerived(derived: string): string {
  const path = join(temporaryFolder(), "mine.ts");
  writeFileSync(
    path,
    `import { defineConnector, ok, Type } from "crossdock/sdk";
     export default defineConnector({ type: "mine", summary: "", options: Type.Object({}),
       open: () => ({ operations: {}, derived: { ${derived} }, check: async () => {}, close: async () => {} }) });`,
  );
  return path;
}

test.each([
  ["a file that is not there", null, /there is no file/],
  ["a file that does not parse", "export default {", /cannot be loaded/],
  ["a file without a connector", "export default 5;", /is not a connector/],
  ["a file that throws", 'throw new Error("boom");', /boom/],
])("%s is refused with what to do", async (_, text, words) => {
  const path = join(temporaryFolder(), "mine.ts");
  if (text !== null) writeFileSync(path, text);
  expect(await problemsOf(path)).toEqual([
    { path: ["path"], text: expect.stringMatching(words), hint: expect.stringMatching(/\w/) },
  ]);
});

test("the template that `crossdock new connector` copies can be opened as it is", async () => {
  const folder = temporaryFolder();
  cpSync(resolve(import.meta.dirname, "../_template"), folder, { recursive: true });
  const path = join(folder, "connector.ts");
  expect(await problemsOf(path, { address: "http://127.0.0.1:1" })).toEqual([]);
  const { operations, check } = await openFile(path, { address: "http://127.0.0.1:1" });
  expect(Object.keys(operations)).toEqual(["findWorkOrderByCode", "confirmStep"]);
  await expect(check()).rejects.toMatchObject({ kind: "unreachable" });
});

test("the compiler refuses operations, results and options that are not there", () => {
  const options = Type.Object({ name: Type.String() });
  const open = { check: async () => {}, close: async () => {} };
  defineConnector({
    type: "t",
    summary: "",
    options,
    // @ts-expect-error: the contract has no such operation
    open: () => ({ ...open, operations: { getItems: () => ok(null) } }),
  });
  defineConnector({
    type: "t",
    summary: "",
    options,
    // @ts-expect-error: the row of getItem has no such result
    open: () => ({ ...open, operations: { getItem: () => refuse("OrderDoesNotExist") } }),
  });
  defineConnector({
    type: "t",
    summary: "",
    options,
    // @ts-expect-error: the options have no such member
    open: ({ nmae }) => ({ ...open, operations: { getItem: () => ok({ number: nmae }) } }),
  });
});

/** Loads the file with Node itself: the loader of the tests treats every file as a module. */
function loadedByNode(path: string): { readonly type?: string; readonly message?: string; readonly hint?: string } {
  const loader = JSON.stringify(new URL("./load-definition.ts", import.meta.url).href);
  const script = `import(${loader})
    .then(({ loadDefinition }) => loadDefinition(${JSON.stringify(path)}))
    .then(({ type }) => ({ type }), ({ message, hint }) => ({ message, hint }))
    .then((outcome) => console.log(JSON.stringify(outcome)));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--no-warnings", "-e", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as { type?: string; message?: string; hint?: string };
}

test("a file that is loaded as CommonJS is reported with both solutions", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }');
  writeFileSync(join(folder, "mine.js"), fileText(""));
  const { message, hint } = loadedByNode(join(folder, "mine.js"));
  expect(`${message} ${hint}`).toMatch(/^mine\.js is loaded as CommonJS.*"type": "module".*mine\.mjs/);
  writeFileSync(join(folder, "mine.mjs"), fileText(""));
  expect(loadedByNode(join(folder, "mine.mjs"))).toEqual({ type: "mine" });
});
