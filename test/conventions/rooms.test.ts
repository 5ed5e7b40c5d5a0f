import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { importCircles, looseFiles, readCode, sourceFolder } from "../../scripts/code/read-code.ts";

/** The rooms, the lowest first: each may import those above it in this list, and itself. */
const rooms = [
  ...[
    "kit",
    "contract",
    "messages",
    "operation",
    "formats",
    "mapping",
    "http-client",
    "sdk",
    "journal",
    "replication",
    "store",
  ],
  ...["presets", "connectors", "engine", "server", "config", "runtime", "large-bodies", "app", "tools", "cli"],
];
/** What a room may import less than the order allows. */
const onlyImports: Readonly<Record<string, readonly string[]>> = {
  contract: ["kit"],
  messages: ["kit"],
  journal: ["kit"],
  replication: ["journal", "kit"],
  presets: ["sdk", "contract", "operation", "mapping", "http-client"],
  server: ["engine", "sdk", "http-client", "mapping", "formats", "operation", "messages", "contract", "kit"],
  "tools/simulator": ["contract", "kit"],
  "tools/mock-erp": ["contract", "kit"],
  "tools/conformance": ["contract", "kit", "sdk", "operation", "journal"],
};

const files = readCode();
const roomOf = (path: string) => path.split("/")[0] ?? "";

test.each(rooms)("the room %s imports only what lies below it", (room) => {
  const below = rooms.slice(0, rooms.indexOf(room));
  const wrong = files
    .filter(({ path }) => roomOf(path) === room)
    .flatMap(({ path, imports }) => {
      const narrow = Object.entries(onlyImports).find(([part]) => path.startsWith(`${part}/`));
      const allowed = [...(narrow?.[1] ?? below), narrow?.[0] ?? room];
      return imports
        .filter((target) => !allowed.some((place) => target.path.startsWith(`${place}/`)))
        .map((target) => `${path} imports ${target.path}`);
    });
  expect(wrong).toEqual([]);
});

test("no connector imports a sibling", () => {
  const own = (path: string) => path.split("/").slice(0, 2).join("/");
  const wrong = files
    .filter(({ path }) => path.startsWith("connectors/") && path.split("/").length > 2)
    .flatMap(({ path, imports }) =>
      imports
        .filter((target) => target.path.startsWith("connectors/") && own(target.path) !== own(path))
        .map((target) => `${path} imports ${target.path}`),
    );
  expect(wrong).toEqual([]);
});

test("every folder of the source is a room of the list", () => {
  expect(readdirSync(sourceFolder).filter((name) => !rooms.includes(name))).toEqual([]);
});

test.each(["src", "console", "test", "bench", "chaos", "erp", "scripts"])(
  "no folder of %s has more than twelve loose files",
  (top) => {
    const folder = resolve(import.meta.dirname, "../..", top);
    // A test in src stands beside its file and counts with it.
    const own = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .filter(({ name }) => top !== "src" || !name.endsWith(".test.ts"));
    const counts = new Map<string, number>();
    for (const { parentPath } of own) counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1);
    expect(counts.size).toBeGreaterThan(0);
    expect([...counts].filter(([, count]) => count > 12)).toEqual([]);
  },
);

test("no files import each other in a circle, not even for a type", () => {
  expect(importCircles(files)).toEqual([]);
});

test("the documentation lists the rooms in the same order", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/explanation/architecture.md"), "utf8");
  const listed = [...page.matchAll(/^\| `src\/([\w-]+)`/gm)].map(([, room]) => room);
  expect(listed).toEqual(rooms);
});

test.each(["engine", "server", "config"])("the documentation lists the folders of the room %s", (room) => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/explanation/architecture.md"), "utf8");
  const row = page.split("\n").find((line) => line.startsWith(`| \`src/${room}\``)) ?? "";
  const listed = [...row.matchAll(/`([\w-]+)\/`/g)].map(([, folder]) => folder);
  const folders = readdirSync(join(sourceFolder, room), { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(listed.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

test("a folder is not named like a file beside it", () => {
  const folders = new Set([...looseFiles(files).keys()]);
  const doubled = files.map(({ path }) => path.replace(/\.ts$/, "")).filter((path) => folders.has(path));
  expect(doubled.map((path) => join(dirname(path), path))).toEqual([]);
});
