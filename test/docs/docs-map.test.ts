import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readRooms, roomsDiagram } from "../../scripts/diagrams/rooms-diagram.ts";

const root = resolve(import.meta.dirname, "../..");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const inDocs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((file) =>
  file.replaceAll("\\", "/"),
);

const kinds = ["tutorial", "how-to", "reference", "explanation", "measurements"];
const pages = inDocs.filter((file) => file.endsWith(".md") && !file.startsWith("decisions/") && file !== "README.md");

test("every page of the documentation is of one of five kinds", () => {
  expect(pages.filter((page) => !kinds.includes(page.split("/")[0] ?? ""))).toEqual([]);
});

test("every page stands in the map, or in the list of its folder", () => {
  const unlisted = pages.filter((page) => {
    if (linksOf("README.md").has(page)) return false;
    const list = `${dirname(page)}/README.md`;
    return !(pages.includes(list) && linksOf(list).has(page));
  });
  expect(unlisted).toEqual([]);
});

test("every picture is shown by some page", () => {
  const shown = [...pages, "README.md"].map((page) => textOf(`docs/${page}`)).join("\n") + textOf("README.md");
  const pictures = inDocs.filter((file) => /\.(svg|png)$/.test(file));
  expect(pictures.length).toBeGreaterThan(5);
  expect(pictures.filter((picture) => !shown.includes(`${picture})`))).toEqual([]);
});

test("every drawing has a title, and a background of its own for dark pages", () => {
  for (const picture of inDocs.filter((file) => file.endsWith(".svg"))) {
    const text = textOf(`docs/${picture}`);
    expect(text, picture).toMatch(/<title[^>]*>[^<]+<\/title>/);
    expect(text, picture).toMatch(/<rect width="\d+" height="\d+" rx="12" fill="#ffffff"\/>/);
  }
});

test("the glossary has each term once, and each with a meaning", () => {
  const rows = [...textOf("docs/reference/glossary.md").matchAll(/^\| (?!Term|---)(.+?) \| (.*) \|$/gm)];
  const terms = rows.map(([, term = ""]) => term.toLowerCase());
  expect(terms.length).toBeGreaterThan(30);
  expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
  expect(rows.filter(([, , meaning = ""]) => meaning.trim() === "")).toEqual([]);
});

test("the page on entries and its picture name every state there is", () => {
  const [, union = ""] = /export type EntryState = (.+);/.exec(textOf("src/journal/entry.ts")) ?? [];
  const states = [...union.matchAll(/"(\w+)"/g)].map(([, state = ""]) => state);
  expect(states.length).toBeGreaterThan(5);
  const page = textOf("docs/explanation/life-of-an-entry.md");
  const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, state]) => state);
  expect(listed.toSorted()).toEqual(states.toSorted());
  const picture = textOf("docs/pictures/entry-states.svg");
  expect(states.filter((state) => !picture.includes(`>${state}</text>`))).toEqual([]);
});

test.each(["retries-and-repeats", "architecture"])("the page %s names files and folders that exist", (name) => {
  const page = textOf(`docs/explanation/${name}.md`);
  const places = [...page.matchAll(/`(src\/[\w/.-]+)`/g)].map(([, place = ""]) => place);
  expect(places.length).toBeGreaterThan(5);
  expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([]);
});

test("every page that code, settings or scripts name exists", () => {
  const places = ["src", "scripts", "bench", "chaos", "examples", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:ts|mjs|yaml)$/.test(file))
      .map((file) => `${folder}/${file}`),
  );
  const named = [...places, "package.json", "biome.json", "redocly.yaml", "CONTRIBUTING.md", "CHANGELOG.md"].flatMap(
    (file) => [...textOf(file).matchAll(/\bdocs\/[\w/-]+\.(?:md|json|svg|ts)\b/g)].map(([page]) => ({ file, page })),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ page }) => !existsSync(join(root, page)))).toEqual([]);
});

test("a room stands above all that it imports, and a circle of rooms is refused", () => {
  const page = ["low", "middle", "top", "all"].map((name) => `| \`src/${name}\` | what it holds |`).join("\n");
  const file = (path: string, ...imports: string[]) => ({
    path,
    imports: imports.map((target) => ({ path: target })),
  });
  const rooms = readRooms(page, [
    file("low/a.ts", "low/b.ts"),
    file("middle/a.ts", "low/a.ts"),
    file("top/a.ts", "low/a.ts", "middle/a.ts"),
    file("all/a.ts", "low/a.ts", "middle/a.ts", "top/a.ts"),
  ]);
  expect(rooms.map(({ below }) => below)).toEqual([[], ["low"], ["low", "middle"], ["low", "middle", "top"]]);
  const picture = roomsDiagram(rooms);
  expect(["all", "top", "middle", "low"].map((name) => picture.indexOf(`>${name}<`))).toEqual(
    ["all", "top", "middle", "low"].map((name) => picture.indexOf(`>${name}<`)).toSorted((a, b) => a - b),
  );
  // What is reached through another room is not named.
  expect(picture).toContain("→ middle<");
  expect(() =>
    roomsDiagram([
      { name: "a", below: ["b"] },
      { name: "b", below: ["a"] },
    ]),
  ).toThrow("a → b → a");
});

/** The pages that a page links to, as paths below docs. */
function linksOf(page: string): Set<string> {
  const targets = [...textOf(`docs/${page}`).matchAll(/\]\(([^)#\s]+)/g)].map(([, target = ""]) => target);
  const folder = join(root, "docs", dirname(page));
  return new Set(
    targets.map((target) => resolve(folder, target).slice(join(root, "docs/").length).replaceAll("\\", "/")),
  );
}
