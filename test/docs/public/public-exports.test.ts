import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { publicExports } from "../../../scripts/api/public-exports.ts";
import { section } from "../../support/adapter/walkthrough.ts";

const root = resolve(import.meta.dirname, "../../..");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const manifest = JSON.parse(textOf("package.json")) as { exports: Record<string, string | { types: string }> };
const doors = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === "string"
    ? []
    : [{ specifier: `crossdock${path.slice(1)}`, source: target.types.replace("./dist/", "").replace(".d.ts", ".ts") }],
);

test("every door of package.json has a section in the page on stability, and no other", () => {
  const sections = [...textOf("docs/reference/stability.md").matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(doors.map(({ specifier }) => specifier));
});

test.each(doors)(
  "every export of $specifier has its stability and its place in the API pages",
  async ({ specifier, source }) => {
    const stability = section(textOf("docs/reference/stability.md"), specifier);
    const rows = [...stability.matchAll(/^\| `(\w+)` \| (stable|experimental) \|/gm)].map(([, name = ""]) => name);
    const api = textOf(`docs/reference/api/${specifier.replaceAll("/", "-")}.md`);
    const headings = [...api.matchAll(/^## (\w+)$/gm)].map(([, name = ""]) => name);
    expect(headings).toEqual(rows);
    const values = Object.keys((await import(join(root, source))) as object);
    const lists = [...textOf(source).matchAll(/^export (?:type )?\{([^}]+)\}/gm)].map(([, list = ""]) => list);
    const named = lists.flatMap((list) => list.split(",").map((one) => one.replace(/\btype\s/, "").trim()));
    const expected = [...values, ...named.filter((name) => name !== "")];
    expect(expected.filter((name) => !rows.includes(name))).toEqual([]);
  },
);

test("exports are found through modules that hand them on, with their comments and all overloads", () => {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, lines: readonly string[]) => writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
  write("index.d.ts", [
    'export { type Box, open } from "./a.ts";',
    'export * from "./c.ts";',
    'export { T } from "lib";',
  ]);
  write("a.d.ts", ['export type { Box } from "./b.ts";', "export declare function open(a: string): void;"]);
  write("b.d.ts", [
    "/** Holds *one* thing. */",
    "export interface Box {",
    "    /** Which. */",
    "    thing: string;",
    "}",
  ]);
  write("c.d.ts", [
    "export declare function f(): void;",
    "export declare function f(a: 1): 1;",
    "declare const hidden: 1;",
  ]);
  const found = publicExports(join(folder, "index.d.ts"));
  expect(found.map(({ name }) => name)).toEqual(["Box", "f", "open", "T"]);
  expect(found[0]).toEqual({
    ...{ name: "Box", kind: "interface", summary: "Holds *one* thing." },
    text: "interface Box {\n  /** Which. */\n  thing: string;\n}",
  });
  expect(found[1]?.text).toBe("function f(): void;\nfunction f(a: 1): 1;");
});
