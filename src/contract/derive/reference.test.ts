import { expect, test } from "vitest";
import * as enums from "../enums.ts";
import { operationIds, operationRow } from "../operations.ts";
import { pushRow, pushTopics } from "../pushes.ts";
import { reference } from "./reference.ts";

const page = reference();
const sections = new Map(
  page
    .split(/^(?=#{2,3} )/m)
    .map((section) => [section.slice(0, section.indexOf("\n")).replace(/^#+ /, ""), section] as const),
);

test.each(operationIds)("the section of %s has its members and its result numbers", (id) => {
  const row = operationRow(id);
  const section = sections.get(`${row.method} ${row.path}`) ?? "";
  expect(section).toContain(row.summary);
  for (const [number, name] of row.results.entries()) {
    expect(section).toContain(
      name === row.success ? `| ${number} | **${name}** (success) |` : `| ${number} | ${name} |`,
    );
  }
  for (const schema of [row.params, row.query, row.body]) {
    const object = Object(schema);
    for (const member of Object.keys((object.items ?? object).properties ?? {}))
      expect(section).toContain(`| ${member} |`);
  }
  if (row.assumption !== undefined) expect(section).toContain(`> **Assumption.** ${row.assumption}`);
});

test("every push and every enumeration has a section", () => {
  for (const topic of pushTopics) expect(sections.get(`POST ${pushRow(topic).path}`)).toContain(pushRow(topic).summary);
  for (const [name, values] of Object.entries(enums)) {
    for (const [value, number] of Object.entries(values))
      expect(sections.get(name)).toContain(`| ${number} | ${value} |`);
  }
});

test("every link leads to a heading of the page, and no heading stands twice", () => {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? "");
  const anchors = headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
  expect(new Set(anchors).size).toBe(anchors.length);
  for (const [, anchor] of page.matchAll(/\]\(#([^)]+)\)/g)) expect(anchors).toContain(anchor);
});

test("every table row has as many cells as its head", () => {
  for (const [table] of page.matchAll(/(?:^\|.*\n)+/gm)) {
    const widths = table
      .trim()
      .split("\n")
      .map((line) => line.split("|").length);
    expect(new Set(widths).size, table).toBe(1);
  }
});
